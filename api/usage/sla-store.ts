// What is recorded of the promise to begin deliveries in time: what became of updates that were due, and when nothing
// of a session arrived.

import type { DueOutcome } from '#engine/delivery/usage/due-outcome.ts';
import type { Month } from '#engine/delivery/usage/month.ts';

export interface MonthOfPromise {
  /** Live sessions of which any update was due. */
  readonly sessions: number;
  /** How many updates had each outcome; absent stands for none. */
  readonly updates: Readonly<Partial<Record<DueOutcome, number>>>;
  /** For how long nothing of those sessions arrived: their source was silent, or the service was down. */
  readonly sourceGapMs: number;
  readonly serviceGapMs: number;
}

export interface SlaStore {
  month(accountId: string, month: Month): Promise<MonthOfPromise>;
}
