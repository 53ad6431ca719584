// Removes rows that only time makes useless: each table with the column that says when a row was last of use, and for
// how many days it is kept after that. Tables that need more than a time have a file of their own.

import {
  DELETED_LOG_DAYS,
  EXPIRED_TOKEN_DAYS,
  KNOWN_NETWORK_MS,
  MONTH_DETAIL_DAYS,
  PAYMENT_EVENT_DAYS,
  PURGED_ROWS_MAX,
  USAGE_DAYS,
} from '#engine/base/limits.ts';
import type { Sql } from './postgres-client.ts';
import { inBatches, type Pace } from './purge-batches.ts';

interface Kept {
  readonly table: string;
  readonly column: string;
  readonly days: number;
}

const DAY_MS = 86_400_000;

const KEPT: readonly Kept[] = [
  // An endpoint goes with its subscriptions once its log is no longer shown.
  { table: 'webhook', column: 'deleted_at', days: DELETED_LOG_DAYS },
  { table: 'access_token', column: 'expires_at', days: EXPIRED_TOKEN_DAYS },
  { table: 'sign_in', column: 'expires_at', days: EXPIRED_TOKEN_DAYS },
  { table: 'email_verification', column: 'expires_at', days: EXPIRED_TOKEN_DAYS },
  { table: 'known_network', column: 'seen_at', days: KNOWN_NETWORK_MS / DAY_MS },
  { table: 'stripe_event', column: 'received_at', days: PAYMENT_EVENT_DAYS },
  { table: 'recent_event', column: 'expires_at', days: 0 },
  { table: 'request_count', column: 'hour', days: 1 },
  { table: 'usage', column: 'month', days: USAGE_DAYS },
  { table: 'due_update', column: 'month', days: USAGE_DAYS },
  { table: 'live_gap', column: 'ended_at', days: USAGE_DAYS },
  // Only those of the current month are ever read.
  { table: 'usage_latency', column: 'month', days: MONTH_DETAIL_DAYS },
  { table: 'bucket_warning', column: 'month', days: MONTH_DETAIL_DAYS },
  { table: 'plan_change', column: 'month', days: MONTH_DETAIL_DAYS },
  // What was billed is kept as long as the counts that it was made from.
  { table: 'overage_block', column: 'month', days: USAGE_DAYS },
  { table: 'overage_check', column: 'month', days: USAGE_DAYS },
];

/** Removes what is past its time at `houseMs` (Unix epoch milliseconds). Returns the rows removed, by table. */
export async function purgeRows(sql: Sql, houseMs: number, pace: Pace): Promise<Record<string, number>> {
  const removed: Record<string, number> = {};
  for (const { table, column, days } of KEPT) {
    const before = new Date(houseMs - days * DAY_MS);
    removed[table] = await inBatches(() => purge(sql, table, column, before), pace);
  }
  return removed;
}

/** A row that is in use at this moment is left to a later pass. */
async function purge(sql: Sql, table: string, column: string, before: Date): Promise<number> {
  const { count } = await sql`
    delete from ${sql(table)} where ctid = any(array(
      select ctid from ${sql(table)} where ${sql(column)} < ${before}
      order by ${sql(column)} limit ${PURGED_ROWS_MAX} for update skip locked
    ))`;
  return count;
}
