// Merges the days of old months, so that years of usage take no more room than months do. Only the days of the current
// month are ever read. A month's counts stay as they are: one statement takes its days away and adds them to the month.

import { MONTH_DETAIL_DAYS, PURGED_ROWS_MAX } from '#engine/base/limits.ts';
import type { Sql } from './postgres-client.ts';
import { inBatches, type Pace } from './purge-batches.ts';

const DAY_MS = 86_400_000;

/** Merges what is past its time at `houseMs` (Unix epoch milliseconds). Returns how many rows it took away. */
export function mergeUsageDays(sql: Sql, houseMs: number, pace: Pace): Promise<number> {
  const before = new Date(houseMs - MONTH_DETAIL_DAYS * DAY_MS);
  return inBatches(() => merge(sql, before), pace);
}

/** A row that is in use at this moment is left to a later pass. */
async function merge(sql: Sql, before: Date): Promise<number> {
  const [row] = await sql<{ taken: number }[]>`
    with taken as (
      delete from usage where ctid = any(array(
        select ctid from usage where month < ${before} and day > 0
        order by month limit ${PURGED_ROWS_MAX} for update skip locked
      )) returning *
    ),
    added as (
      insert into usage (
        account_id, month, day, feed_id, attempts, demo_attempts, succeeded, failed, skipped, streamed, demo_streamed
      )
      select account_id, month, 0, feed_id, sum(attempts), sum(demo_attempts), sum(succeeded), sum(failed), sum(skipped),
        sum(streamed), sum(demo_streamed)
      from taken group by account_id, month, feed_id order by account_id, month, feed_id
      on conflict (account_id, month, feed_id, day) do update set
        attempts = usage.attempts + excluded.attempts, demo_attempts = usage.demo_attempts + excluded.demo_attempts,
        succeeded = usage.succeeded + excluded.succeeded, failed = usage.failed + excluded.failed,
        skipped = usage.skipped + excluded.skipped, streamed = usage.streamed + excluded.streamed,
        demo_streamed = usage.demo_streamed + excluded.demo_streamed
    )
    select count(*)::int as taken from taken`;
  return row!.taken;
}
