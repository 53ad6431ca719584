// Entries of the delivery log that versions before the journal have written, a row each. Nothing is added to them; their
// days are dropped like the others. They have an index by endpoint and number, in each day, and one of failed attempts.

import { LOG_EXAMINED_MAX } from '#engine/base/limits.ts';
import { type AttemptMatch, outcomeOf } from '#engine/delivery/delivery-log/attempt-match.ts';
import type { TransactionSql } from '#engine/storage/postgres-client.ts';
import type { FoundAttempt, LogSpan } from './delivery-log-store.ts';

const DAY_MS = 86_400_000;

/** As `readAttempts` (postgres-attempt-reader.ts). `filter` is null when every attempt of the span is wanted. */
export async function readOldAttempts(
  sql: TransactionSql,
  webhookNo: number,
  { since, until }: LogSpan,
  filter: AttemptMatch | null,
  below: bigint,
  limit: number,
): Promise<{ attempts: FoundAttempt[]; examinedTo: bigint | null }> {
  if (filter === null) {
    // Earlier days are left out when the statement is planned, so those that are kept for deleted endpoints cost the
    // others nothing.
    const attempts = await sql<FoundAttempt[]>`
      select ${columns(sql)} from delivery_attempt
      where webhook_no = ${webhookNo} and created_at >= ${since} and created_at < ${until} and log_no < ${below}::bigint
      order by log_no desc limit ${limit}`;
    return { attempts: [...attempts], examinedTo: null };
  }
  const { statusCode, feed, mode, runNos, sequence } = filter;
  const outcome = outcomeOf(filter);
  // Whole days decide what is read, so that the bound holds for any time of day: their partitions have no index by time.
  const firstDay = new Date(Math.floor(since.getTime() / DAY_MS) * DAY_MS);
  const dayAfter = new Date(Math.ceil(until.getTime() / DAY_MS) * DAY_MS);
  // Only the indexes have the rows in order, so that reading can stop. Statistics may be out of date
  // (index-lookups.ts).
  await sql`
    set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_sort = off;
    set local plan_cache_mode = force_custom_plan`.simple();
  const examined = sql`
    select * from delivery_attempt
    where webhook_no = ${webhookNo} and created_at >= ${firstDay} and created_at < ${dayAfter} and log_no < ${below}::bigint
      ${outcome === 'failed' ? sql`and coalesce(status_code, 0) not between 200 and 299` : sql``}
    order by log_no desc limit ${LOG_EXAMINED_MAX}`;
  const rows = await sql<(FoundAttempt & { readonly examinedTo: bigint | null })[]>`
    with matching as materialized (
      select * from (${examined}) examined
      where created_at >= ${since} and created_at < ${until}
        and (${outcome}::text is null or (coalesce(status_code, 0) between 200 and 299) = (${outcome} = 'delivered'))
        and (${statusCode}::int is null or status_code = ${statusCode})
        and (${feed}::int is null or feed = ${feed})
        and (${sequence}::int is null or sequence = ${sequence})
        and (${mode}::text is null or mode = ${mode})
        and (${runNos as number[] | null}::int[] is null or run_no = any(${runNos as number[] | null}::int[]))
      order by log_no desc limit ${limit}
    ), stopped (examined_to) as (
      select case when (select count(*) from matching) < ${limit} then (
        select log_no from (${examined}) examined order by log_no desc offset ${LOG_EXAMINED_MAX - 1} limit 1
      ) end
    )
    select ${columns(sql)}, examined_to as "examinedTo"
    from stopped left join matching on true
    order by log_no desc`;
  return {
    attempts: rows.filter(({ logNo }) => logNo !== null).map(({ examinedTo, ...attempt }) => attempt),
    examinedTo: rows[0]!.examinedTo,
  };
}

export async function findOldAttempt(
  sql: TransactionSql,
  webhookNo: number,
  since: Date,
  logNo: bigint,
): Promise<FoundAttempt | null> {
  const [row] = await sql<FoundAttempt[]>`
    select ${columns(sql)} from delivery_attempt
    where webhook_no = ${webhookNo} and created_at >= ${since} and log_no = ${logNo}::bigint`;
  return row ?? null;
}

function columns(sql: TransactionSql) {
  return sql`
    log_no as "logNo", run_no as "runNo", mode, feed, sequence, attempt, status_code as "statusCode",
    latency_ms::float8 as "latencyMs", lag_ms::float8 as "lagMs", failure_code as "failureCode", error,
    response_body as "responseBody", created_at as "createdAt"`;
}
