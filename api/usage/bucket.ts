// An account's monthly bucket of deliveries: how many its plan includes, how many it may have in all, and what those past
// the included ones cost.

import { deliveriesAllowed, OVERAGE_CENTS_PER_1000, type Plan, TERMS } from '#api/plans/plan.ts';

/** What the size of a bucket follows from. */
export interface BucketTerms {
  readonly plan: Plan;
  readonly spendCapCents: number;
}

export interface BucketSize {
  /** Infinity: there is no bucket. */
  readonly included: number;
  /** The included ones and, where overage is billed, what the spend cap pays for. */
  readonly allowed: number;
}

export function bucketSize({ plan, spendCapCents }: BucketTerms): BucketSize {
  return { included: TERMS[plan].deliveriesPerMonth, allowed: deliveriesAllowed(plan, spendCapCents) };
}

/** Attempts that are billed on top of the plan. */
export function overageOf({ plan }: BucketTerms, attempts: number): number {
  const { past, deliveriesPerMonth } = TERMS[plan];
  return past === 'billed' ? Math.max(0, attempts - deliveriesPerMonth) : 0;
}

/** In US dollars, to the tenth of a cent: one attempt costs that much. */
export function overageDollars(overage: number): number {
  return Math.round((overage * OVERAGE_CENTS_PER_1000) / 100) / 1_000;
}
