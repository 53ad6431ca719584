// What a batch of attempts adds to the usage of accounts.

import type { FeedId } from '#schemas/webhook/feeds.ts';

/** What one account's month and feed gained with a batch. */
export interface UsageDelta {
  readonly accountId: string;
  /** The UTC month's first day, `2026-11-01`. */
  readonly month: string;
  readonly feedId: FeedId;
  attempts: number;
  succeeded: number;
  failed: number;
  skipped: number;
}

/** How long what was delivered with a batch took, by one account's month and feed. */
export interface LatencyDelta {
  readonly accountId: string;
  readonly month: string;
  readonly feedId: FeedId;
  /** By bucket (latency-sketch.ts), without empty ones at the end. */
  readonly counts: Uint32Array;
}
