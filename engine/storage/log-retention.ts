// Drops old deliveries. The delivery log shows an entry for the retention time. The log of a deleted endpoint stays
// unchanged for some time after the deletion. Once both times have passed, the entry is no longer visible, and its day
// partition is dropped as a whole: deleting rows one by one would be most of the database's work.
//
// LR1 What is old counts from the house clock (house-clock.ts): one start with a wrong clock must not drop the whole
//     log.
// LR2 One pass drops at most DAYS_DROPPED_MAX days of a table, also after the retention was shortened.

import { DAYS_DROPPED_MAX, DELETED_LOG_DAYS, STRAY_DAYS_MAX } from '#engine/base/limits.ts';
import { dropPartitions, LOG_PAGES, OLD_ATTEMPTS, settleStrays } from './partitions.ts';
import type { Sql } from './postgres-client.ts';

const DAY_MS = 86_400_000;

/**
 * One pass at `houseMs` (Unix epoch milliseconds). What exceeds its bounds is left to the next pass. Returns the names
 * of the dropped day partitions.
 */
export async function expireLog(sql: Sql, houseMs: number, retentionDays: number): Promise<string[]> {
  const untilMs = houseMs - (retentionDays + DELETED_LOG_DAYS) * DAY_MS;
  const dropped: string[] = [];
  for (const table of [OLD_ATTEMPTS, LOG_PAGES]) {
    await settleStrays(sql, table, STRAY_DAYS_MAX);
    dropped.push(...(await dropPartitions(sql, table, untilMs, DAYS_DROPPED_MAX)));
  }
  return dropped;
}
