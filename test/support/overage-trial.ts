// A database, a payment provider and a clock for trials of overage. Real PostgreSQL; the provider is a server that
// behaves as Stripe documents it. The clock stands still unless the test moves it.

import { beforeEach } from 'node:test';
import { OverageReporter } from '#api/billing/overage/overage-reporter.ts';
import type { OverageStore } from '#api/billing/overage/overage-store.ts';
import { postgresOverageStore } from '#api/billing/overage/postgres-overage-store.ts';
import { StripeUsageMeter } from '#api/billing/overage/stripe-usage-meter.ts';
import type { UsageMeter } from '#api/billing/overage/usage-meter.ts';
import { DEVELOPER_DELIVERIES_PER_MONTH, type Plan } from '#api/plans/plan.ts';
import { systemClock } from '#engine/base/clock.ts';
import type { Log } from '#engine/base/log.ts';
import { withDatabase } from './database.ts';
import { OVERAGE_PRICE_ID, withStripeMeter } from './stripe-meter-server.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const INCLUDED = DEVELOPER_DELIVERIES_PER_MONTH;
// The trigger that notes changes of plan goes by the database's clock, so trials play in its current month.
const today = new Date();
export const MONTH_MS = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), 1);
export const NEXT_MONTH_MS = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1, 1);
export const MONTH = new Date(MONTH_MS).toISOString().slice(0, 10);
export const SECRET = 'sk_test_of_overage';

export interface Account {
  readonly accountId: string;
  readonly customerId: string;
}

interface Line {
  readonly level: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly message: string;
}

export async function overageTrial(scope: { after(end: () => unknown): void }) {
  const time = { nowMs: MONTH_MS };
  const clock = { ...systemClock, wallMs: () => time.nowMs, nowMs: () => time.nowMs, sleep: async () => {} };
  const lines: Line[] = [];
  const line = (level: string) => (details: object, message: string) => {
    lines.push({ level, details: details as Line['details'], message });
    if (JSON.stringify({ details, message }).includes(SECRET)) throw new Error('a line of the log holds the API key');
  };
  const log: Log = { info: line('info'), warn: line('warn'), error: line('error') };
  const { sql } = await withDatabase(scope);
  const stripe = await withStripeMeter(scope, () => time.nowMs);
  const store = postgresOverageStore(sql);
  const newMeter = () =>
    new StripeUsageMeter({ secretKey: SECRET, overagePriceId: OVERAGE_PRICE_ID }, { api: stripe.api });
  let accounts = 0;

  const forget = async () => {
    for (const table of ['overage_block', 'overage_check', 'usage', 'account']) await sql`delete from ${sql(table)}`;
  };
  beforeEach(async () => {
    await forget();
    time.nowMs = MONTH_MS + 5 * DAY_MS;
    for (const list of [lines, stripe.events, stripe.requests, stripe.faults, stripe.paths]) list.length = 0;
    stripe.customers.clear();
    Object.assign(stripe, { fault: null, lagMs: 0 });
  });

  return {
    time,
    sql,
    stripe,
    store,
    lines,
    newMeter,
    forget,
    errors: () => lines.filter(({ level }) => level === 'error'),

    /** A process that has just started. */
    newReporter: (parts: { store?: OverageStore; meter?: UsageMeter } = {}) =>
      new OverageReporter({ store, meter: newMeter(), clock, log, ...parts }),

    /** How many events were sent since the test began. */
    sent: () => stripe.paths.filter((path) => path === 'POST /v1/billing/meter_events').length,

    async account(plan: Plan = 'developer', spendCapCents = 5_000): Promise<Account> {
      const accountId = `acc_${++accounts}`;
      const customerId = `cus_${accounts}`;
      await sql`
        insert into account (
          account_id, email, plan, client_id, client_secret_sealed, verified_at, spend_cap_cents, stripe_customer_id
        )
        values (${accountId}, ${accountId}, ${plan}, ${accountId}, '', now(), ${spendCapCents}, ${customerId})`;
      stripe.customers.add(customerId);
      return { accountId, customerId };
    },

    /** Sets the attempts of the month, `demo` of them of the demo session. */
    async used({ accountId }: Account, attempts: number, demo = 0): Promise<void> {
      await sql`
        insert into usage (account_id, month, feed_id, attempts, demo_attempts)
        values (${accountId}, ${MONTH}, 'timing.data', ${BigInt(attempts)}, ${BigInt(demo)})
        on conflict (account_id, month, feed_id, day) do update
          set attempts = excluded.attempts, demo_attempts = excluded.demo_attempts`;
    },

    async planned({ accountId }: Account, plan: Plan): Promise<void> {
      await sql`update account set plan = ${plan} where account_id = ${accountId}`;
    },

    async blocks({ accountId }: Account): Promise<{ value: number; state: string }[]> {
      const rows = await sql<{ value: number; state: string }[]>`
        select value::int, state from overage_block where account_id = ${accountId} order by month, block`;
      return [...rows];
    },

    async difference({ accountId }: Account): Promise<string | null> {
      const [row] = await sql<{ difference: string | null }[]>`
        select difference from overage_check where account_id = ${accountId} order by month desc`;
      return row!.difference;
    },
  };
}
