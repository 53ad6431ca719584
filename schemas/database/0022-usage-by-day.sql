-- Usage by day. The counts of a month are the sums of its days. Day 0 stands for no particular day: counts of versions of the
-- service that counted months only, and of months whose days were merged (engine/storage/usage-retention.ts).

alter table usage
  add column day smallint not null default 0 check (day between 0 and 31),
  drop constraint usage_pkey,
  add primary key (account_id, month, feed_id, day);

-- Finds the months whose days are still apart.
create index usage_days on usage (month) where day > 0;
