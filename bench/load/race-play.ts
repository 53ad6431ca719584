// One play of a stretch of a race to endpoints of a receiver: how late the deliveries were, what they cost, and what was
// wrong with them.

import { setTimeout as pause } from 'node:timers/promises';
import type { Sql } from '#engine/storage/postgres-client.ts';
import type { PacedEngine, Play } from '../engines/paced-engine.ts';
import type { UsageSample } from '../engines/paced-engine-messages.ts';
import type { ArrivalReceiver } from '../receivers/arrival-receiver-process.ts';
import { monotonicMs } from '../suite/monotonic.ts';
import { latencyCurve, quantile } from '../suite/quantiles.ts';
import type { Series } from '../suite/result.ts';
import { lagsOf, largestOverTime, splitAt } from './lag.ts';
import { faultsOf, type PlayFaults } from './play-faults.ts';
import { answerLatencies, readRecords, usageLatency } from './play-records.ts';
import type { RaceSlice } from './race-slice.ts';

/** How much of a play is its beginning, unless the bench says otherwise. */
const BEGINNING_SHARE = 0.1;
export const BEGINNING_MS_MAX = 3_000;
const LAG_POLL_MS = 1_000;
const BINS = 300;

/** One play of a stretch to one number of endpoints. Latencies are in milliseconds. */
export interface RacePlay {
  readonly endpoints: number;
  /** Connections that the receiver accepted. */
  readonly connections: number;
  /** After the beginning, in which connections are opened and code is compiled. */
  readonly lag: Quantiles;
  /** p99 lag of the beginning, and of the whole play. */
  readonly beginningP99: number;
  readonly wholeP99: number;
  readonly ack: Quantiles;
  /** From due to answered, as recorded in the account's usage. */
  readonly usageP99: number;
  /** CPU of the engine's process: per delivery after the beginning, and as a share of one core while updates were due. */
  readonly cpuUsEach: number;
  readonly cpuShare: number;
  readonly rssMiB: number;
  readonly curves: { readonly lag: Series; readonly ack: Series };
  readonly overTime: {
    readonly lag: Series;
    readonly shownLag: Series;
    readonly cpu: Series;
    readonly rss: Series;
  };
  readonly faults: PlayFaults;
}

export type Quantiles = Readonly<Record<(typeof QUANTILES)[number][0], number>>;

export const QUANTILES = [
  ['p50', 0.5],
  ['p99', 0.99],
  ['p99.9', 0.999],
  ['max', 1],
] as const;

/** Where a play goes, and how fast. */
export interface RaceOrder {
  readonly engine: PacedEngine;
  readonly receiver: ArrivalReceiver;
  readonly slice: RaceSlice;
  /** Of `engine.load`. */
  readonly artifactFile: string;
  readonly count: number;
  readonly speed: number;
  /** URLs of the endpoints; the receiver's own unless given. */
  readonly urls?: readonly string[];
  /** Subtracted from every lag: the time that the last part of the way takes. */
  readonly travelMs?: number;
  /** Length of the beginning. */
  readonly beginningMs?: number;
  /** In plots. */
  readonly name?: string;
}

