// What is forgotten of old deliveries. An entry of the delivery log is shown for the retention time; the log of a deleted
// endpoint stays as it was for some time after its deletion. So an entry is out of everybody's sight once both have
// passed, and only then its day is dropped, whole: deleting rows one by one would be most of the database's work.

import { DELETED_LOG_DAYS, STRAY_DAYS_MAX, WEBHOOKS_PURGED_MAX } from '#engine/base/limits.ts';
import { dropPartitions, settleStrays } from './partitions.ts';
import type { Sql } from './postgres-client.ts';

export interface Expired {
  /** Days of the delivery log. */
  readonly dropped: readonly string[];
  /** Endpoints, with their subscriptions. */
  readonly webhooks: number;
}

const DAY_MS = 86_400_000;

/** One go of the housekeeping at `nowMs` (Unix epoch milliseconds); what is left over is for the next. */
export async function expireLog(sql: Sql, nowMs: number, retentionDays: number): Promise<Expired> {
  await settleStrays(sql, STRAY_DAYS_MAX);
  const dropped = await dropPartitions(sql, nowMs - (retentionDays + DELETED_LOG_DAYS) * DAY_MS);
  const webhooks = await purgeWebhooks(sql, nowMs - DELETED_LOG_DAYS * DAY_MS);
  return { dropped, webhooks };
}

/** Endpoints whose log is not shown any more because they were deleted before `beforeMs`. */
async function purgeWebhooks(sql: Sql, beforeMs: number): Promise<number> {
  const { count } = await sql`
    delete from webhook where webhook_id in (
      select webhook_id from webhook where deleted_at < ${new Date(beforeMs)} order by deleted_at
      limit ${WEBHOOKS_PURGED_MAX}
    )`;
  return count;
}
