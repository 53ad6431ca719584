// What a batch of attempts adds to the usage of accounts.

import type { FeedId } from '#schemas/webhook/feeds.ts';

/** What a batch adds to the usage of one account, day and feed. */
export interface UsageDelta {
  readonly accountId: string;
  /** The first day of the month (UTC), such as `2026-11-01`. */
  readonly month: string;
  /** Of the month, from 1; DAY_UNKNOWN in files of versions that counted months only. */
  readonly day: number;
  readonly feedId: FeedId;
  attempts: number;
  /** Those of the attempts that were of the demo session. Absent stands for none. */
  demo?: number;
  /** Updates that streams have sent. Absent stands for none. */
  streamed?: number;
  /** Those of them that were of the demo session. Absent stands for none. */
  demoStreamed?: number;
  succeeded: number;
  failed: number;
  skipped: number;
}

/** How long the deliveries of a batch took, for one account, month and feed. */
export interface LatencyDelta {
  readonly accountId: string;
  readonly month: string;
  readonly feedId: FeedId;
  /** Counts by bucket (latency-sketch.ts), without the empty ones at the end. */
  readonly counts: Uint32Array;
}
