// The engine's own records of a play, and their contradictions: the delivery log, usage, and the endpoints' checkpoints
// in `run_endpoint`.

import { ATTEMPTS_MAX } from '#engine/base/limits.ts';
import { isDelivered } from '#engine/delivery/attempt-result.ts';
import type { AttemptRecord } from '#engine/delivery/delivery-log/record-store.ts';
import { LatencySketch } from '#engine/delivery/usage/latency-sketch.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import type { Play } from '../engines/paced-engine.ts';
import { eachLoggedAttempt } from '../suite/logged-attempts.ts';
import { type FirstAttempt, startedEarly } from '../suite/started-early.ts';

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

/** `webhookIds` are in the order of their numbers, from 1. Each should have matched `updates`. */
export async function readRecords(
  sql: Sql,
  play: Play,
  webhookIds: readonly string[],
  updates: number,
): Promise<PlayRecords> {
  const { runId, runNo, accountId } = play;
  const log = new Map<number, LoggedOf>();
  await eachLoggedAttempt(sql, ({ attempt }) => countLogged(log, attempt), runNo);
  const stood = await sql<Omit<Row, keyof typeof NOTHING_LOGGED>[]>`
    select known.webhook_no::int as "webhookNo", matched, run_endpoint.delivered, run_endpoint.failed, skipped, pending
    from unnest(${[...webhookIds]}::text[]) with ordinality as known (webhook_id, webhook_no)
    join run_endpoint on run_endpoint.webhook_id = known.webhook_id and run_id = ${runId}
    order by 1`;
  const rows = stood.map((row): Row => {
    const { logged, loggedDelivered, loggedFailed } = log.get(row.webhookNo) ?? NOTHING_LOGGED;
    return { ...row, logged, loggedDelivered, loggedFailed };
  });
  const [usage] = await sql<{ used: number }[]>`
    select coalesce(sum(attempts), 0)::int as used from usage where account_id = ${accountId}`;
  const { used } = usage!;
  const logged = [...log.values()].reduce((sum, own) => sum + own.logged, 0);
  const early = [...log.values()].reduce((sum, { firsts }) => sum + startedEarly(firsts), 0);
  let unrecorded = Math.abs(logged - used);
  let unaccounted = (webhookIds.length - rows.length) * updates;
  for (const row of rows) {
    unrecorded += Math.abs(row.delivered - row.loggedDelivered) + Math.abs(row.failed - row.loggedFailed);
    const settled = row.delivered + row.failed + Object.values(row.skipped).reduce((sum, count) => sum + count, 0);
    unaccounted += Math.abs(updates - row.matched) + Math.abs(row.matched - settled) + (row.pending === '' ? 0 : 1);
  }
  return { endpoints: rows, logged, unrecorded, unaccounted, startedEarly: early };
}

interface LoggedOf {
  logged: number;
  loggedDelivered: number;
  loggedFailed: number;
  readonly firsts: FirstAttempt[];
}

const NOTHING_LOGGED = { logged: 0, loggedDelivered: 0, loggedFailed: 0 };

function countLogged(log: Map<number, LoggedOf>, { webhookNo, attempt, result, sequence, createdAtMs }: AttemptRecord) {
  let own = log.get(webhookNo);
  if (own === undefined) {
    own = { ...NOTHING_LOGGED, firsts: [] };
    log.set(webhookNo, own);
  }
  own.logged++;
  if (isDelivered(result)) own.loggedDelivered++;
  else if (attempt === ATTEMPTS_MAX) own.loggedFailed++;
  if (attempt === 1) own.firsts.push([sequence, createdAtMs]);
}

/** Latencies of all answered attempts in the delivery log, from start to end of response, in ascending order. */
export async function answerLatencies(sql: Sql, { runNo }: Play, attempts: number): Promise<Float64Array> {
  const latencies = new Float64Array(attempts);
  let filled = 0;
  await eachLoggedAttempt(
    sql,
    ({ attempt: { result, latencyMs } }) => {
      if (result.kind === 'answered') latencies[filled++] = latencyMs;
    },
    runNo,
  );
  return latencies.subarray(0, filled).sort();
}

/** The account's latencies from due to answered, as `GET /v1/usage` reports them. */
export async function usageLatency(sql: Sql, { accountId }: Play): Promise<LatencySketch> {
  const rows = await sql<{ counts: number[] }[]>`select counts from usage_latency where account_id = ${accountId}`;
  const sketch = new LatencySketch();
  for (const { counts } of rows) sketch.merge(counts);
  return sketch;
}
