// Warnings about an account's monthly bucket: when it is nearly used up, when it is used up, and when the spend cap is.
// Each is sent once a month for each size of the bucket: what a plan or a spend cap was told says nothing of the next one.

import { OVERAGE_CENTS_PER_1000, PLAN_NAMES, TERMS } from '#api/plans/plan.ts';
import { grouped, monthName } from '#engine/base/number-text.ts';
import type { Month } from '#engine/delivery/usage/month.ts';
import { type BucketTerms, bucketSize } from './bucket.ts';

export type BucketLevel = 'near' | 'reached' | 'spend_cap';

export interface BucketWarning {
  readonly accountId: string;
  readonly month: Month;
  readonly level: BucketLevel;
  readonly used: number;
  readonly terms: BucketTerms;
}

/** The share of the included deliveries at which the first warning is sent. */
const NEAR = 0.8;

export interface ReachedLevel {
  readonly level: BucketLevel;
  /** How many attempts reach it: the same level of another plan or spend cap is another warning. */
  readonly at: number;
}

/** The levels that this many attempts have reached. */
export function levelsReached(terms: BucketTerms, used: number): ReachedLevel[] {
  const { included, allowed } = bucketSize(terms);
  const levels: ReachedLevel[] = [
    { level: 'near', at: included * NEAR },
    { level: 'reached', at: included },
  ];
  // Without billed overage, 'reached' is the last level.
  if (allowed > included) levels.push({ level: 'spend_cap', at: allowed });
  return levels.filter(({ at }) => used >= at);
}

/** Subject and text of the email, with its final line breaks. */
export function warningMail({ month, level, used, terms }: BucketWarning): { subject: string; text: string } {
  const { included, allowed } = bucketSize(terms);
  const plan = PLAN_NAMES[terms.plan];
  const cap = dollars(terms.spendCapCents);
  const billed = TERMS[terms.plan].past === 'billed' && allowed > included;
  const subjects: Readonly<Record<BucketLevel, string>> = {
    near: `${NEAR * 100} % of this month's deliveries are used`,
    reached: `This month's included deliveries are used`,
    spend_cap: `This month's spend cap is reached`,
  };
  const skipped = `are skipped until the month ends: they are counted, but not sent, and not sent later.`;
  const next =
    level === 'spend_cap'
      ? `Your spend cap of ${cap} pays for ${grouped(allowed - included)} more, and these are used as well. Further deliveries ${skipped}`
      : billed
        ? `Deliveries past ${grouped(included)} cost ${dollars(OVERAGE_CENTS_PER_1000)} per 1,000, up to your spend cap of ${cap}. Past ${grouped(allowed)} they ${skipped}`
        : `Deliveries past ${grouped(included)} ${skipped}`;
  const text = [
    `Your account has used ${grouped(used)} deliveries in ${monthName(month.startsMs)}.`,
    `The ${plan} plan includes ${grouped(included)} a month; every attempt counts.`,
    '',
    next,
    '',
    `The count begins anew on 1 ${monthName(month.endsMs)}, 00:00 UTC.`,
  ];
  return { subject: `Slipstream: ${subjects[level]}`, text: text.join('\n') };
}

function dollars(cents: number): string {
  return `$${grouped(Math.floor(cents / 100))}.${String(cents % 100).padStart(2, '0')}`;
}
