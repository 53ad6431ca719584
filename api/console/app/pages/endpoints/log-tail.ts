// The part of a delivery log that a page shows: the newest entries, without a gap, and older ones on demand. Bounded.

import type { DeliveryLogEntry } from '#api/client/calls.ts';

export interface LogTail {
  /** The latest first. */
  readonly entries: readonly DeliveryLogEntry[];
  /** Where older entries begin; null if there are none, or if no more are kept. */
  readonly olderCursor: string | null;
}

export interface LogPage {
  readonly logs: readonly DeliveryLogEntry[];
  readonly nextCursor: string | null;
}

/** Entries that a page keeps. */
export const LOG_KEPT_MAX = 1_000;

export const NO_TAIL: LogTail = { entries: [], olderCursor: null };

/**
 * The tail with the newest page before it. If more has come meanwhile than the page has, what was shown before would
 * leave a gap: it is given up.
 */
export function withNewest(tail: LogTail, { logs, nextCursor }: LogPage): LogTail {
  const last = tail.entries[0];
  const at = last === undefined ? -1 : logs.findIndex(({ logId }) => logId === last.logId);
  if (at === -1 && (nextCursor !== null || tail.entries.length === 0))
    return { entries: logs, olderCursor: nextCursor };
  const known = new Set(tail.entries.map(({ logId }) => logId));
  const fresh = logs.filter(({ logId }) => !known.has(logId));
  return fresh.length === 0 ? tail : bounded([...fresh, ...tail.entries], tail.olderCursor);
}

/** The tail with an older page behind it. */
export function withOlder(tail: LogTail, { logs, nextCursor }: LogPage): LogTail {
  return bounded([...tail.entries, ...logs], nextCursor);
}

/** The oldest entries go: the log itself has them. */
function bounded(entries: readonly DeliveryLogEntry[], olderCursor: string | null): LogTail {
  if (entries.length < LOG_KEPT_MAX) return { entries, olderCursor };
  return { entries: entries.slice(0, LOG_KEPT_MAX), olderCursor: null };
}
