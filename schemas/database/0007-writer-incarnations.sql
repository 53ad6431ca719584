-- Writers of deliveries come back after they died, under the same name; only the last incarnation may write. Which ones there
-- are is known anew with every start of the service.

delete from record_writer;
alter table record_writer add column incarnation integer not null, drop column written_at;
