// Where the attempts of an endpoint are read.

import type { DeliveryMode } from '#engine/record/record-store.ts';

export interface LoggedAttempt {
  readonly logNo: bigint;
  readonly mode: DeliveryMode;
  /** The feed's number in the catalogue. */
  readonly feed: number;
  readonly sequence: number;
  readonly attempt: number;
  readonly statusCode: number | null;
  readonly latencyMs: number;
  readonly error: string | null;
  readonly responseBody: string | null;
  readonly createdAt: Date;
}

export interface DeliveryLogStore {
  /** Newest first; only attempts numbered below `before` when that is given. */
  page(webhookNo: number, before: bigint | null, limit: number): Promise<LoggedAttempt[]>;
}
