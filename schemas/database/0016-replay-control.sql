-- The client of a run's event stream has left, or its service has ended. It may come back and continue the run, which was
-- stopped meanwhile.
alter table run add column visual_left boolean not null default false;
