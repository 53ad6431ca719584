// The report on one settled delivery, for listeners that log every single one.

import type { AttemptResult } from '#engine/delivery/attempt-result.ts';
import type { RunMode } from '#engine/delivery/run-order.ts';
import type { SkipReason } from '#engine/delivery/skip-reason.ts';
import type { FeedId } from '#schemas/webhook/feeds.ts';

export interface FinishedDelivery {
  readonly runId: string;
  readonly mode: RunMode;
  readonly sessionId: string;
  readonly webhookId: string;
  /** Scheme, host and port only: path and query may hold secrets of the receiver. */
  readonly origin: string;
  readonly feed: FeedId;
  readonly sequence: number;
  readonly deliveryId: string;
  readonly attempts: number;
  readonly outcome:
    | { readonly kind: 'delivered' | 'failed' }
    | { readonly kind: 'skipped'; readonly reason: SkipReason };
  /** The attempt that ended it; null if none did. */
  readonly lastAttempt: { readonly result: AttemptResult; readonly latencyMs: number } | null;
  /** From when it was due to when it was settled. */
  readonly lagMs: number;
}

export type FinishedListener = (finished: FinishedDelivery) => void;
