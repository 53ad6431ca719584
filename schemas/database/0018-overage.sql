-- Attempts beyond the included ones, as they are reported to the payment provider.

-- How many attempts of a month an account had made when its plan changed, and the plan that it had until then. Only those made on a
-- plan that bills them are billed. Attempts of the demo session are left out: they take nothing from what the plan includes.
create table plan_change (
  account_id text not null references account on delete cascade,
  month date not null,
  changed_at timestamptz not null,
  plan text not null,
  attempts bigint not null,
  primary key (account_id, month, changed_at)
);
create index plan_change_month on plan_change (month);

create function note_plan_change() returns trigger language plpgsql as $$
begin
  insert into plan_change (account_id, month, changed_at, plan, attempts)
  select new.account_id, month, clock_timestamp(), old.plan, sum(attempts - demo_attempts)
  from usage where account_id = new.account_id and month > now() - interval '70 days'
  group by month;
  return null;
end
$$;
create trigger plan_changed after update of plan on account
  for each row when (old.plan is distinct from new.plan) execute function note_plan_change();

-- What is reported: each block is one event at the provider. It keeps its customer, so it outlives the account.
create table overage_block (
  account_id text not null,
  month date not null,
  block integer not null,
  customer_id text not null,
  value bigint not null check (value > 0),
  -- due: the provider has not said that it has it; sent: it has said so; confirmed: its sum of the month holds it; lapsed: it takes
  -- nothing of that month any more.
  state text not null default 'due' check (state in ('due', 'sent', 'confirmed', 'lapsed')),
  made_at timestamptz not null,
  -- The first request that may have counted it; null: there was none.
  begun_at timestamptz,
  tried_at timestamptz,
  -- The time that the provider is told.
  occurred_at timestamptz,
  sent_at timestamptz,
  -- Why the provider refused it the last time.
  refusal text,
  primary key (account_id, month, block)
);
create index overage_block_month on overage_block (month);
create index overage_block_due on overage_block (made_at) where state = 'due';

-- The latest comparison of a month: what is billed by our usage, what we have reported, what the provider has counted.
create table overage_check (
  account_id text not null,
  month date not null,
  used bigint,
  reported bigint not null,
  counted bigint,
  difference text check (difference in ('provider_more', 'provider_less', 'usage_more', 'usage_less', 'not_comparable')),
  checked_at timestamptz not null,
  primary key (account_id, month)
);
create index overage_check_month on overage_check (month);
create index overage_check_difference on overage_check (checked_at) where difference is not null;
