// Accounts' plans in PostgreSQL. A trigger notifies all services on the database of a change.

import type { Sql } from '#engine/storage/postgres-client.ts';
import type { AccountPlan, PlanStore } from './plan-store.ts';

export function postgresPlanStore(sql: Sql): PlanStore {
  return {
    async change(email, plan, spendCapCents) {
      const [row] = await sql<AccountPlan[]>`
        update account set plan = ${plan}, spend_cap_cents = coalesce(${spendCapCents}::integer, spend_cap_cents)
        where lower(email) = lower(${email})
        returning account_id as "accountId", email, plan, spend_cap_cents as "spendCapCents"`;
      return row ?? null;
    },
  };
}
