// Payments in PostgreSQL.

import type { Sql } from '#engine/storage/postgres-client.ts';
import type { BillingAccount, BillingStore } from './billing-store.ts';

export function postgresBillingStore(sql: Sql): BillingStore {
  return {
    async find(accountId) {
      const [row] = await sql<BillingAccount[]>`
        select email, plan, stripe_customer_id as "customerId" from account where account_id = ${accountId}`;
      return row ?? null;
    },

    async take({ eventId, occurredAt, accountId, customerId, subscriptionId, active, ended }, now) {
      return sql.begin(async (transaction) => {
        // Events of one account run one after the other, and each sees the changes of the one before.
        const [old] = await transaction<{ plan: string }[]>`
          select plan from account where account_id = ${accountId} for update`;
        const [changed] = await transaction<{ plan: string }[]>`
          with fresh as (
            insert into stripe_event (event_id, received_at) values (${eventId}, ${now})
            on conflict do nothing
            returning event_id
          ), told as (
            insert into stripe_subscription as known (subscription_id, account_id, active, ended, told_at)
            select ${subscriptionId}, account_id, ${active}, ${ended}, ${occurredAt}
            from fresh, account where account_id = ${accountId}
            on conflict (subscription_id) do update set
              active = excluded.active, ended = excluded.ended, told_at = excluded.told_at
              where known.account_id = excluded.account_id
                and (excluded.ended or (not known.ended and known.told_at <= excluded.told_at))
            returning account_id, active
          ), state as (
            select account_id, told.active as told_active, told.active or exists (
              select from stripe_subscription other
              where other.account_id = told.account_id and other.subscription_id <> ${subscriptionId} and other.active
            ) as any_active
            from told
          )
          update account set
            -- A subscription that is not active says nothing about the customer of one that is.
            stripe_customer_id = case
              when any_active and not told_active then coalesce(stripe_customer_id, ${customerId}::text)
              else ${customerId}
            end,
            plan = case when plan = 'custom' then plan when any_active then 'developer' else 'free' end
          from state where account.account_id = state.account_id
          returning account.plan`;
        if (changed !== undefined && changed.plan !== old!.plan)
          await transaction`delete from bucket_warning where account_id = ${accountId}`;
        return changed !== undefined;
      });
    },
  };
}
