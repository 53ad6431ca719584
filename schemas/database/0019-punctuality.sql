-- What became of updates of live sessions that were due (engine/delivery/usage/due-outcome.ts), written in the same statement as
-- the checkpoints that they belong to.
create table due_update (
  account_id text not null references account on delete cascade,
  month date not null,
  session_id text not null,
  outcome text not null,
  updates bigint not null,
  primary key (account_id, month, session_id, outcome)
) with (fillfactor = 50);
create index due_update_month on due_update (month);

-- The receiver had no room for positions before this one when the checkpoint was taken.
alter table run_endpoint add column held_before integer not null default 0;

-- Times in which nothing of a live session arrived: its source was silent, or this service was down. Minutes of an account's month
-- are counted from here, so they are kept as long as its counts.
create table live_gap (
  session_id text not null,
  cause text not null check (cause in ('source', 'service')),
  began_at timestamptz not null,
  ended_at timestamptz not null,
  primary key (session_id, cause, began_at)
);
create index live_gap_ended on live_gap (ended_at);
