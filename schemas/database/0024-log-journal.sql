-- The delivery log as a journal that is folded into pages. A group commit adds one row to the journal; folding turns many of
-- them into pages of one endpoint and day each. Entries of earlier versions stay in delivery_attempt until their days are
-- dropped.

-- Attempts that are not in pages yet.
create table log_journal (
  -- Each row has this many numbers for its attempts. A group commit has fewer attempts.
  first_log_no bigint generated always as identity (increment by 131072) primary key,
  -- The shard, or whoever made the attempts.
  writer text not null,
  attempts integer not null,
  webhook_nos integer[] not null,
  -- Compressed already (engine/delivery/delivery-log/journal-row.ts).
  data bytea not null,
  written_at timestamptz not null default now()
);
alter table log_journal alter column webhook_nos set storage external, alter column data set storage external;
create index log_journal_writer on log_journal (writer);

-- What is in a page, so that filters need not open it (engine/delivery/delivery-log/log-page.ts).
create table log_page (
  first_log_no bigint not null,
  last_log_no bigint not null,
  feeds bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  webhook_no integer not null,
  day date not null,
  first_run_no integer not null,
  last_run_no integer not null,
  first_sequence integer not null,
  last_sequence integer not null,
  attempts smallint not null,
  failed smallint not null,
  modes smallint not null,
  data bytea not null
) partition by range (day);
-- Takes the pages of a day without a partition, so that folding never fails because one is missing.
create table log_page_default partition of log_page default;
alter table log_page alter column data set storage external;
create index log_page_endpoint on log_page (webhook_no, last_log_no desc);

-- Checkpoints of a writer's last group commits that are not in run_endpoint yet. A later commit of the writer, or the end of
-- the writer, puts them there.
create table late_checkpoints (
  writer text not null,
  batch_no bigint not null,
  -- Compressed already.
  data bytea not null,
  primary key (writer, batch_no)
);
alter table late_checkpoints alter column data set storage external;

-- New numbers follow all old ones.
select setval(pg_get_serial_sequence('log_journal', 'first_log_no'), 131072 * (2 + last_value / 131072), false)
from delivery_attempt_log_no_seq;
