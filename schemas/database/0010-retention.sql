-- What housekeeping needs to remove rows that are past their retention. Each index is ordered by what makes a row old, or
-- finds what would be deleted together with an account.

-- The time that housekeeping goes by (engine/storage/house-clock.ts). At most one row.
create table house_clock (
  only_one boolean primary key default true check (only_one),
  time timestamptz not null
);

create index account_unverified on account (created_at) where verified_at is null;
create index email_verification_expiry on email_verification (expires_at);
create index known_network_seen on known_network (seen_at);
create index webhook_deleted on webhook (deleted_at) where deleted_at is not null;
create index webhook_of_account on webhook (account_id);
create index run_ended on run (ended_at) where ended_at is not null;
create index run_of_account on run (account_id, run_no desc);
create index usage_month on usage (month);
create index usage_latency_month on usage_latency (month);
create index bucket_warning_month on bucket_warning (month);
create index stripe_event_received on stripe_event (received_at);