export async function playRace({
  engine,
  receiver,
  slice: { timeline, from, updates },
  artifactFile,
  count,
  speed,
  urls = receiver.urls(count),
  travelMs = 0,
  beginningMs,
  name = `${count} endpoints`,
}: RaceOrder): Promise<RacePlay> {
  const { sql } = engine;
  const endpoints = await engine.register(urls);
  const expected = { secrets: endpoints.map(({ secret }) => secret), first: from + 1, updates };
  await receiver.expect(expected);
  const play = await engine.play({ timeline, artifactFile, from, speed, endpoints });
  const firstDueMs = play.dueAtMs(from);
  const lastDueMs = play.dueAtMs(from + updates - 1);
  const watch = new AbortController();
  const shown = watchShownLag(sql, play, firstDueMs, watch.signal);
  // Every attempt has its response by then, so no more deliveries will arrive.
  const usage = await play.settled.finally(() => watch.abort());
  const shownLag = await shown;
  const arrivals = await receiver.report();
  const webhookIds = endpoints.map(({ webhookId }) => webhookId);
  const records = await readRecords(sql, play, webhookIds, updates);
  const ack = await answerLatencies(sql, play, records.logged);
  const lag = lagsOf(arrivals, expected, (position) => play.dueAtMs(position) + travelMs);
  const steadyAfterMs = beginningMs ?? Math.min(BEGINNING_MS_MAX, (lastDueMs - firstDueMs) * BEGINNING_SHARE);
  const [beginning, sorted] = splitAt(lag, steadyAfterMs);
  if (beginning.length === 0 || sorted.length === 0)
    throw new Error(
      `only ${arrivals.distinct} deliveries arrived, too few to measure; play a longer stretch (--seconds)`,
    );
  const busy = usage.filter(({ atMs }) => atMs >= firstDueMs);
  const cpuUs = busy.at(-1)!.cpuUs - busy[0]!.cpuUs;
  const steadyFrom = busy.find(({ atMs }) => atMs >= firstDueMs + steadyAfterMs) ?? busy[0]!;
  return {
    endpoints: count,
    connections: arrivals.accepted,
    lag: quantilesOf(sorted),
    beginningP99: quantile(beginning, 0.99),
    wholeP99: quantile(Float64Array.from(lag.lagMs).sort(), 0.99),
    ack: quantilesOf(ack),
    usageP99: (await usageLatency(sql, play)).quantile(0.99),
    cpuUsEach: (busy.at(-1)!.cpuUs - steadyFrom.cpuUs) / sorted.length,
    cpuShare: cpuUs / 1_000 / Math.max(1, busy.at(-1)!.atMs - busy[0]!.atMs),
    rssMiB: Math.max(...usage.map(rssMiB)),
    curves: { lag: latencyCurve(`lag, ${name}`, sorted), ack: latencyCurve(`ack, ${name}`, ack) },
    overTime: {
      lag: largestOverTime(`received, ${name}`, lag, BINS),
      shownLag: { ...shownLag, name: `lagMs of the run, ${name}` },
      cpu: { name, ...cpuOverTime(usage, firstDueMs) },
      rss: { name, x: usage.map(({ atMs }) => (atMs - firstDueMs) / 1_000), y: usage.map(rssMiB) },
    },
    faults: faultsOf(arrivals, count * updates, records.logged, records),
  };
}

/** The largest `lagMs` of the run's endpoints, as `GET /v1/simulate/runs` reports it, once a second. */
async function watchShownLag(sql: Sql, { runId }: Play, firstDueMs: number, signal: AbortSignal): Promise<Curve> {
  const x: number[] = [];
  const y: number[] = [];
  while (!signal.aborted) {
    const [row] = await sql<{ lagMs: number }[]>`
      select coalesce(max(lag_ms), 0)::int as "lagMs" from run_endpoint where run_id = ${runId}`;
    x.push((monotonicMs() - firstDueMs) / 1_000);
    y.push(row!.lagMs);
    await pause(LAG_POLL_MS, null, { signal }).catch(() => {});
  }
  return { x, y };
}

type Curve = Omit<Series, 'name'>;

/** Cores used by the process between two samples. */
function cpuOverTime(usage: readonly UsageSample[], firstDueMs: number): Curve {
  const steps = usage.slice(1).map((sample, index) => {
    const before = usage[index]!;
    const cores = (sample.cpuUs - before.cpuUs) / 1_000 / Math.max(1, sample.atMs - before.atMs);
    return { x: (sample.atMs - firstDueMs) / 1_000, y: cores };
  });
  return { x: steps.map(({ x }) => x), y: steps.map(({ y }) => y) };
}

function rssMiB({ rssBytes }: UsageSample): number {
  return rssBytes / 1_048_576;
}

function quantilesOf(sorted: Float64Array): Quantiles {
  return Object.fromEntries(QUANTILES.map(([name, share]) => [name, quantile(sorted, share)])) as Quantiles;
}
