// Checks overage: whether what was used, what was reported and what the payment provider has counted agree.

import type { OverageDifference } from '#api/billing/overage/overage-store.ts';
import { billedAttempts, openMonths } from '#api/billing/overage/postgres-billed-attempts.ts';
import { OVERAGE_DIFFERENCE_SHOWN_MS, OVERAGE_SETTLE_MS } from '#engine/base/limits.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import type { Config } from '#workers/config.ts';
import { type Found, ok, problem, warning } from './finding.ts';

/** Findings about single accounts. More of them are counted. */
const SHOWN = 10;

interface Difference {
  readonly accountId: string;
  readonly month: string;
  readonly used: number | null;
  readonly reported: number;
  readonly counted: number | null;
  readonly difference: OverageDifference;
}

const NEXT: Readonly<Record<OverageDifference, string>> = {
  provider_more:
    'Compare its meter events with the log. After a restore this is expected: credit or wait for the month to end.',
  provider_less: 'Look for errors of the meter in its dashboard, and bill the rest by hand.',
  usage_more: 'Bill the rest by hand.',
  usage_less: 'Credit the difference.',
  not_comparable: 'See whether the customer still exists there, and whether the API key may read meters.',
};

export async function checkOverage(
  sql: Sql,
  { stripe }: Pick<Config, 'stripe'>,
  nowMs: number,
): Promise<readonly Found[]> {
  if (stripe?.overagePriceId === undefined) return [ok('STRIPE_OVERAGE_PRICE_ID is not set: overage is not billed')];
  const [table] = await sql<{ present: boolean }[]>`select to_regclass('overage_check') is not null as present`;
  if (!table!.present) return [ok('nothing was billed yet')];
  const found = [
    ...(await differences(sql, nowMs)),
    ...(await late(sql, nowMs)),
    ...(await withoutCustomer(sql, nowMs)),
  ];
  return found.length > 0 ? found : [ok('what was used, what was reported and what Stripe has counted agree')];
}

async function differences(sql: Sql, nowMs: number): Promise<Found[]> {
  const rows = await sql<Difference[]>`
    select account_id as "accountId", month::text as month, used::float8 as used, reported::float8 as reported,
      counted::float8 as counted, difference
    from overage_check
    where difference is not null and checked_at > ${new Date(nowMs - OVERAGE_DIFFERENCE_SHOWN_MS)}
    order by month, account_id`;
  const found = rows
    .slice(0, SHOWN)
    .map(({ accountId, month, used, reported, counted, difference }) =>
      problem(
        `${accountId}, ${month.slice(0, 7)}: billed by usage ${used ?? 'unknown'}, reported ${reported}, counted by Stripe ${counted ?? 'unknown'}`,
        NEXT[difference],
      ),
    );
  if (rows.length > SHOWN) found.push(problem(`${rows.length - SHOWN} more accounts differ`, 'See the log.'));
  return found;
}

async function late(sql: Sql, nowMs: number): Promise<Found[]> {
  const [row] = await sql<{ due: number; refusal: string | null }[]>`
    select coalesce(sum(value), 0)::float8 as due, max(refusal) as refusal
    from overage_block where state = 'due' and made_at < ${new Date(nowMs - OVERAGE_SETTLE_MS)}`;
  const { due, refusal } = row!;
  if (due === 0) return [];
  const because = refusal === null ? '' : ` (${refusal})`;
  return [warning(`${due} attempts wait for Stripe since more than 12 hours${because}`, 'See the log for the reason.')];
}

async function withoutCustomer(sql: Sql, nowMs: number): Promise<Found[]> {
  const [row] = await sql<{ accounts: number }[]>`
    select count(distinct account_id)::int as accounts from (${billedAttempts(sql, openMonths(sql, new Date(nowMs)))}) b
    where customer_id is null and least(billable, covered) > 0`;
  const { accounts } = row!;
  if (accounts === 0) return [];
  return [
    warning(
      `${accounts} accounts have overage and no customer at Stripe: it is not billed`,
      'They were put on Developer by hand. Bill them by hand, or let them subscribe.',
    ),
  ];
}
