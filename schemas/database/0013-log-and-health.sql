-- Attempts say why they failed, in a code, and how late they ended. Both are null in entries from before, and the lag of tests,
-- which are due when they are sent, always is.
alter table delivery_attempt add column failure_code text, add column lag_ms real;

-- Failed attempts are few among many, and are what is looked for. Queries must have this very condition.
create index delivery_attempt_failed on delivery_attempt (webhook_no, log_no desc)
  where coalesce(status_code, 0) not between 200 and 299;

-- Since when the previous secret was the one in force. Null if unknown: signatures of that time cannot be made again then.
alter table webhook add column previous_since timestamptz;

-- The latest live runs of an account.
create index run_live_account on run (account_id, run_no desc) where mode = 'live';

-- How an endpoint fares (engine/delivery/delivery-log/endpoint-health.ts). A table of its own: endpoints change far less often.
create table endpoint_health (
  webhook_no integer primary key references webhook (webhook_no) on delete cascade,
  failures_in_row integer not null,
  -- Null: not failing.
  failing_since timestamptz,
  -- When it was last well again after it had been failing.
  well_since timestamptz,
  succeeded_at timestamptz,
  failed_at timestamptz,
  -- Both are null after a success only; a code stands for no answer, a status for one that was no success.
  failure_code text,
  status_code smallint,
  -- The last mail about it, which another one follows only after some time.
  mailed text check (mailed in ('failing', 'well')),
  mailed_at timestamptz
) with (fillfactor = 50);
create index endpoint_health_failing on endpoint_health (failing_since) where failing_since is not null;
create index endpoint_health_mailed on endpoint_health (mailed_at) where mailed is not null;

-- The last hour in spans of five minutes. Each has one of thirteen places, which the span of an hour later takes over.
create table endpoint_health_span (
  webhook_no integer not null references webhook (webhook_no) on delete cascade,
  place smallint not null,
  -- Unix time divided by the length of a span.
  span bigint not null,
  attempts integer not null,
  delivered integer not null,
  -- Latencies of delivered attempts, by bucket.
  counts integer[] not null,
  primary key (webhook_no, place)
) with (fillfactor = 50);
