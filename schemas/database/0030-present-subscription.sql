-- Works with code since migration 0029.
-- Which of an account's paid subscriptions is its present one, and its latest payment page.

alter table stripe_subscription
  -- Both are null until an event tells them after this migration.
  add column customer_id text,
  add column begun_at timestamptz,
  -- Since when a newer subscription of the account has its place: it gives no plan any more, and is cancelled if it has not ended.
  add column replaced_at timestamptz;

alter table account
  -- The payment provider's id of the page that was opened last for a checkout.
  add column stripe_checkout_id text;
