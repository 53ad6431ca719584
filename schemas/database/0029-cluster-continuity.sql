-- Works with code since migration 0029.
-- What goes on in a cluster while its nodes are replaced: migrations, counts of requests, and gaps of live sessions.

-- The oldest code that works with the schema after the migration, by that code's newest migration; null: its own
-- (engine/storage/migrations.ts).
alter table migration add column works_since integer;

-- The newest migration of the node's code. Code before this column does not say it, and cannot join any more.
alter table cluster_node add column schema_version integer not null default 28;
alter table cluster_node alter column schema_version drop default;

-- When its latest frame came, or it began.
alter table live_session add column fed_at timestamptz not null default clock_timestamp();

-- Requests of accounts within an hour, as their homes have last saved them. The next home goes on from there.
create table request_count (
  account_id text not null,
  -- Those of console pages, which have a quota of their own.
  from_console boolean not null,
  -- When the hour begins.
  hour timestamptz not null,
  requests integer not null,
  primary key (account_id, from_console)
);
create index request_count_hour on request_count (hour);
create trigger replaced_node before insert or update or delete on request_count
  for each statement execute function refuse_replaced_node();
