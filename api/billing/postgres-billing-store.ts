// Payments in PostgreSQL.

import type { Plan } from '#api/plans/plan.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import type { BillingAccount, BillingStore, ReplacedSubscription } from './billing-store.ts';

export function postgresBillingStore(sql: Sql): BillingStore {
  return {
    async find(accountId) {
      const [row] = await sql<BillingAccount[]>`
        select email, plan, stripe_customer_id as "customerId", stripe_checkout_id as "checkoutId"
        from account where account_id = ${accountId}`;
      return row ?? null;
    },

    async opened(accountId, checkoutId) {
      await sql`update account set stripe_checkout_id = ${checkoutId} where account_id = ${accountId}`;
    },

    async take({ eventId, occurredAt, accountId, customerId, subscriptionId, begunAt, active, ended }, now) {
      return sql.begin(async (transaction) => {
        // Events of one account run one after the other, and each sees the changes of the one before.
        const [account] = await transaction<{ plan: Plan }[]>`
          select plan from account where account_id = ${accountId} for update`;
        if (account === undefined) return false;
        const giving = transaction`account_id = ${accountId} and active and replaced_at is null`;
        const [before] = await transaction<{ gave: boolean }[]>`
          select exists (select from stripe_subscription where ${giving}) as gave`;
        const told = await transaction`
          with fresh as (
            insert into stripe_event (event_id, received_at) values (${eventId}, ${now})
            on conflict do nothing
            returning event_id
          )
          insert into stripe_subscription as known
            (subscription_id, account_id, active, ended, told_at, customer_id, begun_at)
          select ${subscriptionId}, ${accountId}, ${active}, ${ended}, ${occurredAt}, ${customerId}, ${begunAt} from fresh
          on conflict (subscription_id) do update set
            active = excluded.active, ended = excluded.ended, told_at = excluded.told_at,
            customer_id = excluded.customer_id, begun_at = least(known.begun_at, excluded.begun_at)
            where known.account_id = excluded.account_id
              and (excluded.ended or (not known.ended and known.told_at <= excluded.told_at))`;
        if (told.count === 0) return false;
        // Those that no event has told since migration 0030 count as the oldest.
        const [present] = await transaction<ReplacedSubscription[]>`
          select subscription_id as "subscriptionId", customer_id as "customerId" from stripe_subscription
          where ${giving}
          order by begun_at desc nulls last, subscription_id = ${subscriptionId} desc limit 1`;
        // For good: were it decided anew with each event, a late one could have both cancelled.
        if (present !== undefined)
          await transaction`
            update stripe_subscription set replaced_at = ${now}
            where ${giving} and subscription_id <> ${present.subscriptionId}`;
        // What no subscription gave, an operator did.
        const without = before!.gave ? 'free' : account.plan;
        const plan = account.plan === 'custom' ? 'custom' : present === undefined ? without : 'developer';
        // A subscription that is not the present one says nothing about the customer.
        await transaction`
          update account set plan = ${plan},
            stripe_customer_id = coalesce(${present?.customerId ?? null}, stripe_customer_id, ${customerId})
          where account_id = ${accountId}`;
        if (plan !== account.plan) await transaction`delete from bucket_warning where account_id = ${accountId}`;
        return true;
      });
    },

    async replaced(accountId) {
      return sql<ReplacedSubscription[]>`
        select subscription_id as "subscriptionId", customer_id as "customerId" from stripe_subscription
        where account_id = ${accountId} and replaced_at is not null and not ended order by subscription_id`;
    },

    async end(subscriptionId) {
      await sql`update stripe_subscription set active = false, ended = true where subscription_id = ${subscriptionId}`;
    },
  };
}
