// Which part of a delivery log is shown: the entries within the retention time. A deleted endpoint keeps the entries
// that were shown at its deletion for 90 days.

import { DELETED_LOG_DAYS } from '#engine/base/limits.ts';

const DAY_MS = 86_400_000;

/** The time from which entries are shown; null if the log is no longer shown. */
export function shownSince(deletedAt: Date | null, nowMs: number, retentionDays: number): Date | null {
  const untilMs = deletedAt?.getTime() ?? nowMs;
  if (nowMs > untilMs + DELETED_LOG_DAYS * DAY_MS) return null;
  return new Date(untilMs - retentionDays * DAY_MS);
}
