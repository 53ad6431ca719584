// What there is to say of a delivery that was begun and is settled, for whoever watches every single one of them.

import type { RunMode } from '#engine/delivery/run-order.ts';
import type { SkipReason } from '#engine/delivery/skip-reason.ts';
import type { FeedId } from '#schemas/webhook/feeds.ts';

export interface FinishedDelivery {
  readonly runId: string;
  readonly mode: RunMode;
  readonly sessionId: string;
  readonly webhookId: string;
  /** Scheme, host and port; path and query may hold what only the receiver should know. */
  readonly origin: string;
  readonly feed: FeedId;
  readonly sequence: number;
  readonly deliveryId: string;
  readonly attempts: number;
  readonly outcome: 'delivered' | 'failed' | 'skipped';
  /** Why it was skipped; null when it was not. */
  readonly reason: SkipReason | null;
  /** Of the attempt that ended it; all three are null when none did, and the status when no answer came. */
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly latencyMs: number | null;
  /** From when it was due to its end. */
  readonly lagMs: number;
}

export type FinishedListener = (finished: FinishedDelivery) => void;
