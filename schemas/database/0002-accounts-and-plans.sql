-- Sign-up by email, the limits of plans, the calendar, and billing.

alter table account
  add column name text,
  -- Argon2id; null for accounts that the operator has made, which have no sign-in.
  add column password_hash text,
  -- There was more than one sign-up before the address was verified, so it is unknown which password is the owner's.
  add column contested boolean not null default false,
  add column spend_cap_cents integer not null default 5000 check (spend_cap_cents between 0 and 10000000),
  add column stripe_customer_id text unique;

-- Sign-in cookies, and tokens in verification mails, are stored as SHA-256 only.
create table sign_in (
  token_hash bytea primary key,
  account_id text not null references account on delete cascade,
  expires_at timestamptz not null
);
create index sign_in_account on sign_in (account_id);
create index sign_in_expiry on sign_in (expires_at);

create table email_verification (
  token_hash bytea primary key,
  account_id text not null references account on delete cascade,
  -- The password of the sign-up that caused the mail. Confirming the mail sets this password, and not one that a stranger chose
  -- for the same address.
  password_hash text not null,
  name text,
  expires_at timestamptz not null
);
create index email_verification_account on email_verification (account_id);

-- `*` and group globs as the customer wrote them. They are resolved to feeds on each read, by the plan and the catalogue of that
-- moment.
alter table webhook add column feed_patterns jsonb not null default '[]';
-- Null for a feed that a pattern covers and that has settings of its own.
alter table subscription alter column place drop not null;

-- Latencies of acknowledged deliveries, as counts by bucket (engine/delivery/usage/latency-sketch.ts).
create table usage_latency (
  account_id text not null,
  month date not null,
  feed_id text not null,
  counts integer[] not null,
  primary key (account_id, month, feed_id)
) with (fillfactor = 50);

-- Adds two lists of counts. A count at the maximum stays there; an overflow would make the whole batch fail.
create function added_counts(integer[], integer[]) returns integer[]
language sql immutable parallel safe
as 'select array_agg(least(coalesce(a, 0)::bigint + coalesce(b, 0), 2147483647)::integer order by place)
  from unnest($1, $2) with ordinality as pair (a, b, place)';

-- Mails sent to an account about its monthly usage. Each is sent once.
create table bucket_warning (
  account_id text not null references account on delete cascade,
  month date not null,
  level text not null check (level in ('near', 'reached', 'spend_cap')),
  primary key (account_id, month, level)
);

create table calendar_event (
  event_id text primary key,
  series_id text not null,
  season integer not null,
  round integer not null,
  name text not null,
  circuit_name text not null
);
create index calendar_event_season on calendar_event (season, round);

create table calendar_session (
  session_id text primary key,
  event_id text not null references calendar_event on delete cascade,
  type text not null,
  start_at timestamptz not null,
  end_at timestamptz not null
);
create index calendar_session_event on calendar_session (event_id, start_at);

-- Billing events that were processed, so that a repeated event changes nothing.
create table stripe_event (
  event_id text primary key,
  received_at timestamptz not null
);

-- Invalidates cached accounts when another process, such as an admin command, changes them. The service listens on this channel.
-- A message consists of a kind and the account's id.
create function tell_account_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('account_change', tg_argv[0] || ' ' || coalesce(new.account_id, old.account_id));
  return null;
end
$$;
create trigger account_changed after update of plan, spend_cap_cents or delete on account
  for each row execute function tell_account_change('account');
create trigger access_token_revoked after delete on access_token
  for each row when (old.expires_at > now()) execute function tell_account_change('tokens');
create trigger webhook_changed after insert or update or delete on webhook
  for each row execute function tell_account_change('webhooks');
