// Removes old runs, each whole: with the checkpoints of its endpoints.
//
// RR1 A run that has not ended stays. Any other stays for RUN_RETENTION_DAYS after its end, and while the log of a
//     deleted endpoint still shows deliveries of it.
// RR2 Of one account, RUNS_KEPT_MAX ended runs and RUN_ENDPOINTS_KEPT_MAX endpoints in them are kept whole, the newest
//     first. Starts and stops would otherwise fill the disk within the limits on requests. Of older runs, endpoints to
//     which nothing was delivered and nothing failed are removed, and then runs without endpoints. What is left is
//     never more than what the delivery log holds of it.

import {
  ACCOUNT_RUNS_EXAMINED_MAX,
  CROWDED_ACCOUNTS_MAX,
  CROWDED_RUNS_MIN,
  DELETED_LOG_DAYS,
  PURGED_ROWS_MAX,
  RUN_ENDPOINTS_KEPT_MAX,
  RUNS_KEPT_MAX,
  RUNS_PURGED_AT_ONCE_MAX,
} from '#engine/base/limits.ts';
import { withIndexLookups } from './index-lookups.ts';
import type { Sql } from './postgres-client.ts';
import { inBatches, type Pace } from './purge-batches.ts';

const DAY_MS = 86_400_000;

export interface RunRetention {
  readonly runDays: number;
  /** How long the delivery log shows an entry. */
  readonly logDays: number;
}

/** Removes what is past its time at `houseMs` (Unix epoch milliseconds, RR1). Returns how many runs it removed. */
export function purgeOldRuns(sql: Sql, houseMs: number, { runDays, logDays }: RunRetention, pace: Pace) {
  const before = new Date(houseMs - runDays * DAY_MS);
  const logShownFrom = new Date(houseMs - DELETED_LOG_DAYS * DAY_MS);
  return inBatches(
    () =>
      withIndexLookups(sql, async (transaction) => {
        const { count } = await transaction`
          with old as (
            select run_id from run r
            where ended_at < ${before} and state in ('stopped', 'completed') and not exists (
              select from run_endpoint e join webhook w using (webhook_id)
              where e.run_id = r.run_id and w.deleted_at >= ${logShownFrom}
                and r.ended_at >= w.deleted_at - ${logDays}::int * interval '1 day'
            )
            order by ended_at limit ${RUNS_PURGED_AT_ONCE_MAX}
          )
          -- As many runs as have a batch of rows between them, and at least one.
          delete from run where run_id in (
            select run_id from old left join lateral (
              select from run_endpoint e where e.run_id = old.run_id limit ${PURGED_ROWS_MAX}
            ) row on true
            limit ${PURGED_ROWS_MAX}
          )`;
        return count;
      }),
    pace,
  );
}

export interface RunBounds {
  readonly runs: number;
  readonly endpoints: number;
  /** Accounts with fewer ended runs are not looked at. */
  readonly crowdedRuns: number;
}

const BOUNDS: RunBounds = {
  runs: RUNS_KEPT_MAX,
  endpoints: RUN_ENDPOINTS_KEPT_MAX,
  crowdedRuns: CROWDED_RUNS_MIN,
};

/** Removes what an account has beyond its bounds (RR2). Returns how many rows it removed. */
export async function trimRuns(sql: Sql, pace: Pace, bounds = BOUNDS): Promise<number> {
  const crowded = await sql<{ accountId: string }[]>`
    select account_id as "accountId" from run where ended_at is not null
    group by account_id having count(*) > ${bounds.crowdedRuns} order by count(*) desc limit ${CROWDED_ACCOUNTS_MAX}`;
  let removed = 0;
  for (const { accountId } of crowded) {
    const over = await runsOverBounds(sql, accountId, bounds);
    removed += await inBatches(() => trim(sql, over), pace);
  }
  return removed;
}

interface SizedRun {
  readonly runId: string;
  readonly endpoints: number;
}

/** The ended runs of an account that are over its bounds, the newest first. */
async function runsOverBounds(sql: Sql, accountId: string, bounds: RunBounds): Promise<SizedRun[]> {
  return withIndexLookups(
    sql,
    (transaction) => transaction<SizedRun[]>`
      select run_id as "runId", endpoints from (
        select run_id, endpoints, row_number() over newest as place, sum(endpoints) over newest as total
        from run r, lateral (select count(*)::int as endpoints from run_endpoint e where e.run_id = r.run_id) sized
        where account_id = ${accountId} and ended_at is not null
        window newest as (order by run_no desc rows unbounded preceding)
      ) ended
      where place > ${bounds.runs} or total > ${bounds.endpoints}
      order by place limit ${ACCOUNT_RUNS_EXAMINED_MAX}`,
  );
}

/** Takes the next runs from the end of `over` and trims them. Returns how many rows it removed; 0 when none is left. */
async function trim(sql: Sql, over: SizedRun[]): Promise<number> {
  let removed = 0;
  while (removed === 0 && over.length > 0) {
    const runIds: string[] = [];
    for (let rows = 0; rows < PURGED_ROWS_MAX && over.length > 0; ) {
      const { runId, endpoints } = over.pop()!;
      runIds.push(runId);
      rows += 1 + endpoints;
    }
    removed = await withIndexLookups(sql, async (transaction) => {
      const trimmed = await transaction`
        delete from run_endpoint where run_id = any(${runIds}::text[]) and delivered = 0 and failed = 0`;
      const emptied = await transaction`
        delete from run r where run_id = any(${runIds}::text[])
          and not exists (select from run_endpoint e where e.run_id = r.run_id)`;
      return trimmed.count + emptied.count;
    });
  }
  return removed;
}
