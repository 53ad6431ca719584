// How one attempt ended. The transport makes it; the actor, the delivery log, the metrics and the API use it.

import type { FAILURE_CODES } from '#schemas/http/failure-code.ts';

/** Why no complete response arrived. */
export type FailureCode = (typeof FAILURE_CODES)[number];

/** `detail` is what the delivery log shows, such as `ECONNREFUSED`. It is for people; no code may depend on it. */
export interface AttemptFailure {
  readonly kind: 'failed';
  readonly code: FailureCode;
  readonly detail: string;
}

export type AttemptResult =
  /** A complete response, or as much of one as we read. `body` is the beginning that we keep. */
  { readonly kind: 'answered'; readonly statusCode: number; readonly body: string } | AttemptFailure;

/** No complete response within DEADLINE_MS. */
export const TIMED_OUT: AttemptFailure = Object.freeze({ kind: 'failed', code: 'timeout', detail: 'timeout' });

export function failed(code: FailureCode, detail: string): AttemptFailure {
  return { kind: 'failed', code, detail };
}

/** Only 2xx acknowledges a delivery. */
export function isDelivered(result: AttemptResult): boolean {
  return result.kind === 'answered' && result.statusCode >= 200 && result.statusCode < 300;
}

/** Whether the receiver asks for fewer requests, or cannot keep up. */
export function isOverload(result: AttemptResult): boolean {
  if (result.kind === 'failed') return result.code === 'timeout';
  return result.statusCode === 429 || result.statusCode === 503;
}
