-- A resend is a run that sends updates of an earlier run to one endpoint again, as they were then.
alter table run drop constraint run_mode_check;
alter table run add constraint run_mode_check check (mode in ('live', 'replay', 'resend'));
create index run_resend_session on run (account_id, session_id) where mode = 'resend';

-- Which deriver version published the updates of a live run. Null when several did, and for other runs. Once the session
-- is over, the same version makes the same updates from its recording.
alter table run add column deriver_version integer;

create table resend (
  run_id text primary key references run on delete cascade,
  webhook_id text not null,
  -- The replay that its updates are of. Null: the live delivery of the run's session.
  source_run_id text,
  -- The positions that go out again (engine/delivery/delivery-log/position-text.ts), and how many.
  positions text not null,
  updates integer not null
);

-- What was skipped, as spans of positions: every update of the span that matched was skipped for this reason. Written in
-- the same statement as the checkpoint that counts them.
create table skipped_span (
  run_id text not null,
  webhook_id text not null,
  first_position integer not null,
  last_position integer not null,
  reason text not null,
  primary key (run_id, webhook_id, first_position),
  foreign key (run_id, webhook_id) references run_endpoint on delete cascade
) with (fillfactor = 50);
