-- Updates that streams have sent. They count against the month like attempts do, and stand in no delivery log.
alter table usage
  add column streamed bigint not null default 0,
  add column demo_streamed bigint not null default 0;

-- As in 0018, with what streams have sent.
create or replace function note_plan_change() returns trigger language plpgsql as $$
begin
  insert into plan_change (account_id, month, changed_at, plan, attempts)
  select new.account_id, month, clock_timestamp(), old.plan, sum(attempts - demo_attempts + streamed - demo_streamed)
  from usage where account_id = new.account_id and month > now() - interval '70 days'
  group by month;
  return null;
end
$$;
