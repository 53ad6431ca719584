// The engine's own records of a play, and their contradictions: the delivery log, usage, and the endpoints' checkpoints
// in `run_endpoint`.

import { ATTEMPTS_MAX } from '#engine/base/limits.ts';
import { LatencySketch } from '#engine/delivery/usage/latency-sketch.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import type { Play } from '../engines/paced-engine.ts';

/** The checkpoint of one endpoint, with the number of its attempts in the delivery log. */
export interface EndpointRecord {
  readonly webhookNo: number;
  readonly matched: number;
  readonly delivered: number;
  readonly failed: number;
  readonly skipped: Readonly<Record<string, number>>;
  /** Attempts in the delivery log. */
  readonly logged: number;
}

export interface PlayRecords {
  /** In the order of their numbers. */
  readonly endpoints: readonly EndpointRecord[];
  readonly logged: number;
  /** Attempts on which log, usage and checkpoints disagree (I10). */
  readonly unrecorded: number;
  /** Updates that an endpoint's checkpoint does not account for: not all matched, or not all settled (I1). */
  readonly unaccounted: number;
  /** First attempts that started before one of an earlier update of the same endpoint (I5). */
  readonly startedEarly: number;
}

interface Row extends EndpointRecord {
  readonly pending: string;
  readonly loggedDelivered: number;
  readonly loggedFailed: number;
}

const LATENCY_ROWS = 50_000;

/** `webhookIds` are in the order of their numbers, from 1. Each should have matched `updates`. */
export async function readRecords(
  sql: Sql,
  play: Play,
  webhookIds: readonly string[],
  updates: number,
): Promise<PlayRecords> {
  const { runId, runNo, accountId } = play;
  const rows = await sql<Row[]>`
    with log as (
      select webhook_no, count(*)::int as logged,
        count(*) filter (where status_code between 200 and 299)::int as delivered,
        count(*) filter (
          where attempt = ${ATTEMPTS_MAX} and not coalesce(status_code between 200 and 299, false)
        )::int as failed
      from delivery_attempt where run_no = ${runNo} group by webhook_no
    )
    select known.webhook_no::int as "webhookNo", matched, run_endpoint.delivered, run_endpoint.failed, skipped, pending,
      coalesce(log.logged, 0) as logged, coalesce(log.delivered, 0) as "loggedDelivered",
      coalesce(log.failed, 0) as "loggedFailed"
    from unnest(${[...webhookIds]}::text[]) with ordinality as known (webhook_id, webhook_no)
    join run_endpoint on run_endpoint.webhook_id = known.webhook_id and run_id = ${runId}
    left join log on log.webhook_no = known.webhook_no
    order by 1`;
  const [sums] = await sql<{ logged: number; used: number; startedEarly: number }[]>`
    select (select count(*)::int from delivery_attempt where run_no = ${runNo}) as logged,
      (select coalesce(sum(attempts), 0)::int from usage where account_id = ${accountId}) as used,
      (select count(*)::int from (
        select created_at < lag(created_at) over (partition by webhook_no order by sequence) as early
        from delivery_attempt where run_no = ${runNo} and attempt = 1
      ) as started where early) as "startedEarly"`;
  const { logged, used, startedEarly } = sums!;
  let unrecorded = Math.abs(logged - used);
  let unaccounted = (webhookIds.length - rows.length) * updates;
  for (const row of rows) {
    unrecorded += Math.abs(row.delivered - row.loggedDelivered) + Math.abs(row.failed - row.loggedFailed);
    const settled = row.delivered + row.failed + Object.values(row.skipped).reduce((sum, count) => sum + count, 0);
    unaccounted += Math.abs(updates - row.matched) + Math.abs(row.matched - settled) + (row.pending === '' ? 0 : 1);
  }
  return { endpoints: rows, logged, unrecorded, unaccounted, startedEarly };
}

/** Latencies of all answered attempts in the delivery log, from start to end of response, in ascending order. */
export async function answerLatencies(sql: Sql, { runNo }: Play, attempts: number): Promise<Float64Array> {
  const latencies = new Float64Array(attempts);
  let filled = 0;
  const rows = sql<{ ms: number }[]>`
    select latency_ms as ms from delivery_attempt where run_no = ${runNo} and status_code is not null`;
  await rows.cursor(LATENCY_ROWS, (page) => {
    for (const { ms } of page) latencies[filled++] = ms;
  });
  return latencies.subarray(0, filled).sort();
}

/** The account's latencies from due to answered, as `GET /v1/usage` reports them. */
export async function usageLatency(sql: Sql, { accountId }: Play): Promise<LatencySketch> {
  const rows = await sql<{ counts: number[] }[]>`select counts from usage_latency where account_id = ${accountId}`;
  const sketch = new LatencySketch();
  for (const { counts } of rows) sketch.merge(counts);
  return sketch;
}
