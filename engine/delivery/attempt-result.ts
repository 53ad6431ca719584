// How one attempt ended: from the transport, through the actor, to the delivery log, the metrics and the API.

/** Why no whole answer came. */
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

/** `detail` is what the delivery log shows, such as `ECONNREFUSED`: for people, never to be matched. */
export interface AttemptFailure {
  readonly kind: 'failed';
  readonly code: FailureCode;
  readonly detail: string;
}

export type AttemptResult =
  /** A whole answer, or as much of it as is read. `body` is the start that is kept. */
  { readonly kind: 'answered'; readonly statusCode: number; readonly body: string } | AttemptFailure;

/** No whole answer within DEADLINE_MS. */
export const TIMED_OUT: AttemptFailure = Object.freeze({ kind: 'failed', code: 'timeout', detail: 'timeout' });

export function failed(code: FailureCode, detail: string): AttemptFailure {
  return { kind: 'failed', code, detail };
}

/** Only 2xx acknowledges a delivery. */
export function isDelivered(result: AttemptResult): boolean {
  return result.kind === 'answered' && result.statusCode >= 200 && result.statusCode < 300;
}
