// The store of usage counts.

import type { BucketTerms } from './bucket.ts';

export interface UsageTotals extends BucketTerms {
  readonly attempts: number;
  /** Those of the attempts that were of the demo session. Absent stands for none. */
  readonly demoAttempts?: number;
  /** Updates that streams have sent. Absent stands for none. */
  readonly streamed?: number;
  /** Those of them that were of the demo session. Absent stands for none. */
  readonly demoStreamed?: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface MonthAttempts {
  readonly month: string;
  /** With the updates that streams have sent. */
  readonly attempts: number;
  readonly demoAttempts?: number;
}

/** What was sent of a feed on a day. */
export interface FeedDay {
  readonly feedId: string;
  /** Of the month, from 1; DAY_UNKNOWN for what was counted by month only. */
  readonly day: number;
  readonly attempts: number;
  readonly streamed: number;
}

export interface UsageStore {
  /** Totals and plan of the account; null if there is no such account. `month` is its first day, `2026-11-01`. */
  totals(accountId: string, month: string): Promise<UsageTotals | null>;
  /** The attempts of every month that has any usage. `month` as above. */
  attemptsByMonth(accountId: string): Promise<MonthAttempts[]>;
  /** What was sent in the month, by feed and day: in the order of feeds, then of days. */
  attemptsByFeed(accountId: string, month: string): Promise<FeedDay[]>;
  /** Counts of a latency sketch (engine/delivery/usage/latency-sketch.ts) for feeds that delivered anything in the month, by id. */
  latencyByFeed(accountId: string, month: string): Promise<{ readonly feedId: string; readonly counts: number[] }[]>;
}
