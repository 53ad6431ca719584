// Drops old deliveries. The delivery log shows an entry for the retention time. The log of a deleted endpoint stays
// unchanged for some time after the deletion. Once both times have passed, the entry is no longer visible, and its day
// partition is dropped as a whole: deleting rows one by one would be most of the database's work.
//
// LR1 What is old counts from the day after the newest attempt if the clock is ahead of that: one start with a wrong
//     clock must not drop the whole log.
// LR2 One pass drops at most DAYS_DROPPED_MAX days. If attempts were made under a wrong clock as well, its operator has
//     hours to correct it.

import { DAYS_DROPPED_MAX, DELETED_LOG_DAYS, STRAY_DAYS_MAX, WEBHOOKS_PURGED_MAX } from '#engine/base/limits.ts';
import { dropPartitions, newestDay, settleStrays } from './partitions.ts';
import type { Sql } from './postgres-client.ts';

export interface Expired {
  /** Names of the dropped day partitions. */
  readonly dropped: readonly string[];
  /** How many endpoints were removed, with their subscriptions. */
  readonly webhooks: number;
}

const DAY_MS = 86_400_000;

/** One pass of housekeeping at `nowMs` (Unix epoch milliseconds). What exceeds its bounds is left to the next pass. */
export async function expireLog(sql: Sql, nowMs: number, retentionDays: number): Promise<Expired> {
  await settleStrays(sql, STRAY_DAYS_MAX);
  const newestMs = await newestDay(sql);
  const plausibleMs = newestMs === null ? nowMs : Math.min(nowMs, newestMs + 2 * DAY_MS);
  const untilMs = plausibleMs - (retentionDays + DELETED_LOG_DAYS) * DAY_MS;
  const dropped = await dropPartitions(sql, untilMs, DAYS_DROPPED_MAX);
  const webhooks = await purgeWebhooks(sql, plausibleMs - DELETED_LOG_DAYS * DAY_MS);
  return { dropped, webhooks };
}

/**
 * Removes endpoints that were deleted before `beforeMs`, whose log is therefore no longer visible. Returns their
 * number.
 */
async function purgeWebhooks(sql: Sql, beforeMs: number): Promise<number> {
  const { count } = await sql`
    delete from webhook where webhook_id in (
      select webhook_id from webhook where deleted_at < ${new Date(beforeMs)} order by deleted_at
      limit ${WEBHOOKS_PURGED_MAX}
    )`;
  return count;
}
