// Which part of a delivery log is shown: the entries of the retention time. For a deleted endpoint these are the ones that
// were shown when it was deleted, for 90 days.

import { DELETED_LOG_DAYS } from '#engine/base/limits.ts';

const DAY_MS = 86_400_000;

/** The time from which entries are shown; null when nothing of the log is shown any more. */
export function shownSince(deletedAt: Date | null, nowMs: number, retentionDays: number): Date | null {
  const untilMs = deletedAt?.getTime() ?? nowMs;
  if (nowMs > untilMs + DELETED_LOG_DAYS * DAY_MS) return null;
  return new Date(untilMs - retentionDays * DAY_MS);
}
