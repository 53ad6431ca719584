// One play to hostile receivers beside healthy ones, and its results: the outcomes in the delivery log against those
// expected of each receiver, how long slots were held, how many bytes were read, and the memory retained.

import { setTimeout as pause } from 'node:timers/promises';
import { DEADLINE_MS } from '#engine/base/limits.ts';
import { IN_FLIGHT_START } from '#engine/delivery/endpoint/in-flight-cap.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import type { PacedEngine, Play } from '../engines/paced-engine.ts';
import type { ArrivalReceiver } from '../receivers/arrival-receiver-process.ts';
import type { Calls, HostileReceiver } from '../receivers/hostile/hostile-receiver.ts';
import { describeOutcome, isOutcome } from '../receivers/hostile/misbehaviour.ts';
import { eachLoggedAttempt } from '../suite/logged-attempts.ts';
import { monotonicMs } from '../suite/monotonic.ts';
import { lagsOf, splitAt } from './lag.ts';
import { faultsOf, type PlayFaults } from './play-faults.ts';
import { readRecords } from './play-records.ts';

/** How long after the last update is due the healthy endpoints may take to receive everything. */
const LATE_MS_MAX = 30_000;
/** A larger lag at a healthy endpoint counts as harm done by the hostile ones. */
const HEALTHY_MS_MAX = 3_000;
/** The start of a play, in which connections are opened. Its lags are in no quantile. */
const BEGINNING_SHARE = 0.2;
/** How long after the last update attempts that are over "soon" may take. */
const SOON_MS = 250;
const POLL_MS = 50;
/** How much a busy machine may exceed a deadline. */
const HELD_BEYOND_MS = 1_000;

export interface HostileParts {
  readonly engine: PacedEngine;
  readonly healthy: ArrivalReceiver;
  readonly timeline: Timeline;
  readonly artifactFile: string;
  /** Whether the engine's clock leaps past the deadline instead of waiting for it. */
  readonly leaps: boolean;
  readonly healthyEndpoints: number;
  /** The number of endpoints at each receiver. */
  readonly endpoints: number;
}

/** The results of all attempts to one receiver. */
export interface RowResult {
  readonly name: string;
  readonly attempts: number;
  readonly expected: string;
  /** Unexpected outcomes in the log and unexpected connections; empty if everything is as expected. */
  readonly wrong: readonly string[];
  /** The longest attempt by the engine's clock, leaps included. */
  readonly longestMs: number;
  readonly heldTooLong: boolean;
  /** Bytes read from all its connections. */
  readonly readBytes: number;
}

export interface HostilePlay {
  readonly rows: readonly RowResult[];
  /** Lags of the healthy endpoints after the start of the play, ascending, in real time. */
  readonly lagMs: Float64Array;
  readonly late: number;
  /** Growth of the engine process's memory over the play. */
  readonly movedBytes: number;
  readonly faults: PlayFaults;
}

interface LogEntry {
  readonly webhookNo: number;
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly attempts: number;
  readonly longestMs: number;
}

export async function playHostile(parts: HostileParts, receivers: readonly HostileReceiver[]): Promise<HostilePlay> {
  const { engine, healthy, timeline, artifactFile, leaps, healthyEndpoints } = parts;
  const updates = timeline.length;
  const endpoints = await engine.register([
    ...Array.from({ length: healthyEndpoints }, (_, index) => `${healthy.origin}/${index}`),
    ...receivers.flatMap(({ url }) => Array.from({ length: parts.endpoints }, (_, index) => url + index)),
  ]);
  const expected = { secrets: endpoints.slice(0, healthyEndpoints).map(({ secret }) => secret), first: 1, updates };
  await healthy.expect(expected);
  const before = receivers.map(({ calls }) => calls);
  const play = await engine.play({ timeline, artifactFile, from: 0, speed: 1, endpoints });
  const lastAtMs = play.dueAtMs(updates - 1);
  await Promise.race([healthy.settled(lastAtMs + LATE_MS_MAX - monotonicMs()), play.settled]);
  const slow = receivers.filter(({ row }) => isSlow(row));
  const untilMs = lastAtMs + (slow.length > 0 && !leaps ? DEADLINE_MS : 0) + SOON_MS;
  await pause(Math.max(0, untilMs - monotonicMs()));
  play.stop();
  if (leaps) {
    await othersSettled(parts, play, slow.length * parts.endpoints);
    engine.leap(DEADLINE_MS);
  }
  const [first, last] = await play.settled;
  const arrivals = await healthy.report();
  const records = await readRecords(
    engine.sql,
    play,
    endpoints.map(({ webhookId }) => webhookId),
    updates,
  );
  const healthyLogged = records.endpoints.slice(0, healthyEndpoints).reduce((sum, { logged }) => sum + logged, 0);
  const entries = await readLog(engine, play);
  const lag = lagsOf(arrivals, expected, play.dueAtMs);
  const [beginning, lagMs] = splitAt(lag, (lastAtMs - play.dueAtMs(0)) * BEGINNING_SHARE);
  const rows = receivers.map((receiver, index): RowResult => {
    const from = healthyEndpoints + index * parts.endpoints;
    const own = entries.filter(({ webhookNo }) => webhookNo > from && webhookNo <= from + parts.endpoints);
    const read = (usage: typeof first): number => usage?.readBytes?.get(receiver.port) ?? 0;
    return judged(receiver, own, before[index]!, leaps, read(last) - read(first));
  });
  return {
    rows,
    lagMs,
    late: [beginning, lagMs].reduce((sum, part) => sum + part.filter((ms) => ms > HEALTHY_MS_MAX).length, 0),
    // The larger of the two: previously free memory may hide growth in either.
    movedBytes: Math.max(last!.rssBytes - first!.rssBytes, last!.heldBytes! - first!.heldBytes!),
    faults: faultsOf(arrivals, healthyEndpoints * updates, healthyLogged, records),
  };
}

