// Reads a delivery log a span at a time, the newest first, so that the database looks at the daily partitions of one span
// and not at all that it keeps. Within a span entries are in the order of their numbers.
//
// Spans lie on a grid that never moves: the order of all entries, by span and then by number, is the same for every
// request, and a place in it stays one.

import { LOG_SPAN_DAYS } from '#engine/limits.ts';
import type { DeliveryLogStore, LoggedAttempt, LogOwner } from './delivery-log-store.ts';

/** Directly before it stands the entry of this number in this span. */
export interface LogPlace {
  readonly span: number;
  readonly before: bigint;
}

const SPAN_MS = LOG_SPAN_DAYS * 86_400_000;

/** At most `limit` entries that are not older than `since`; from `place` on, or the newest of `nowMs` when it is null. */
export async function readLog(
  store: DeliveryLogStore,
  { webhookNo, createdAt }: LogOwner,
  since: Date,
  nowMs: number,
  place: LogPlace | null,
  limit: number,
): Promise<LoggedAttempt[]> {
  const attempts: LoggedAttempt[] = [];
  const newest = Math.floor(nowMs / SPAN_MS);
  // Nothing was delivered before there was an endpoint.
  const oldest = Math.floor(Math.max(since.getTime(), createdAt.getTime()) / SPAN_MS);
  for (let span = Math.min(place?.span ?? newest, newest); span >= oldest && attempts.length < limit; span--) {
    const from = new Date(Math.max(span * SPAN_MS, since.getTime()));
    const to = new Date((span + 1) * SPAN_MS);
    const before = span === place?.span ? place.before : null;
    attempts.push(...(await store.page(webhookNo, from, to, before, limit - attempts.length)));
  }
  return attempts;
}

/** The place after this entry. */
export function placeAfter({ createdAt, logNo }: LoggedAttempt): LogPlace {
  return { span: Math.floor(createdAt.getTime() / SPAN_MS), before: logNo };
}
