// The metric label of an attempt's result. The delivery log has the exact status and error.

import type { AttemptResult, FailureCode } from '#engine/delivery/attempt-result.ts';

export const ATTEMPT_OUTCOMES = [
  'delivered',
  'status_3xx',
  'status_410',
  'status_429',
  'status_4xx',
  'status_5xx',
  'timeout',
  'refused',
  'reset',
  'unreachable',
  'unresolved',
  'tls',
  'not_allowed',
  'bad_answer',
  'other',
] as const;

export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

const FAILURES: Readonly<Record<FailureCode, AttemptOutcome>> = {
  timeout: 'timeout',
  connection_refused: 'refused',
  connection_reset: 'reset',
  connection_closed: 'reset',
  unreachable: 'unreachable',
  name_not_resolved: 'unresolved',
  tls: 'tls',
  not_allowed: 'not_allowed',
  bad_answer: 'bad_answer',
  other: 'other',
};

export function attemptOutcome(result: AttemptResult): AttemptOutcome {
  if (result.kind === 'failed') return FAILURES[result.code];
  const { statusCode } = result;
  if (statusCode === 410) return 'status_410';
  if (statusCode === 429) return 'status_429';
  switch (Math.floor(statusCode / 100)) {
    case 2:
      return 'delivered';
    case 3:
      return 'status_3xx';
    case 4:
      return 'status_4xx';
    case 5:
      return 'status_5xx';
    default:
      return 'other';
  }
}
