// Turns an error of the transport into the failure of an attempt.

import { type AttemptFailure, failed } from '#engine/delivery/attempt-result.ts';
import { EgressRefused } from './egress-guard.ts';
import { TooManyAddresses } from './name-lookup.ts';
import { networkFailureOf } from './network-failure.ts';

export const CLOSED_AT_ONCE: AttemptFailure = failed('connection_closed', 'the connection was closed at once');

/**
 * The detail is the error's code, or its message if it has none. If several addresses failed, it is the first one's.
 */
export function failureOf(error: Error): AttemptFailure {
  if (error instanceof EgressRefused || error instanceof TooManyAddresses) return failed('not_allowed', error.message);
  return networkFailureOf(error);
}