/**
 * Waits until only slow receivers have attempts under way: a leap would make the others' attempts exceed their
 * deadline.
 */
async function othersSettled({ engine }: HostileParts, { runId }: Play, slowEndpoints: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < DEADLINE_MS; waitedMs += POLL_MS) {
    const [open] = await engine.sql<{ endpoints: number }[]>`
      select count(*) filter (
        where matched > delivered + failed + (select coalesce(sum(value::int), 0) from jsonb_each_text(skipped))
      )::int as endpoints
      from run_endpoint where run_id = ${runId}`;
    if (open!.endpoints <= slowEndpoints) return;
    await pause(POLL_MS);
  }
}

/** A silent name server is queried twice, which takes seconds. */
function isSlow({ over, by }: HostileReceiver['row']): boolean {
  return over === 'at the deadline' || (by.kind === 'name' && by.answer.kind === 'silence');
}

async function readLog({ sql }: PacedEngine, { runNo }: Play): Promise<readonly LogEntry[]> {
  const entries = new Map<string, LogEntry>();
  await eachLoggedAttempt(
    sql,
    ({ attempt: { webhookNo, result, latencyMs } }) => {
      const statusCode = result.kind === 'answered' ? result.statusCode : null;
      const error = result.kind === 'failed' ? result.detail : null;
      const key = `${webhookNo} ${statusCode} ${error}`;
      const { attempts, longestMs } = entries.get(key) ?? { attempts: 0, longestMs: 0 };
      const longest = Math.max(longestMs, latencyMs);
      entries.set(key, { webhookNo, statusCode, error, attempts: attempts + 1, longestMs: longest });
    },
    runNo,
  );
  return [...entries.values()];
}

/**
 * How many of the attempts are requests that the receiver must have read: an attempt is one request, but some receivers
 * never read it. Timing decides about three more kinds: requests over a connection that the receiver was just closing, requests
 * that it answered ahead, and requests that a leap of the clock ended.
 */
function readAtLeast(
  { by, outcome, over, reused }: HostileReceiver['row'],
  entries: readonly LogEntry[],
  leaps: boolean,
) {
  if (by.kind !== 'request' || reused === 'maybe' || (leaps && over === 'at the deadline')) return 0;
  const surely = entries.filter(({ statusCode }) => statusCode !== null || outcome.statusCode === undefined);
  return surely.reduce((sum, { attempts }) => sum + attempts, 0);
}

function judged(
  { row, calls }: HostileReceiver,
  entries: readonly LogEntry[],
  before: Calls,
  leaps: boolean,
  readBytes: number,
): RowResult {
  const wrong = entries
    .filter(({ statusCode, error }) => !isOutcome(row.outcome, statusCode, error))
    .map(({ statusCode, error, attempts }) => `${attempts} x ${statusCode ?? error}`);
  const attempts = entries.reduce((sum, entry) => sum + entry.attempts, 0);
  if (attempts === 0) wrong.push('no attempt');
  const requests = calls.requests - before.requests;
  if (requests > attempts || requests < readAtLeast(row, entries, leaps)) {
    wrong.push(`${requests} requests for ${attempts} attempts`);
  }
  const connections = calls.connections - before.connections;
  if (row.reused === 'no' && calls.reused) wrong.push('a connection was reused');
  // The first attempts start together, each over a connection of its own. A busy machine may make no more of them.
  if (row.reused === 'yes' && !calls.reused && attempts > IN_FLIGHT_START) wrong.push('no connection was reused');
  if (row.by.kind === 'name' && connections > 0) wrong.push(`${connections} connections were made`);
  const longestMs = Math.max(0, ...entries.map((entry) => entry.longestMs));
  return {
    name: row.name,
    attempts,
    expected: describeOutcome(row.outcome),
    wrong,
    longestMs,
    heldTooLong: !leaps && longestMs > DEADLINE_MS + HELD_BEYOND_MS,
    readBytes,
  };
}
