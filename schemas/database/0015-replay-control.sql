-- The client of a run's event stream has left, or its service has ended. It may come back and continue the run, which was
-- stopped meanwhile.
alter table run add column visual_left boolean not null default false;

-- Those of the attempts that were of the demo session, which have a bound of their own.
alter table usage add column demo_attempts bigint not null default 0;

-- When a replay was paused. It is still running as far as its account's next start is concerned.
alter table run add column paused_at timestamptz;

-- Whether each endpoint of a replay gets one update at a time.
alter table run add column ordered boolean not null default false;
