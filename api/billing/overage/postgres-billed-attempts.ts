// Which attempts are billed: those of a month beyond the included ones that were made while the account was on a plan
// that bills them. An update that a stream has sent counts as an attempt. The number of an attempt in its month and the
// changes of plan decide; those of the demo session have no number.

import { OVERAGE_CENTS_PER_1000, PLANS, TERMS } from '#api/plans/plan.ts';
import { OVERAGE_MONTH_OPEN_DAYS } from '#engine/base/limits.ts';
import { monthOf } from '#engine/delivery/usage/month.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';

const BILLED = PLANS.filter((plan) => TERMS[plan].past === 'billed');
const INCLUDED = Math.min(...BILLED.map((plan) => TERMS[plan].deliveriesPerMonth));

/**
 * A query of accounts' months with more attempts than are included: account_id, month, plan, customer_id, billable
 * (attempts), covered (attempts that the spend cap of now pays for). `which` restricts the rows of usage.
 */
export function billedAttempts(sql: Sql, which: ReturnType<typeof openMonths>) {
  return sql`
    select u.account_id, u.month, a.plan, a.stripe_customer_id as customer_id,
      a.spend_cap_cents::bigint * 1000 / ${OVERAGE_CENTS_PER_1000}::bigint as covered, spans.billable
    from (
      select account_id, month, sum(attempts - demo_attempts + streamed - demo_streamed)::bigint as attempts
      from usage where ${which}
      group by account_id, month having sum(attempts - demo_attempts + streamed - demo_streamed) > ${INCLUDED}::bigint
    ) u
    join account a using (account_id)
    cross join lateral (
      select coalesce(sum(greatest(0, until - greatest(since, ${INCLUDED}::bigint))), 0)::bigint as billable
      from (
        select plan, attempts as until, lag(attempts, 1, 0::bigint) over (order by changed_at) as since
        from (
          select plan, attempts, changed_at from plan_change c
          where c.account_id = u.account_id and c.month = u.month
          union all
          select a.plan, u.attempts, 'infinity'
        ) change
      ) span
      where plan = any(${billedPlans()}::text[])
    ) spans`;
}

/** Whether accounts of this plan are billed for attempts beyond the included ones. */
export function billedPlans(): string[] {
  return [...BILLED];
}

const DAY_MS = 86_400_000;

/** The first day of the first month that is not closed. */
export function firstOpenDay(now: Date): string {
  return monthOf(now.getTime() - OVERAGE_MONTH_OPEN_DAYS * DAY_MS).firstDay;
}

/** Months that have begun and are not closed. */
export function openMonths(sql: Sql, now: Date) {
  return sql`month between ${firstOpenDay(now)}::date and ${monthOf(now.getTime()).firstDay}::date`;
}

/** The same, of accounts that have a customer at the payment provider: few of those who deliver. */
export function openMonthsOfCustomers(sql: Sql, now: Date) {
  return sql`
    ${openMonths(sql, now)}
    and account_id in (select account_id from account where stripe_customer_id is not null)`;
}
