// What must hold after every kill. It is checked against what the receivers saw and what the database contains, never
// against the engine's own counters.
//
// X1 Nothing is lost: each update of each run reached each endpoint and got a 200 (I1).
// X2 Each attempt is in the delivery log once, with the status that the receiver sent (I1). Each update has exactly one
//    200 there.
// X3 An update that the log shows as delivered never arrives again.
// X4 A repeated attempt was under way, or waiting to be recorded, when the process or the thread was killed. Nothing
//    arrives twice after SIGTERM or a database failure.
// X5 Usage equals the attempts in the log (I10), and the sums of each endpoint in each run are exact (I1).
// X6 The same frames give the same bodies, before and after a kill (I7).
// X7 A delivery id stands for one body of one update, before and after a kill.

import { readIngestLine } from '#engine/intake/source/ingest-line.ts';
import { deriveTimeline } from '#engine/racing/derive/derive.ts';
import type { Frame } from '#engine/racing/frame.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import { eachLoggedAttempt, loggedCount } from '../suite/logged-attempts.ts';
import { type Arrival, type CrashReceiver, LIVE } from './crash-receiver.ts';
import { type CrashScene, FOLLOWED, REPLAYED } from './crash-scene.ts';
import { STEADY_FEED } from './steady-frames.ts';

export const KINDS = ['service', 'shard', 'postgres', 'backend', 'drain'] as const;
export type Kind = (typeof KINDS)[number];

export interface Kill {
  readonly kind: Kind;
  /** Unix epoch milliseconds. */
  readonly atMs: number;
}

export interface Judgement {
  readonly deliveries: number;
  readonly repeated: number;
  /** How long before its kill each repeated attempt first arrived. */
  readonly repeatedBeforeMs: readonly number[];
  readonly faults: Readonly<Record<string, number>>;
}

interface Logged {
  readonly endpoint: number;
  readonly runId: string;
  readonly sequence: number;
  readonly attempt: number;
  readonly status: number | null;
  readonly startedMs: number;
}

/** Tolerance for clock readings in two processes of one machine. */
const CLOCK_SLACK_MS = 20;
/** How long after a kill the receiver, on a busy machine, may still read what was sent before it. */
const READ_LATE_MS = 1_000;
/** The kills that lose results which are not yet recorded. */
const LOSES_UNRECORDED: ReadonlySet<Kind> = new Set(['service', 'shard']);

export async function judge(
  sql: Sql,
  scene: CrashScene,
  { arrivals, bodies, faults }: CrashReceiver,
  kills: readonly Kill[],
): Promise<Judgement> {
  const logged = await readLog(sql, scene.webhookIds);
  const expected = { replay: derived(REPLAYED, scene.replayLines), live: derived(FOLLOWED, scene.liveLines) };
  const runIds = await sql<{ runId: string }[]>`
    select case mode when 'live' then ${LIVE} else run_id end as "runId" from run`;
  const arrivedBy = Map.groupBy(arrivals, updateOf);
  const loggedBy = Map.groupBy(logged, updateOf);
  const counts = { lost: 0, misrecorded: 0, resent: 0, repeatedWithoutReason: 0, unexpected: 0 };
  const repeatedBeforeMs: number[] = [];
  let deliveries = 0;
  for (const { runId } of runIds) {
    for (const sequence of (runId === LIVE ? expected.live : expected.replay).keys()) {
      for (let endpoint = 0; endpoint < scene.webhookIds.length; endpoint++) {
        deliveries++;
        const key = updateOf({ runId, endpoint, sequence });
        const arrived = arrivedBy.get(key) ?? [];
        const rows = loggedBy.get(key) ?? [];
        arrivedBy.delete(key);
        loggedBy.delete(key);
        if (!arrived.some(({ status }) => status === 200)) counts.lost++;
        counts.misrecorded += misrecorded(arrived, rows);
        counts.resent += resent(arrived, rows);
        for (const beforeMs of repeats(arrived, kills)) {
          if (beforeMs === null) counts.repeatedWithoutReason++;
          else repeatedBeforeMs.push(beforeMs);
        }
      }
    }
  }
  counts.unexpected = arrivedBy.size + loggedBy.size;
  const wanted = new Map<string, string>([
    ...[...expected.replay].map(([sequence, body]) => [`replay ${sequence}`, body] as const),
    ...[...expected.live].map(([sequence, body]) => [`${LIVE} ${sequence}`, body] as const),
  ]);
  const changed = [...bodies].filter(([key, body]) => wanted.get(key) !== body).length;
  return {
    deliveries,
    repeated: repeatedBeforeMs.length + counts.repeatedWithoutReason,
    repeatedBeforeMs,
    faults: {
      ...counts,
      ...faults,
      changed: faults.changed + changed,
      ...(await sums(sql, expected.replay.size, expected.live.size)),
    },
  };
}

