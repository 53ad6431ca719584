// What each plan includes, in one table: the rows of interface.md's Limits and, for Custom, what its contract leaves open.

import { assert } from '#engine/base/assert.ts';
import { ALLOWANCE_COUNTED_MAX } from '#engine/base/limits.ts';
import type { Availability } from '#schemas/webhook/feeds.ts';

export type Plan = 'free' | 'developer' | 'custom';

export const PLANS: readonly Plan[] = ['free', 'developer', 'custom'];

export const FREE_DELIVERIES_PER_MONTH = 5_000;
export const DEVELOPER_DELIVERIES_PER_MONTH = 50_000;
/** What the contract of Custom leaves open. */
export const CUSTOM_ENDPOINTS_MAX = 10_000;
const CUSTOM_REQUESTS_PER_HOUR = 36_000;

export interface PlanTerms {
  /** The access classes of feeds that it opens. */
  readonly opens: ReadonlySet<Availability>;
  readonly endpoints: number;
  /** Feeds that one endpoint may subscribe to; Infinity: all. */
  readonly feedsPerEndpoint: number;
  /** Delivery attempts that a month includes; Infinity: no bucket. */
  readonly deliveriesPerMonth: number;
  /** What happens past them: nothing is delivered, or it is billed up to the account's spend cap. */
  readonly past: 'skipped' | 'billed';
  readonly requestsPerHour: number;
  /** Sessions that it may unlock for replays, ever; Infinity: all. */
  readonly simulateSlots: number;
  readonly currentSeasonOnly: boolean;
  /** How much of a preview is shown. */
  readonly previews: 'headline' | 'full';
  readonly fantasy: boolean;
}

export const TERMS: Readonly<Record<Plan, PlanTerms>> = {
  free: {
    opens: new Set(['free']),
    endpoints: 3,
    feedsPerEndpoint: 6,
    deliveriesPerMonth: FREE_DELIVERIES_PER_MONTH,
    past: 'skipped',
    requestsPerHour: 600,
    simulateSlots: 5,
    currentSeasonOnly: true,
    previews: 'headline',
    fantasy: false,
  },
  developer: {
    opens: new Set(['free', 'live']),
    endpoints: 25,
    feedsPerEndpoint: Number.POSITIVE_INFINITY,
    deliveriesPerMonth: DEVELOPER_DELIVERIES_PER_MONTH,
    past: 'billed',
    requestsPerHour: 1_800,
    simulateSlots: 10,
    currentSeasonOnly: true,
    previews: 'full',
    fantasy: true,
  },
  custom: {
    opens: new Set(['free', 'live', 'analytics']),
    endpoints: CUSTOM_ENDPOINTS_MAX,
    feedsPerEndpoint: Number.POSITIVE_INFINITY,
    deliveriesPerMonth: Number.POSITIVE_INFINITY,
    past: 'skipped',
    requestsPerHour: CUSTOM_REQUESTS_PER_HOUR,
    simulateSlots: Number.POSITIVE_INFINITY,
    currentSeasonOnly: false,
    previews: 'full',
    fantasy: true,
  },
};

/** What 1,000 deliveries past the included ones cost, in US cents. */
export const OVERAGE_CENTS_PER_1000 = 300;
/** The highest spend cap that an account can have. */
export const SPEND_CAP_USD_MAX = 100_000;

/** Delivery attempts that a month may have in all: the included ones and, where overage is billed, what the cap pays for. */
export function deliveriesAllowed(plan: Plan, spendCapCents: number): number {
  const { deliveriesPerMonth, past } = TERMS[plan];
  if (past === 'skipped') return deliveriesPerMonth;
  return deliveriesPerMonth + Math.floor((spendCapCents * 1_000) / OVERAGE_CENTS_PER_1000);
}

for (const plan of PLANS) {
  const most = deliveriesAllowed(plan, 100 * SPEND_CAP_USD_MAX);
  assert(
    most < ALLOWANCE_COUNTED_MAX || most === Number.POSITIVE_INFINITY,
    'attempts can be counted up to every limit',
  );
}
