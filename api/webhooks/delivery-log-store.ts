// Reads the attempts of an endpoint.

import type { DeliveryMode } from '#engine/delivery/run-order.ts';

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

/** The endpoint that a log belongs to. */
export interface LogOwner {
  readonly webhookNo: number;
  readonly deletedAt: Date | null;
}

export interface DeliveryLogStore {
  /** Also of a deleted endpoint; null when the account has no such one. */
  owner(accountId: string, webhookId: string): Promise<LogOwner | null>;
  /** Newest first; only attempts made at or after `since`, and numbered below `before` when that is given. */
  page(webhookNo: number, since: Date, before: bigint | null, limit: number): Promise<LoggedAttempt[]>;
}