function updateOf({ runId, endpoint, sequence }: Pick<Arrival, 'runId' | 'endpoint' | 'sequence'>): string {
  return `${runId} ${endpoint} ${sequence}`;
}

/** The bodies of the delivered feed, by sequence. */
function derived(sessionId: string, lines: readonly string[]): Map<number, string> {
  const timeline = deriveTimeline({ sessionId, seriesId: 'f1' }, lines.map(frameOf));
  const all = Array.from({ length: timeline.length }, (_, position) => Buffer.from(timeline.body(position)).toString());
  return new Map(
    all
      .map((body, position) => [position + 1, body] as const)
      .filter(([, body]) => (JSON.parse(body) as { feed: string }).feed === STEADY_FEED),
  );
}

function frameOf(line: string): Frame {
  const message = readIngestLine(line);
  if ('problem' in message) throw new Error(message.problem);
  return message;
}

async function readLog(sql: Sql, webhookIds: readonly string[]): Promise<Logged[]> {
  const webhooks = await sql<{ webhookNo: number; webhookId: string }[]>`
    select webhook_no as "webhookNo", webhook_id as "webhookId" from webhook`;
  const runs = await sql<{ runNo: number; runId: string }[]>`
    select run_no as "runNo", case mode when 'live' then ${LIVE} else run_id end as "runId" from run`;
  const endpoints = new Map(webhooks.map(({ webhookNo, webhookId }) => [webhookNo, webhookIds.indexOf(webhookId)]));
  const runIds = new Map(runs.map(({ runNo, runId }) => [runNo, runId]));
  const logged: Logged[] = [];
  await eachLoggedAttempt(sql, ({ attempt: { webhookNo, runNo, sequence, attempt, result, createdAtMs } }) => {
    const endpoint = endpoints.get(webhookNo);
    const runId = runIds.get(runNo ?? 0);
    if (endpoint === undefined || runId === undefined) return;
    const status = result.kind === 'answered' ? result.statusCode : null;
    logged.push({ endpoint, runId, sequence, attempt, status, startedMs: createdAtMs });
  });
  return logged;
}

/** How many attempts the log has twice, not at all, or with another status than the receiver sent (X2). */
function misrecorded(arrived: readonly Arrival[], rows: readonly Logged[]): number {
  let wrong = rows.filter(({ status }) => status === 200).length === 1 ? 0 : 1;
  const attempts = Math.max(0, ...arrived.map(({ attempt }) => attempt), ...rows.map(({ attempt }) => attempt));
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const row = rows.filter((other) => other.attempt === attempt);
    // If an attempt arrived again, the last arrival is the recorded one.
    const last = arrived.findLast((other) => other.attempt === attempt);
    if (row.length !== 1 || last === undefined || row[0]!.status !== last.status) wrong++;
  }
  return wrong;
}

/** How often an update arrived after the attempt that delivered it according to the log (X3). */
function resent(arrived: readonly Arrival[], rows: readonly Logged[]): number {
  const delivered = rows.find(({ status }) => status === 200);
  if (delivered === undefined) return 0;
  const since = arrived.filter(({ atMs }) => atMs >= delivered.startedMs - CLOCK_SLACK_MS);
  return Math.max(0, since.length - 1);
}

/**
 * For each repeated attempt: how long before the kill that explains it the first one arrived. Null if no kill does
 * (X4).
 */
function repeats(arrived: readonly Arrival[], kills: readonly Kill[]): (number | null)[] {
  return arrived.flatMap((arrival, index) => {
    const again = arrived.slice(index + 1).find(({ attempt }) => attempt <= arrival.attempt);
    if (again === undefined) return [];
    const kill = kills.find(
      ({ kind, atMs }) => LOSES_UNRECORDED.has(kind) && atMs > arrival.atMs - READ_LATE_MS && atMs < again.atMs,
    );
    return [kill === undefined ? null : Math.max(0, kill.atMs - arrival.atMs)];
  });
}

async function sums(
  sql: Sql,
  replayed: number,
  followed: number,
): Promise<Record<'unequalUsage' | 'wrongSums', number>> {
  const [row] = await sql<{ unequal: number; wrong: number }[]>`
    select abs(${loggedCount(sql)} - (select coalesce(sum(attempts), 0) from usage))::int as unequal,
      (select count(*)::int from run join run_endpoint using (run_id)
        where state <> 'completed' or pending <> '' or failed <> 0 or skipped <> '{}' or matched <> delivered
          or matched <> case mode when 'live' then ${followed}::int else ${replayed}::int end) as wrong`;
  return { unequalUsage: row!.unequal, wrongSums: row!.wrong };
}
