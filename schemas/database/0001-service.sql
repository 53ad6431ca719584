-- All data of the service. Secrets that the API shows again are sealed (AES-256-GCM) before they are stored; tokens are stored
-- as SHA-256 only. The delivery log, the one large table, refers to webhooks and runs by small numbers.

create table account (
  account_id text primary key,
  email text not null,
  plan text not null check (plan in ('free', 'developer', 'custom')),
  client_id text not null unique,
  client_secret_sealed bytea not null,
  verified_at timestamptz,
  created_at timestamptz not null default now()
);
create unique index account_email on account (lower(email));

create table access_token (
  token_hash bytea primary key,
  account_id text not null references account on delete cascade,
  expires_at timestamptz not null
);
create index access_token_account on access_token (account_id);
create index access_token_expiry on access_token (expires_at);

create table webhook (
  webhook_id text primary key,
  webhook_no integer generated always as identity unique,
  account_id text not null references account on delete cascade,
  url text not null,
  method text not null check (method in ('post', 'put')),
  series_id text not null,
  active boolean not null default true,
  filters jsonb not null default '{}',
  secret_sealed bytea not null,
  -- The secret before the last rotation. For 24 hours it signs deliveries in addition to the new one.
  previous_secret_sealed bytea,
  rotated_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create index webhook_account on webhook (account_id, created_at, webhook_no) where deleted_at is null;

create table subscription (
  webhook_id text not null references webhook on delete cascade,
  feed_id text not null,
  -- The position of the feed in the customer's list.
  place integer not null,
  filters jsonb not null default '{}',
  active boolean not null default true,
  primary key (webhook_id, feed_id)
);

create table session (
  session_id text primary key,
  series_id text not null,
  name text not null,
  type text not null,
  circuit_name text not null,
  season integer not null,
  start_at timestamptz not null,
  duration_ms bigint not null,
  frame_count integer not null,
  update_count integer not null,
  -- Updates by feed id.
  feeds jsonb not null,
  demo boolean not null default false,
  imported_at timestamptz not null default now()
);

create table simulate_slot (
  account_id text not null references account on delete cascade,
  session_id text not null,
  unlocked_at timestamptz not null default now(),
  primary key (account_id, session_id)
);

create table run (
  run_id text primary key,
  run_no integer generated always as identity unique,
  account_id text not null references account on delete cascade,
  session_id text not null,
  speed double precision not null,
  sinks text not null check (sinks in ('visual', 'webhook', 'both')),
  state text not null check (state in ('running', 'stopping', 'stopped', 'completed')),
  update_count integer not null,
  -- Where the visual stream of the run ended. The positions of deliveries are in run_endpoint.
  visual_position integer not null default 0,
  started_at timestamptz not null default now(),
  ended_at timestamptz
);
create unique index run_one_at_a_time on run (account_id) where state in ('running', 'stopping');
create index run_account on run (account_id, run_no desc);

-- The checkpoint of one endpoint in one run, written in the same statement as the attempts that it covers.
create table run_endpoint (
  run_id text not null references run on delete cascade,
  webhook_id text not null,
  -- The first position that has not reached the endpoint yet. All positions before it are settled or in `pending`.
  next_position integer not null default 0,
  -- Updates that are started but not settled: `position:attempts made:due at (Unix ms)`, joined by commas.
  pending text not null default '',
  matched integer not null default 0,
  delivered integer not null default 0,
  failed integer not null default 0,
  skipped jsonb not null default '{}',
  breaker text not null default 'closed' check (breaker in ('closed', 'open')),
  lag_ms integer not null default 0,
  primary key (run_id, webhook_id)
) with (fillfactor = 50);

create table delivery_attempt (
  log_no bigint generated always as identity,
  webhook_no integer not null,
  run_no integer,
  mode text not null check (mode in ('live', 'replay', 'test')),
  feed smallint not null,
  sequence integer not null,
  attempt smallint not null,
  status_code smallint,
  latency_ms real not null,
  error text,
  response_body text,
  created_at timestamptz not null
) partition by range (created_at);
-- Takes the attempts of a day without a partition, so that recording never fails because one is missing.
create table delivery_attempt_default partition of delivery_attempt default;
create index delivery_attempt_webhook on delivery_attempt (webhook_no, log_no desc);

create table usage (
  account_id text not null,
  month date not null,
  feed_id text not null,
  attempts bigint not null default 0,
  succeeded bigint not null default 0,
  failed bigint not null default 0,
  skipped bigint not null default 0,
  primary key (account_id, month, feed_id)
) with (fillfactor = 50);

-- The last group commit of each writer, so that a batch whose confirmation was lost is not written twice.
create table record_writer (
  writer text primary key,
  batch_no bigint not null,
  written_at timestamptz not null default now()
) with (fillfactor = 50);
