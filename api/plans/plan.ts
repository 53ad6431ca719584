// What each plan includes, in one table. For limits that a Custom contract leaves open, it has our own.

import { assert } from '#engine/base/assert.ts';
import { ALLOWANCE_COUNTED_MAX, DEMO_DELIVERIES_DEVELOPER_MAX, DEMO_DELIVERIES_FREE_MAX } from '#engine/base/limits.ts';
import type { Availability } from '#schemas/webhook/feeds.ts';

export type Plan = 'free' | 'developer' | 'custom';

export const PLANS: readonly Plan[] = ['free', 'developer', 'custom'];

/** As people read them. */
export const PLAN_NAMES: Readonly<Record<Plan, string>> = { free: 'Free', developer: 'Developer', custom: 'Custom' };

export const FREE_DELIVERIES_PER_MONTH = 5_000;
export const DEVELOPER_DELIVERIES_PER_MONTH = 50_000;
/** Custom contracts set no limit for these, so these bounds are ours. */
export const CUSTOM_ENDPOINTS_MAX = 10_000;
const CUSTOM_REQUESTS_PER_HOUR = 36_000;
const CUSTOM_STREAMS_MAX = 2_000;

export interface PlanTerms {
  /** The availability classes of the feeds that it includes. */
  readonly opens: ReadonlySet<Availability>;
  readonly endpoints: number;
  /** Feeds that one endpoint may subscribe to. Infinity: no limit. */
  readonly feedsPerEndpoint: number;
  /** Attempts included per month. Infinity: no limit. */
  readonly deliveriesPerMonth: number;
  /**
   * Attempts of the demo session per month. They take nothing from the others, and beyond them updates of the demo
   * session are skipped. Infinity: no limit.
   */
  readonly demoDeliveriesPerMonth: number;
  /**
   * What happens beyond the attempts of the month: updates are skipped, or attempts are billed up to the account's spend
   * cap.
   */
  readonly past: 'skipped' | 'billed';
  /** Streams of updates that an account may have open at once. */
  readonly streams: number;
  /** Whether they may be gRPC streams. */
  readonly grpc: boolean;
  readonly requestsPerHour: number;
  /** Sessions that an account may ever unlock for replays. Infinity: no limit. */
  readonly simulateSlots: number;
  readonly currentSeasonOnly: boolean;
  /** How much of a preview the account sees. */
  readonly previews: 'headline' | 'full';
  readonly fantasy: boolean;
  /** Whether PUNCTUAL_PERCENT is promised. */
  readonly punctual: boolean;
}

export const TERMS: Readonly<Record<Plan, PlanTerms>> = {
  free: {
    opens: new Set(['free']),
    endpoints: 3,
    feedsPerEndpoint: 6,
    deliveriesPerMonth: FREE_DELIVERIES_PER_MONTH,
    demoDeliveriesPerMonth: DEMO_DELIVERIES_FREE_MAX,
    past: 'skipped',
    streams: 1,
    grpc: false,
    requestsPerHour: 600,
    simulateSlots: 5,
    currentSeasonOnly: true,
    previews: 'headline',
    fantasy: false,
    punctual: false,
  },
  developer: {
    opens: new Set(['free', 'live']),
    endpoints: 25,
    feedsPerEndpoint: Number.POSITIVE_INFINITY,
    deliveriesPerMonth: DEVELOPER_DELIVERIES_PER_MONTH,
    demoDeliveriesPerMonth: DEMO_DELIVERIES_DEVELOPER_MAX,
    past: 'billed',
    streams: 5,
    grpc: false,
    requestsPerHour: 1_800,
    simulateSlots: 10,
    currentSeasonOnly: true,
    previews: 'full',
    fantasy: true,
    punctual: false,
  },
  custom: {
    opens: new Set(['free', 'live', 'analytics']),
    endpoints: CUSTOM_ENDPOINTS_MAX,
    feedsPerEndpoint: Number.POSITIVE_INFINITY,
    deliveriesPerMonth: Number.POSITIVE_INFINITY,
    demoDeliveriesPerMonth: Number.POSITIVE_INFINITY,
    past: 'skipped',
    streams: CUSTOM_STREAMS_MAX,
    grpc: true,
    requestsPerHour: CUSTOM_REQUESTS_PER_HOUR,
    simulateSlots: Number.POSITIVE_INFINITY,
    currentSeasonOnly: false,
    previews: 'full',
    fantasy: true,
    punctual: true,
  },
};

/** How many of the live updates that are due in a month begin in time, at least. */
export const PUNCTUAL_PERCENT = 99.5;

/** Price of 1,000 attempts beyond the included ones, in US cents. */
export const OVERAGE_CENTS_PER_1000 = 300;
/** The highest possible spend cap of an account, in US dollars. */
export const SPEND_CAP_USD_MAX = 100_000;

/** The most attempts in a month: the included ones and, if overage is billed, those covered by the cap. */
export function deliveriesAllowed(plan: Plan, spendCapCents: number): number {
  const { deliveriesPerMonth, past } = TERMS[plan];
  if (past === 'skipped') return deliveriesPerMonth;
  return deliveriesPerMonth + Math.floor((spendCapCents * 1_000) / OVERAGE_CENTS_PER_1000);
}

for (const plan of PLANS) {
  const most = deliveriesAllowed(plan, 100 * SPEND_CAP_USD_MAX);
  assert(
    most < ALLOWANCE_COUNTED_MAX || most === Number.POSITIVE_INFINITY,
    'the counter of attempts can reach every limit',
  );
}

/** The names of the plans with such terms: `Developer or Custom`. */
export function plansWith(included: (terms: PlanTerms) => boolean): string {
  return PLANS.filter((plan) => included(TERMS[plan]))
    .map((plan) => PLAN_NAMES[plan])
    .join(' or ');
}
