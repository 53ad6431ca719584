// Which attempts of an endpoint to read, and what a page's head says about them.

import { isDelivered } from '#engine/delivery/attempt-result.ts';
import type { DeliveryMode } from '#engine/delivery/run-order.ts';
import type { AttemptRecord } from './record-store.ts';

/** Null: any. */
export interface AttemptMatch {
  readonly outcome: 'delivered' | 'failed' | null;
  readonly statusCode: number | null;
  /** The feed's number in the catalogue. */
  readonly feed: number | null;
  readonly mode: DeliveryMode | null;
  readonly runNos: readonly number[] | null;
  readonly sequence: number | null;
}

export const ANY_ATTEMPT: AttemptMatch = Object.freeze({
  outcome: null,
  statusCode: null,
  feed: null,
  mode: null,
  runNos: null,
  sequence: null,
});

export function matches(attempt: AttemptRecord, match: AttemptMatch): boolean {
  const { outcome, statusCode, feed, mode, runNos, sequence } = match;
  const { result } = attempt;
  return (
    (outcome === null || isDelivered(result) === (outcome === 'delivered')) &&
    (statusCode === null || (result.kind === 'answered' && result.statusCode === statusCode)) &&
    (feed === null || attempt.feed === feed) &&
    (mode === null || attempt.mode === mode) &&
    (runNos === null || (attempt.runNo !== null && runNos.includes(attempt.runNo))) &&
    (sequence === null || attempt.sequence === sequence)
  );
}

/** The outcome of every attempt with this status; null: either. */
export function outcomeOf({ outcome, statusCode }: AttemptMatch): 'delivered' | 'failed' | null {
  if (statusCode === null) return outcome;
  return statusCode >= 200 && statusCode < 300 ? 'delivered' : 'failed';
}
