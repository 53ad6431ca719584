// Accounts' plans in PostgreSQL. A trigger notifies all services on the database of a change.

import type { Sql } from '#engine/storage/postgres-client.ts';
import type { AccountPlan, PlanStore } from './plan-store.ts';

export function postgresPlanStore(sql: Sql): PlanStore {
  return {
    async change(email, plan, spendCapCents) {
      const [row] = await sql<AccountPlan[]>`
        with old as (
          select account_id, plan, spend_cap_cents from account where lower(email) = lower(${email}) for no key update
        ), changed as (
          update account set plan = ${plan}, spend_cap_cents = coalesce(${spendCapCents}::integer, account.spend_cap_cents)
          from old where account.account_id = old.account_id
          returning account.account_id, account.email, account.plan, account.spend_cap_cents,
            account.plan <> old.plan as other_plan, account.spend_cap_cents <> old.spend_cap_cents as other_cap
        ), given_back as (
          delete from bucket_warning using changed
          where bucket_warning.account_id = changed.account_id and (other_plan or (other_cap and level = 'spend_cap'))
        )
        select account_id as "accountId", email, plan, spend_cap_cents as "spendCapCents" from changed`;
      return row ?? null;
    },
  };
}
