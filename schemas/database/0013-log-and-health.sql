-- Attempts say why they failed, in a code, and how late they ended. Both are null in entries from before, and the lag of tests,
-- which are due when they are sent, always is.
alter table delivery_attempt add column failure_code text, add column lag_ms real;

-- Failed attempts are few among many, and are what is looked for. Queries must have this very condition.
create index delivery_attempt_failed on delivery_attempt (webhook_no, log_no desc)
  where coalesce(status_code, 0) not between 200 and 299;

-- Since when the previous secret was the one in force. Null if unknown: signatures of that time cannot be made again then.
alter table webhook add column previous_since timestamptz;
