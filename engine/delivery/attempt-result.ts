// How one attempt ended. The transport makes it; the actor, the delivery log, the metrics and the API use it.

/** Why no complete response arrived. */
export const FAILURE_CODES = [
  'timeout',
  'connection_refused',
  'connection_reset',
  'connection_closed',
  'unreachable',
  'name_not_resolved',
  'tls',
  'not_allowed',
  'bad_answer',
  'other',
] as const;

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
