-- Live sessions of a cluster: their frames, in the order in which every node takes them. A service alone has them as files.

create table live_session (
  session_no integer generated always as identity primary key,
  session_id text not null unique,
  series_id text not null,
  origin text not null,
  -- Unix epoch milliseconds of the first frame.
  start_utc_ms double precision not null,
  began_at timestamptz not null default clock_timestamp(),
  frames integer not null default 0,
  -- The node that may append frames, and how often that has changed: an append of an earlier one changes nothing.
  feeder_no integer,
  claim integer not null default 1,
  -- No more frames come.
  over_at timestamptz,
  -- Nodes that follow it no more, because they have made other updates than its feeder.
  left_by integer[] not null default '{}',
  -- The recording is complete, so that the frames here are no longer needed.
  recorded_at timestamptz
);

-- Frames that were appended together.
create table live_frames (
  session_no integer not null references live_session on delete cascade,
  first_frame integer not null,
  frames integer not null,
  -- Of all updates before the first of these frames, as the node that appended them has published them.
  digest bytea not null,
  -- The frames as a recording has them.
  data bytea not null,
  primary key (session_no, first_frame)
);
