-- The live delivery of a session to the endpoints of one account is a run too. An account can have live runs beside its replay.
alter table run add column mode text not null default 'replay' check (mode in ('live', 'replay'));

drop index run_one_at_a_time;
create unique index run_one_at_a_time on run (account_id) where mode = 'replay' and state in ('running', 'stopping');
create unique index run_live_once on run (account_id, session_id)
  where mode = 'live' and state in ('running', 'stopping');

drop index run_account;
create index run_account on run (account_id, run_no desc) where mode = 'replay';
create index run_live_session on run (session_id) where mode = 'live';
