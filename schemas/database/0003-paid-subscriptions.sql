-- Subscriptions that customers pay for, each with the time of its newest event: the payment provider's events arrive in any order,
-- and an old one must not undo a newer one.
create table stripe_subscription (
  subscription_id text primary key,
  account_id text not null references account on delete cascade,
  active boolean not null,
  ended boolean not null,
  told_at timestamptz not null
);
create index stripe_subscription_account on stripe_subscription (account_id);
