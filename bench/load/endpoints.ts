// From ten endpoints to ten thousand, in a real service: what an idle endpoint costs, how long one update takes to
// reach them all, and what a delivery costs at each size.
//
// Measured: a real service fed with a live session over `POST /v1/ingest`, restarted for each count in every round.
// Fan-out: from sending a frame to when the last endpoint has fully received its update. The first update opens the
// connections; later ones are 250 ms apart. Flat out: 40,000 deliveries at once, with the CPU of the whole service
// process. Memory: resident memory of the process, without PostgreSQL.
//
// Idle actors, measured separately: a real shard in its own process with a run that starts in an hour. Growth of the
// heap after garbage collection, counted object by object in heap snapshots (a note lists the kinds), and of resident
// memory.
//
// Not measured: a network, TLS, receivers on many hosts (all share one port of this machine), the creation of the
// endpoints, which are inserted into the database.
//
// How to read: with 10 endpoints, a delivery also carries its share of ingesting and deriving. Compare idle actors by
// the heap; garbage collection moves the resident memory of the service by tens of MiB.
//
// Results, three rounds (machine and method: bench/README.md):
//
//     endpoints   first update to all,   later      flat out   CPU     service,   service, all
//                 connecting             updates               each    idle       connected
//     10              12 ms                3.9 ms   37,964/s   28 us   297 MiB    328 MiB
//     100             31 ms                9.1 ms   43,416/s   23 us   297 MiB    333 MiB
//     1,000          178 ms               37.8 ms   35,878/s   27 us   303 MiB    351 MiB
//     10,000       1,162 ms              284.1 ms   31,266/s   30 us   380 MiB    510 MiB
//
// 380 MiB was measured before the engine connected to waiting endpoints ahead of need; with that it is 445 MiB (one round).
//
// An idle actor takes 1,522 B of heap: 310 B settings and checkpoint, 280 B actor, 260 B strings, 160 B lists, 120 B
// backing stores, 90 B filter, 70 B endpoint. The whole service takes 9.1 KB per endpoint, most of it in the main
// thread. A connection takes 13 KB, most of it objects of `node:net`: with ten thousand open and busy, the service
// exceeds 500 MB.

import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CUSTOM_ENDPOINTS_MAX } from '#api/plans/plan.ts';
import { systemClock } from '#engine/base/clock.ts';
import { median } from '#engine/base/median.ts';
import { BenchService } from '../engines/bench-service.ts';
import { type IdleActors, measureIdleActors } from '../engines/idle-actors.ts';
import { ArrivalReceiver, type Expected } from '../receivers/arrival-receiver-process.ts';
import { readUsage } from '../suite/process-usage.ts';
import type { BenchResult, Measurement, Plot } from '../suite/result.ts';
import { wholeNumber } from '../suite/whole-number.ts';
import { firstLine, STEADY_FEED, STEADY_FIRST_SEQUENCE, steadyLine } from './steady-frames.ts';

export const help = `npm run bench -- endpoints [options]

Feeds a real service with a live session (POST /v1/ingest) and delivers it to 10, 100, 1,000 and 10,000 endpoints in
another process on this machine. Every round restarts the service for each count.
  idle      memory before any update: of the process, and separately of a real shard's heap, object by object
  fan-out   one update, from sending its frame to when the last endpoint has received it: the first update, which opens
            every connection, and later ones, a quarter of a second apart
  flat out  the number of deliveries below, due at once: deliveries/s, and CPU of the whole service per delivery
Lost, doubled, wrongly signed and unrecorded deliveries are faults.

  --most N        the largest number of endpoints (default 10000); runs 10, 100, 1000 and 10000 up to it
  --deliveries N  deliveries of the flat-out part, for each count (default 40000)
  --updates N     single updates after the first, for each count (default 10)
  --shards N      delivery threads (default 1)
  --rounds N      rounds; each runs every count once (default 5, about five minutes)

Ten thousand endpoints need 10,000 open files in one process; see ulimit -n.
Example: npm run bench -- endpoints --most 1000 --rounds 3`;

export const smoke = ['--most', '10', '--deliveries', '500', '--updates', '2', '--rounds', '1'];
export const all = ['--rounds', '3'];

const COUNTS = [10, 100, 1_000, 10_000];
/** The open files of a process besides the connections of endpoints. */
const OTHER_FILES = 300;
const ARRIVAL_MS_MAX = 60_000;
const BETWEEN_UPDATES_MS = 250;
const MIB = 1_048_576;

