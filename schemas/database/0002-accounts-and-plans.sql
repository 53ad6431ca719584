-- Accounts by mail, what plans limit, the calendar, and billing.

alter table account
  add column name text,
  -- Argon2id; null for accounts that the operator made, to which nobody signs in.
  add column password_hash text,
  -- More than one sign-up came before the address was verified, so nobody knows whose password is the owner's.
  add column contested boolean not null default false,
  add column spend_cap_cents integer not null default 5000 check (spend_cap_cents between 0 and 10000000),
  add column stripe_customer_id text unique;

-- Of a sign-in cookie only its SHA-256 is kept, and so of the token in a verification mail.
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
  -- Of the sign-up that the mail answers: who confirms a mail gets the password that was chosen with it, not one that a
  -- stranger chose with the same address.
  password_hash text not null,
  name text,
  expires_at timestamptz not null
);
create index email_verification_account on email_verification (account_id);

-- `*` and group globs as the customer wrote them; which feeds they mean is resolved whenever they are read, within the
-- plan and the catalogue of that moment.
alter table webhook add column feed_patterns jsonb not null default '[]';
-- Null for a feed that a pattern means and that has settings of its own.
alter table subscription alter column place drop not null;

-- How long acknowledged deliveries took, as counts by bucket (engine/delivery/usage/latency-sketch.ts).
create table usage_latency (
  account_id text not null,
  month date not null,
  feed_id text not null,
  counts integer[] not null,
  primary key (account_id, month, feed_id)
) with (fillfactor = 50);

-- A count that is full stays full, rather than make the batch that adds to it fail.
create function added_counts(integer[], integer[]) returns integer[]
language sql immutable parallel safe
as 'select array_agg(least(coalesce(a, 0)::bigint + coalesce(b, 0), 2147483647)::integer order by place)
  from unnest($1, $2) with ordinality as pair (a, b, place)';

-- Mails that told an account how far its month's deliveries had come; each is sent once.
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

-- Billing events that were acted on, so that one that is sent again changes nothing.
create table stripe_event (
  event_id text primary key,
  received_at timestamptz not null
);

-- What a process remembers of an account is forgotten when another one (an operator's command, a second service)
-- changes it. The service listens on this channel; a message is a kind and the account's id.
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
