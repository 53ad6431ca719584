-- Past seasons, and the entries and weekends of the coming one, from a release of f1db (engine/seasons/history/history.ts). A newer
-- release replaces everything at once. `place` orders the rows of one race in a table, from 1. `race` is either the grand prix of a
-- weekend or its sprint.

-- One row once a history has been imported. A service that caches the history compares the digest to see whether it has changed.
create table history_release (
  only_one boolean primary key default true check (only_one),
  imported_at timestamptz not null default now(),
  -- SHA-256 of the content, in hexadecimal digits.
  digest text not null,
  first_season integer not null,
  last_season integer not null,
  races integer not null
);

create table history_circuit (
  circuit_id text primary key,
  name text not null,
  type text not null check (type in ('STREET', 'RACE', 'ROAD'))
);

create table history_driver (
  driver_id text primary key,
  name text not null,
  tla text not null,
  date_of_birth date
);

create table history_constructor (
  constructor_id text primary key,
  name text not null
);

create table history_entry (
  place integer primary key,
  season integer not null,
  driver_id text not null references history_driver,
  constructor_id text not null references history_constructor,
  rounds integer[] not null,
  test_driver boolean not null
);

create table history_weekend (
  event_id text primary key,
  season integer not null,
  round integer not null,
  name text not null,
  circuit_id text not null references history_circuit,
  layout_id text not null,
  day date not null,
  start_at timestamptz,
  laps integer not null,
  scheduled_laps integer,
  has_sprint boolean not null,
  unique (season, round)
);

create table history_result (
  event_id text not null references history_weekend,
  race text not null check (race in ('grand_prix', 'sprint')),
  place integer not null,
  driver_id text not null references history_driver,
  constructor_id text not null references history_constructor,
  number text not null,
  position integer,
  -- Why there is no position.
  reason text,
  laps integer not null,
  time_ms integer,
  gap_ms integer,
  gap_laps integer,
  reason_retired text,
  points double precision not null,
  primary key (event_id, race, place),
  check ((position is null) <> (reason is null))
);

create table history_qualifying (
  event_id text not null references history_weekend,
  race text not null check (race in ('grand_prix', 'sprint')),
  place integer not null,
  driver_id text not null references history_driver,
  constructor_id text not null references history_constructor,
  number text not null,
  position integer,
  reason text,
  q1_ms integer,
  q2_ms integer,
  q3_ms integer,
  primary key (event_id, race, place),
  check ((position is null) <> (reason is null))
);

create table history_grid (
  event_id text not null references history_weekend,
  race text not null check (race in ('grand_prix', 'sprint')),
  place integer not null,
  driver_id text not null references history_driver,
  constructor_id text not null references history_constructor,
  number text not null,
  -- Null for a start from the pit lane.
  position integer,
  primary key (event_id, race, place)
);

create table history_pit_stop (
  event_id text not null references history_weekend,
  place integer not null,
  driver_id text not null references history_driver,
  constructor_id text not null references history_constructor,
  number text not null,
  stop integer not null,
  lap integer not null,
  time_ms integer not null,
  primary key (event_id, place)
);

create table history_fastest_lap (
  event_id text not null references history_weekend,
  place integer not null,
  driver_id text not null references history_driver,
  constructor_id text not null references history_constructor,
  number text not null,
  rank integer not null,
  lap integer,
  time_ms integer,
  primary key (event_id, place)
);

create table history_driver_standing (
  event_id text not null references history_weekend,
  place integer not null,
  driver_id text not null references history_driver,
  position integer not null,
  points double precision not null,
  primary key (event_id, place)
);

create table history_constructor_standing (
  event_id text not null references history_weekend,
  place integer not null,
  constructor_id text not null references history_constructor,
  engine_manufacturer_id text not null,
  position integer not null,
  points double precision not null,
  primary key (event_id, place)
);
