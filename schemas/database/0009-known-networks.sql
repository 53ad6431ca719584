-- Networks from which the owner of an account has signed in. A flood of wrong passwords from elsewhere does not lock
-- them out. Only a hash of account and network is stored.
create table known_network (
  account_id text not null references account on delete cascade,
  network_hash bytea not null,
  seen_at timestamptz not null,
  primary key (account_id, network_hash)
);
