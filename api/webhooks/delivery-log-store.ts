// Reads the attempts of an endpoint.

import type { FailureCode } from '#engine/delivery/attempt-result.ts';
import type { AttemptMatch } from '#engine/delivery/delivery-log/attempt-match.ts';
import type { DeliveryMode } from '#engine/delivery/run-order.ts';

export interface LoggedAttempt {
  readonly logNo: bigint;
  /** Null for tests, and once the run was removed. */
  readonly run: LoggedRun | null;
  readonly mode: DeliveryMode;
  /** The feed's number in the catalogue. */
  readonly feed: number;
  readonly sequence: number;
  readonly attempt: number;
  readonly statusCode: number | null;
  readonly latencyMs: number;
  /** Null in tests and old entries. */
  readonly lagMs: number | null;
  /** Null if there was a response, and in old entries. */
  readonly failureCode: FailureCode | null;
  readonly error: string | null;
  readonly responseBody: string | null;
  readonly createdAt: Date;
}

/** An attempt whose run is not looked up yet. */
export interface FoundAttempt extends Omit<LoggedAttempt, 'run'> {
  /** Null for tests. */
  readonly runNo: number | null;
}

/** What the log needs to know of a run. */
export interface LoggedRun {
  readonly runId: string;
  readonly sessionId: string;
  readonly speed: number;
  /** The origin of the timeline that it played. Null for live runs and old ones. */
  readonly timelineOrigin: string | null;
  /** What a resend sent again: updates of this replay, or of live delivery (null). Null for other runs. */
  readonly resend: { readonly replayId: string | null } | null;
}

/** The endpoint that a log belongs to. */
export interface LogOwner {
  readonly webhookNo: number;
  readonly deletedAt: Date | null;
}

/** From `since` on and before `until`. */
export interface LogSpan {
  readonly since: Date;
  readonly until: Date;
}

export interface LogSlice {
  /** Newest first. */
  readonly attempts: readonly LoggedAttempt[];
  /**
   * The number of the last attempt that was looked at, if more may match below it although the slice is not full. One call
   * looks at a bounded number of attempts.
   */
  readonly examinedTo: bigint | null;
}

/** A run that an endpoint took part in, with what makes its delivery ids (delivery-headers.ts). */
export interface IdScope {
  readonly runId: string;
  readonly mode: 'live' | 'replay';
  readonly scope: string;
}

/** The runs that a filter means, and when they took place. */
export interface LogRuns extends LogSpan {
  readonly runNos: readonly number[];
}

export interface DeliveryLogStore {
  /** Also of a deleted endpoint; null when the account has no such one. */
  owner(accountId: string, webhookId: string): Promise<LogOwner | null>;
  /** The runs that the endpoint took part in. */
  idScopes(accountId: string, webhookId: string): Promise<IdScope[]>;
  /** The account's runs with these ids, or all of a session; null without any. `now` ends those that are not over. */
  runs(
    accountId: string,
    wanted: { runIds: readonly string[] | null; sessionId: string | null },
    now: Date,
  ): Promise<LogRuns | null>;
  /** Only attempts numbered below `before` when that is given. */
  page(
    webhookNo: number,
    span: LogSpan,
    filter: AttemptMatch | null,
    before: bigint | null,
    limit: number,
  ): Promise<LogSlice>;
  /** One attempt that was made at or after `since`. */
  find(webhookNo: number, since: Date, logNo: bigint): Promise<LoggedAttempt | null>;
}