/** Targets at ten thousand endpoints. */
const TARGETS = { idleBytes: 2_048, fanOutMs: 400, rssMiB: 500e6 / MIB };

interface Options {
  readonly counts: readonly number[];
  readonly deliveries: number;
  readonly updates: number;
  readonly shards: number;
  readonly rounds: number;
}

/** One count of endpoints in one round. Values that the system does not provide are NaN. */
interface Point {
  readonly coldMs: number;
  /** The median of the later updates, and the slowest. */
  readonly warmMs: number;
  readonly slowestMs: number;
  readonly perSecond: number;
  readonly cpuUs: number;
  /** Memory of the service process: before the session, with idle actors, and at the end. */
  readonly bareMiB: number;
  readonly idleMiB: number;
  readonly busyMiB: number;
}

interface Faults {
  lost: number;
  doubled: number;
  wronglySigned: number;
  unrecorded: number;
}

export async function run(args: readonly string[], progress: (line: string) => void): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      most: { type: 'string', default: String(CUSTOM_ENDPOINTS_MAX) },
      deliveries: { type: 'string', default: '40000' },
      updates: { type: 'string', default: '10' },
      shards: { type: 'string', default: '1' },
      rounds: { type: 'string', default: '5' },
    },
  });
  const most = wholeNumber('--most', values.most);
  const filesMax = openFilesMax();
  const counts = COUNTS.filter((count) => count <= most && count + OTHER_FILES <= filesMax);
  if (counts.length === 0) throw new Error(`--most: ${most} is below ${COUNTS[0]}, or below what ulimit -n allows`);
  const options = {
    counts,
    deliveries: wholeNumber('--deliveries', values.deliveries),
    updates: wholeNumber('--updates', values.updates),
    shards: wholeNumber('--shards', values.shards),
    rounds: wholeNumber('--rounds', values.rounds),
  };
  const notes = COUNTS.filter((count) => count <= most && !counts.includes(count)).map(
    (count) => `${count} endpoints were skipped: a process may open only ${filesMax} files here (ulimit -n).`,
  );
  return measure(options, notes, progress);
}

async function measure(
  options: Options,
  notes: readonly string[],
  progress: (line: string) => void,
): Promise<BenchResult> {
  const { counts, deliveries, updates, shards, rounds } = options;
  const points = new Map(counts.map((count) => [count, [] as Point[]]));
  const idle: IdleActors[] = [];
  const faults: Faults = { lost: 0, doubled: 0, wronglySigned: 0, unrecorded: 0 };
  const most = counts.at(-1)!;
  const receiver = await ArrivalReceiver.start();
  try {
    const service = await BenchService.start({ ADMIN_PORT: '0', LIVE_TO_LOCALHOST: 'on', SHARDS: String(shards) });
    try {
      for (let round = 1; round <= rounds; round++) {
        idle.push(await measureIdleActors(most));
        for (const count of counts) {
          if (round > 1 || count !== counts[0]) await service.restart();
          const point = await measurePoint(service, receiver, { count, round, options, faults });
          points.get(count)!.push(point);
          progress(
            `round ${round} of ${rounds}, ${count} endpoints: first update ${point.coldMs.toFixed(0)} ms, ` +
              `later ${point.warmMs.toFixed(1)} ms, ${Math.round(point.perSecond)}/s at ${point.cpuUs.toFixed(0)} us, ` +
              `RSS ${point.idleMiB.toFixed(0)} MiB idle, ${point.busyMiB.toFixed(0)} MiB at the end`,
          );
        }
      }
    } finally {
      await service.end();
    }
  } finally {
    await receiver.end();
  }
  return {
    bench: 'endpoints',
    parameters: { endpoints: counts.join(', '), deliveries, updates, shards, rounds },
    measurements: [...idleMeasurements(most, idle, points.get(most)!), ...pointMeasurements(points)].filter(
      ({ samples }) => samples.every(Number.isFinite),
    ),
    plots: plotsOf(points),
    faults: { ...faults },
    notes: [
      ...notes,
      ...(Number.isFinite(points.get(most)!.at(-1)!.idleMiB)
        ? []
        : ['This system does not report memory and CPU (/proc).']),
      kindsOf(idle.at(-1)!),
    ],
  };
}

