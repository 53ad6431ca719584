-- Where an accepted seek moves a replay, until that is done. Written before the seek is answered, so that it survives a
-- crash; null otherwise.
alter table run add column seek_position integer;

-- How many of the updates that an endpoint missed in a live run resends have delivered since (api/resends/recovery.ts).
alter table run_endpoint add column recovered integer not null default 0;
