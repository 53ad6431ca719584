-- The fencing epoch: a delivery thread that replaces a dead one writes under the same name, and only the highest epoch may write.
-- Each start of the service begins with a new set of writers.

delete from record_writer;
alter table record_writer add column incarnation integer not null, drop column written_at;