async function measurePoint(
  service: BenchService,
  receiver: ArrivalReceiver,
  run: { readonly count: number; readonly round: number; readonly options: Options; readonly faults: Faults },
): Promise<Point> {
  const { count, round, options, faults } = run;
  const session = `${service.process.operatorsAddress}/v1/ingest/2026-bench-${round}-${count}-race`;
  const secrets = await service.useEndpoints(receiver.origin, count, STEADY_FEED);
  const before = await service.recorded();
  const { pid } = service;
  const rssMiB = () => readUsage(pid)?.rssMiB ?? Number.NaN;
  let frames = 0;

  /** Sends frames. Resolves with the milliseconds until every endpoint has received all their updates. */
  const deliver = async (updates: number): Promise<number> => {
    const expected: Expected = { secrets, first: STEADY_FIRST_SEQUENCE + frames, updates };
    await receiver.expect(expected);
    const lines = Array.from({ length: updates }, () => steadyLine(frames++, 20)).join('');
    const startMs = systemClock.nowMs();
    await ingest(session, lines);
    await receiver.settled(ARRIVAL_MS_MAX);
    const { atMs, distinct, doubled, wronglySigned } = await receiver.report();
    faults.lost += updates * count - distinct;
    faults.doubled += doubled;
    faults.wronglySigned += wronglySigned;
    return atMs.reduce((latest, at) => Math.max(latest, at), startMs) - startMs;
  };

  await untilQuiet(service);
  const bareMiB = rssMiB();
  await ingest(session, firstLine());
  await untilQuiet(service);
  const idleMiB = rssMiB();
  const coldMs = await deliver(1);
  const warmMs: number[] = [];
  for (let update = 0; update < options.updates; update++) {
    await pause(BETWEEN_UPDATES_MS);
    warmMs.push(await deliver(1));
  }
  await untilQuiet(service);
  const flat = Math.ceil(options.deliveries / count);
  const cpuBefore = readUsage(pid)?.cpuUs ?? Number.NaN;
  const flatMs = await deliver(flat);
  await untilQuiet(service);
  const cpuUs = ((readUsage(pid)?.cpuUs ?? Number.NaN) - cpuBefore) / (flat * count);
  const busyMiB = rssMiB();
  const delivered = frames * count;
  const after = await recordedUpTo(service, before.logged + delivered);
  faults.unrecorded += Math.abs(after.logged - before.logged - delivered);
  faults.unrecorded += Math.abs(after.used - before.used - delivered);
  await fetch(`${session}/end`, { method: 'POST', signal: service.signal }).then(accepted);
  return {
    coldMs,
    warmMs: median(warmMs),
    slowestMs: Math.max(...warmMs),
    perSecond: (flat * count * 1_000) / flatMs,
    cpuUs,
    bareMiB,
    idleMiB,
    busyMiB,
  };
}

/** Sends frames to the service's ingest route. */
async function ingest(session: string, lines: string): Promise<void> {
  const headers = { 'content-type': 'application/x-ndjson' };
  await accepted(await fetch(session, { method: 'POST', headers, body: lines }));
}

