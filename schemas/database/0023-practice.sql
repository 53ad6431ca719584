-- The best times of practice sessions, a part of the imported history (0006-history.sql). A release that was imported before
-- has none until it is imported again.
create table history_practice (
  event_id text not null references history_weekend,
  place integer not null,
  driver_id text not null references history_driver,
  constructor_id text not null references history_constructor,
  number text not null,
  session integer not null,
  time_ms integer not null,
  primary key (event_id, place)
);
