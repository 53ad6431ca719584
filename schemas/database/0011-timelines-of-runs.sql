-- Which deriver version made the timeline of a replay from which recording. A resumed run plays the same timeline, whatever
-- its session has become since. Null for runs from before, and for live runs.
alter table run add column timeline_origin text;