async function accepted(response: Response): Promise<void> {
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${await response.text()}`);
  await response.text();
}

const QUIET_MS = 250;
const QUIET_CPU_US = 20_000;
/** How many consecutive checks must find it quiet, and how many checks at most. */
const QUIET_CHECKS = 2;
const QUIET_CHECKS_MAX = 240;

/** Waits until the service and its database are idle: every actor exists, everything is recorded. */
async function untilQuiet({ pid, sql, signal }: BenchService): Promise<void> {
  let quiet = 0;
  let usedUs = readUsage(pid)?.cpuUs ?? 0;
  for (let check = 0; check < QUIET_CHECKS_MAX && quiet < QUIET_CHECKS; check++) {
    await pause(QUIET_MS, undefined, { signal });
    const nowUs = readUsage(pid)?.cpuUs ?? 0;
    const [activity] = await sql<{ queries: number }[]>`
      select count(*)::int as queries from pg_stat_activity
      where backend_type = 'client backend' and state <> 'idle' and pid <> pg_backend_pid()`;
    quiet = nowUs - usedUs <= QUIET_CPU_US && activity!.queries === 0 ? quiet + 1 : 0;
    usedUs = nowUs;
  }
}

/** Waits until that many attempts are recorded, at most ten seconds, and returns the counts. */
async function recordedUpTo(service: BenchService, attempts: number) {
  let recorded = await service.recorded();
  for (let tries = 0; tries < 40 && Math.min(recorded.logged, recorded.used) < attempts; tries++) {
    await pause(QUIET_MS);
    recorded = await service.recorded();
  }
  return recorded;
}

/** The soft limit, which Node raises to the hard limit at startup, also in child processes. */
function openFilesMax(): number {
  if (!existsSync('/proc/self/limits')) return Number.POSITIVE_INFINITY;
  const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
}

function idleMeasurements(count: number, idle: readonly IdleActors[], points: readonly Point[]): Measurement[] {
  const big = count === CUSTOM_ENDPOINTS_MAX;
  const bytes = (name: string, samples: readonly number[]) =>
    ({ name, unit: 'B', better: 'lower', samples, ...(big && { target: TARGETS.idleBytes }) }) as const;
  return [
    bytes(
      `idle actor, collected heap, of ${count}`,
      idle.map(({ heapBytes }) => heapBytes),
    ),
    bytes(
      `idle actor, memory of a shard's process, of ${count}`,
      idle.map(({ rssBytes }) => rssBytes),
    ),
    {
      name: `idle endpoint, memory of the service, of ${count}`,
      unit: 'B',
      better: 'lower',
      samples: points.map(({ bareMiB, idleMiB }) => ((idleMiB - bareMiB) * MIB) / count),
    },
  ];
}

function pointMeasurements(points: ReadonlyMap<number, readonly Point[]>): Measurement[] {
  return [...points].flatMap(([count, rounds]): Measurement[] => {
    const big = count === CUSTOM_ENDPOINTS_MAX;
    const of = (key: keyof Point) => rounds.map((point) => point[key]);
    const ms = (name: string, key: keyof Point) =>
      ({ name: `${name}, ${count} endpoints`, unit: 'ms', better: 'lower', samples: of(key) }) as const;
    const mib = (name: string, key: keyof Point) =>
      ({ name: `${name}, ${count} endpoints`, unit: 'MiB', better: 'lower', samples: of(key) }) as const;
    return [
      ms('fan-out, connections to be made', 'coldMs'),
      { ...ms('fan-out, connections kept', 'warmMs'), ...(big && { target: TARGETS.fanOutMs }) },
      ms('slowest fan-out, connections kept', 'slowestMs'),
      { name: `flat out, ${count} endpoints`, unit: '/s', better: 'higher', samples: of('perSecond') },
      { name: `CPU of a delivery, ${count} endpoints`, unit: 'us', better: 'lower', samples: of('cpuUs') },
      mib('memory of the service, idle', 'idleMiB'),
      { ...mib('memory of the service, all connected', 'busyMiB'), ...(big && { target: TARGETS.rssMiB }) },
    ];
  });
}

function plotsOf(points: ReadonlyMap<number, readonly Point[]>): Plot[] {
  const x = [...points.keys()];
  const curve = (name: string, key: keyof Point) => ({
    name,
    x,
    y: [...points.values()].map((rounds) => {
      const value = median(rounds.map((point) => point[key]));
      return Number.isFinite(value) ? value : null;
    }),
  });
  const by = { xTitle: 'endpoints', xScale: 'log' } as const;
  return [
    {
      ...by,
      title: 'Fan-out of one update',
      yTitle: 'ms',
      yScale: 'log',
      series: [curve('connections to be made', 'coldMs'), curve('connections kept', 'warmMs')],
    },
    {
      ...by,
      title: 'Flat out',
      yTitle: 'deliveries/s',
      yScale: 'linear',
      series: [curve('deliveries/s', 'perSecond')],
    },
    { ...by, title: 'CPU of a delivery', yTitle: 'us', yScale: 'linear', series: [curve('service process', 'cpuUs')] },
    {
      ...by,
      title: 'Memory of the service',
      yTitle: 'MiB',
      yScale: 'linear',
      series: [curve('idle', 'idleMiB'), curve('all connected', 'busyMiB')],
    },
  ];
}

const KINDS_SHOWN = 8;

function kindsOf({ kinds }: IdleActors): string {
  const shown = kinds.slice(0, KINDS_SHOWN).map(({ name, count, bytes }) => {
    return `${count.toFixed(1)} x ${name} ${bytes.toFixed(0)} B`;
  });
  return `Heap of an idle actor by kind of object, largest first: ${shown.join(', ')}.`;
}
