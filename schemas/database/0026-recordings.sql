-- Recordings of a cluster: every node fetches them from here. A service alone keeps them as files of DATA_DIR.

create table recording (
  -- Another import of the session has another number.
  recording_no bigint generated always as identity primary key,
  session_id text not null unique references session on delete cascade,
  -- Of the whole recording: its length, CRC-32 and SHA-256.
  bytes bigint not null,
  crc bigint not null,
  sha256 bytea not null,
  -- The deriver version for which every node prepares it, since one was asked to; null before.
  prepared_for integer
);

-- 1 MiB each, the last one less. They are committed together with their recording.
create table recording_piece (
  recording_no bigint not null references recording on delete cascade,
  piece_no integer not null,
  data bytea not null,
  primary key (recording_no, piece_no)
);
