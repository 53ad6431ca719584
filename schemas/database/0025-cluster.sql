-- Services that share this database (engine/nodes/). Without a cluster there is no node and no slot has an owner.

create table cluster_node (
  node_no integer generated always as identity primary key,
  -- The process: one that rejoins has another.
  node_id uuid not null unique,
  address text not null,
  version text not null,
  deriver_version integer not null,
  joined_at timestamptz not null default now(),
  lease_until timestamptz not null
);

create table cluster_slot (
  slot smallint primary key check (slot between 0 and 255),
  -- The node that is home to the accounts of the slot.
  node_no integer references cluster_node,
  -- Counts its owners, so that a node knows which of two answers is the newer one.
  epoch integer not null default 0
);
insert into cluster_slot (slot) select generate_series(0, 255);

-- When a writer was fenced off: its row stays for a while, so that it cannot come back.
alter table record_writer add column superseded_at timestamptz;
