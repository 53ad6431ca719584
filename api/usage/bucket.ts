// An account's monthly bucket of attempts: how many the plan includes, how many are allowed in total, and what overage
// costs.

import { deliveriesAllowed, OVERAGE_CENTS_PER_1000, type Plan, TERMS } from '#api/plans/plan.ts';

/** What determines the size of a bucket. */
export interface BucketTerms {
  readonly plan: Plan;
  readonly spendCapCents: number;
}

export interface BucketSize {
  /** Infinity: no limit. */
  readonly included: number;
  /** The included ones and, if overage is billed, those covered by the spend cap. */
  readonly allowed: number;
}

export function bucketSize({ plan, spendCapCents }: BucketTerms): BucketSize {
  return { included: TERMS[plan].deliveriesPerMonth, allowed: deliveriesAllowed(plan, spendCapCents) };
}

/** Attempts billed on top of the plan. */
export function overageOf({ plan }: BucketTerms, attempts: number): number {
  const { past, deliveriesPerMonth } = TERMS[plan];
  return past === 'billed' ? Math.max(0, attempts - deliveriesPerMonth) : 0;
}

/** Cost in US dollars, rounded to the tenth of a cent. */
export function overageDollars(overage: number): number {
  return Math.round((overage * OVERAGE_CENTS_PER_1000) / 100) / 1_000;
}
