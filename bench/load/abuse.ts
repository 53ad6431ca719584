// Abuse: what one account, or one address, can do to the others. An honest customer gets a replay at ten times its speed
// and sends API requests at an even rate: alone, and beside each abuse, on one real service.
//
// Measured: p99 of deliveries (from due to fully received, at a receiver with its own process) and of API requests (from
// due to the end of the response; GET webhooks, GET usage, POST and DELETE of an endpoint). In one run for each abuse, short
// slices take turns: the customer alone, beside the abuse, and as the control beside the same flood against another
// process, a bare uWebSockets.js server that refuses each request at once. The control sends the flood's requests over as
// many connections, and each at the moment at which it was sent to the service. So it shows what the flood costs by the
// cores that its client and the kernel take from the customer, with no work of the service. The flood's client has the
// lowest priority. A p99 is that of all slices of its kind, and each ratio has an interval (suite/pooled-quantile.ts).
//
// Each slice's flood comes from addresses that sent nothing before, and begins when the slice does.
//
//     bodies    bodies of one address that arrive a byte a second
//     tests     parallel test deliveries of one account, to an endpoint that never responds
//     creates   parallel requests of one account to create an endpoint
//     tokens    a flood of token requests with right and wrong secrets from one address
//     guesses   a flood of requests with invented tokens from one address
//     logins    sign-ups and wrong passwords from fifty addresses
//     runs      Free accounts hold replays open at the slowest speed, on all sessions that they may, and ask for more
//
// Also measured: what service and database use of the cores, by kind. A slice begins when they have no other work than the
// customer's, so nothing that a flood left behind falls into the next one.
//
// Faults: honest deliveries that are lost, doubled or wrongly signed; requests that the honest receiver got, and attempts of the
// log and of usage, as far as they differ; and honest requests that are refused.
//
// Not measured: a network, TLS, a proxy in front.
//
// How to read: beside to alone is what the customer sees on this machine, control to alone how much of it a flood costs
// without the service. An honest customer alone has an API p99 of 7 to 25 ms, of which collections of garbage and commits
// of the database are most. With 12 slices of 2 s a p99 is the twelfth largest of 1,200 requests.
//
// Results: bench/README.md.
//
// What is left: `bodies` and `tests` send what their address has connections for at the same moment, and the event loop hands
// over all that have arrived in one turn. A bare handler of the HTTP library alone takes 18 to 38 us of each while the client
// sends them on the same cores; the dispatcher adds 2 to 6 us. Collections copy what waits: 0.7 KB of each request, of which
// the library's own handle is 0.1 KB. An API request of the customer takes several turns, for it asks the database, and waits
// in each. `creates` and `logins` write to the same database as the customer.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { systemClock } from '#engine/base/clock.ts';
import type { ApiClient } from '#workers/demo/api-client.ts';
import { BenchService } from '../engines/bench-service.ts';
import { ArrivalReceiver, type Arrivals, type Expected } from '../receivers/arrival-receiver-process.ts';
import { eachLoggedAttempt } from '../suite/logged-attempts.ts';
import { pooledQuantile, pooledRatio } from '../suite/pooled-quantile.ts';
import { readUsage } from '../suite/process-usage.ts';
import type { BenchResult, Measurement } from '../suite/result.ts';
import { postmasterPid, serverCpuUs } from '../suite/server-cpu.ts';
import { wholeNumber } from '../suite/whole-number.ts';
import { ABUSES, type Abuse, AbuseScene, HONEST_SESSION, HONEST_SPEED, runEnded, type Sizes } from './abuse-scene.ts';
import { Abuser, type Flooded } from './abuser-process.ts';
import { HonestClient } from './honest-requests.ts';
import { lagsBetween, lagsOf } from './lag.ts';
import { STEADY_FEED, STEADY_FIRST_SEQUENCE } from './steady-frames.ts';

const TARGET_RATIO = 1.5;
/** The start of a run, in which connections are opened, is left out. */
const BEGINNING_MS = 1_000;
/** How long it may take on average from a slice to the next one: it decides how long the session is. */
const BETWEEN_MS_MEAN = 5_000;
const LATE_MS_MAX = 60_000;
/** Before a slice, service and database use no more of a core than this above what the customer alone takes: what a flood left behind is not measured. */
const QUIET_CORES = 0.1;
const QUIET_LOOK_MS = 300;
const QUIET_WAIT_MS_MAX = 30_000;
const BARE_BYTES = 200;
const BARE_STATUS = '503 Service Unavailable';
const NO_FLOOD: Flooded = { answers: {}, sentMs: new Float64Array() };

export const help = `npm run bench -- abuse [options]

An honest customer gets a replay at ${HONEST_SPEED}x and sends API requests at an even rate: alone, beside an abuse, and as the control
beside the same flood against a bare server that refuses it at once. The three take turns in short slices of one run; a p99 is that of all slices of its kind.

  --abuses LIST    any of ${ABUSES.join(', ')} (default all)
  --seconds N      seconds of each slice (default 2)
  --rate N         updates a second (default 50)
  --endpoints N    honest endpoints (default 10)
  --requests N     honest API requests a second (default 50)
  --bodies N       slow bodies (default 4100)
  --tests N        parallel test deliveries (default 4200)
  --creates N      parallel creates (default 1000)
  --floods N       connections of a flood (default 64)
  --holders N      Free accounts with runs (default 20)
  --pinned N       updates of each session that they hold (default 20000)
  --slices N       slices of each kind, which take turns (default 12)

  npm run bench -- abuse --abuses tests,creates --slices 20`;

export const smoke = [
  ...['--abuses', 'tokens,runs', '--seconds', '1', '--rate', '20', '--endpoints', '2', '--requests', '20'],
  ...['--slices', '1', '--floods', '4', '--holders', '1', '--pinned', '500'],
];

const KINDS = ['alone', 'beside', 'control'] as const;
type Kind = (typeof KINDS)[number];
/** Each turn begins with another kind. The control always follows what it repeats. */
const ORDERS: readonly (readonly Kind[])[] = [
  ['alone', 'beside', 'control'],
  ['beside', 'control', 'alone'],
  ['beside', 'alone', 'control'],
];

/** Before the first turn, uncounted: code that meets a flood for the first time is not compiled yet. */
const WARMING: readonly Kind[] = ['beside', 'control'];

/** A short part of an abuse's run. */
interface Slice {
  readonly kind: Kind;
  /** On the monotonic clock. What is due from then until then counts. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Cores that service and database used. */
  readonly cores: number;
  readonly flooded: Flooded;
  readonly held: number;
}

/** What the honest customer saw, by kind of slice, slice by slice. */
type Latencies = Readonly<Record<Kind, Float64Array[]>>;

interface Play {
  readonly abuse: Abuse;
  readonly slices: readonly Slice[];
  readonly deliveries: Latencies;
  readonly requests: Latencies;
  readonly faults: Readonly<Record<'lost' | 'doubled' | 'wronglySigned' | 'unrecorded' | 'refused', number>>;
}

interface Stage {
  readonly service: BenchService;
  readonly receiver: ArrivalReceiver;
  readonly abuser: Abuser;
  readonly scene: AbuseScene;
  readonly api: ApiClient;
  readonly honest: HonestClient;
  readonly secrets: readonly string[];
  readonly postmaster: number;
  readonly barePort: number;
  readonly sizes: Sizes;
  readonly requestsPerSecond: number;
}

export async function run(args: readonly string[], progress: (line: string) => void): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      abuses: { type: 'string', default: ABUSES.join(',') },
      seconds: { type: 'string', default: '2' },
      rate: { type: 'string', default: '50' },
      endpoints: { type: 'string', default: '10' },
      requests: { type: 'string', default: '50' },
      bodies: { type: 'string', default: '4100' },
      tests: { type: 'string', default: '4200' },
      creates: { type: 'string', default: '1000' },
      floods: { type: 'string', default: '64' },
      holders: { type: 'string', default: '20' },
      pinned: { type: 'string', default: '20000' },
      slices: { type: 'string', default: '12' },
    },
  });
  const number = (name: Exclude<keyof typeof values, 'abuses'>): number => wholeNumber(`--${name}`, values[name]);
  const abuses = abusesOf(values.abuses);
  const sizes: Sizes = {
    perSecond: number('rate'),
    seconds: KINDS.length * (number('slices') + 1) * (number('seconds') + BETWEEN_MS_MEAN / 1_000),
    bodies: number('bodies'),
    tests: number('tests'),
    creates: number('creates'),
    floods: number('floods'),
    holders: number('holders'),
    pinnedUpdates: number('pinned'),
  };
  const endpoints = number('endpoints');
  const requestsPerSecond = number('requests');
  const slices = number('slices');
  const seconds = number('seconds');
  const plays: Play[] = [];
  await withStage({ sizes, endpoints, requestsPerSecond, abuses }, progress, async (stage) => {
    for (const abuse of abuses) plays.push(await play(stage, abuse, slices, seconds, progress));
  });
  const sum = (fault: keyof Play['faults']): number => plays.reduce((total, { faults }) => total + faults[fault], 0);
  return {
    bench: 'abuse',
    parameters: { ...sizes, seconds, abuses: abuses.join(','), endpoints, requests: requestsPerSecond, slices },
    measurements: plays.flatMap(measurementsOf),
    plots: [],
    faults: {
      lost: sum('lost'),
      doubled: sum('doubled'),
      wronglySigned: sum('wronglySigned'),
      unrecorded: sum('unrecorded'),
      refused: sum('refused'),
    },
    notes: [
      ...plays.flatMap(intervalsOf),
      'flood, receiver and honest customer share the cores of this machine with the service',
    ],
  };
}

function abusesOf(list: string): readonly Abuse[] {
  return list.split(',').map((text) => {
    const abuse = ABUSES.find((known) => known === text);
    if (abuse === undefined) throw new Error(`--abuses: "${text}" is none of ${ABUSES.join(', ')}`);
    return abuse;
  });
}

/** Starts all processes of the bench, and stops them in any case. */
async function withStage(
  options: {
    readonly sizes: Sizes;
    readonly endpoints: number;
    readonly requestsPerSecond: number;
    readonly abuses: readonly Abuse[];
  },
  progress: (line: string) => void,
  use: (stage: Stage) => Promise<void>,
): Promise<void> {
  const { sizes, endpoints, requestsPerSecond, abuses } = options;
  const closing: (() => unknown)[] = [];
  try {
    const receiver = await ArrivalReceiver.start();
    closing.push(() => receiver.end());
    const abuser = new Abuser();
    closing.push(() => abuser.end());
    const bare = await startBareServer();
    closing.push(() => bare.process.disconnect());
    const service = await BenchService.start({ SHARDS: '1', SEASON: '2026' });
    closing.push(() => service.end());
    const secrets = await service.useEndpoints(receiver.origin, endpoints, STEADY_FEED);
    const scene = await AbuseScene.prepare(service, sizes, abuses, progress);
    closing.push(() => scene.close());
    const api = await service.openApi();
    const honest = new HonestClient(Number(new URL(service.process.address).port), api.token);
    closing.push(() => honest.close());
    await use({
      ...{ service, receiver, abuser, scene, api, honest, secrets, sizes, requestsPerSecond },
      postmaster: await postmasterPid(service.sql),
      barePort: bare.port,
    });
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

async function startBareServer(): Promise<{ readonly process: ChildProcess; readonly port: number }> {
  const process = fork(new URL('../peers/bare-server.ts', import.meta.url), [String(BARE_BYTES), BARE_STATUS]);
  const [{ port }] = (await once(process, 'message')) as [{ port: number }];
  return { process, port };
}

async function play(
  stage: Stage,
  abuse: Abuse,
  turns: number,
  seconds: number,
  progress: (line: string) => void,
): Promise<Play> {
  const { receiver, api, honest, secrets, sizes, requestsPerSecond } = stage;
  const { perSecond } = sizes;
  const updates = Math.ceil(sizes.seconds * perSecond);
  const expected = { secrets, first: STEADY_FIRST_SEQUENCE, updates };
  await quiet(stage, 0);
  await receiver.expect(expected);
  const usedBefore = await usedBy(stage);
  const { runId } = await api.startRun(HONEST_SESSION, HONEST_SPEED);
  const { startedAt } = await api.run(runId);
  // Converted to the monotonic clock now, so a later correction of the wall clock has no effect.
  const startMs = systemClock.nowMs() - (systemClock.wallMs() - Date.parse(startedAt));
  const endRequests = honest.play(requestsPerSecond);
  await systemClock.sleep(BEGINNING_MS);
  const cpu = new CpuWatch(stage);
  await systemClock.sleep(BEGINNING_MS);
  const customerCores = cpu.cores();
  const slices: Slice[] = [];
  for (let turn = 0; turn <= turns; turn++) {
    let flooded = NO_FLOOD;
    for (const kind of turn === 0 ? WARMING : ORDERS[turn % ORDERS.length]!) {
      await quiet(stage, customerCores);
      const slice = await sliceOf(stage, abuse, kind, turn, seconds, flooded.sentMs);
      if (kind === 'beside') flooded = slice.flooded;
      if (turn > 0) slices.push(slice);
      progress(`${abuse}, turn ${turn} of ${turns}, ${describe(slice)}`);
    }
  }
  if (slices.at(-1)!.toMs > startMs + sizes.seconds * 1_000)
    throw new Error(`${abuse}: the session ended before the last slice`);
  const { dueMs, latencyMs, refused } = await endRequests();
  const dueAtMs = (position: number) => startMs + (position + 1 - STEADY_FIRST_SEQUENCE) * (1_000 / perSecond);
  const arrivals = await arrivalsUntil(stage, expected, dueAtMs, slices.at(-1)!.toMs);
  await api.stopRun(runId);
  await runEnded(api, runId);
  const unrecorded = await unrecordedOf(stage, runId, usedBefore);
  const lag = lagsOf(arrivals, expected, dueAtMs);
  const firstMs = dueAtMs(STEADY_FIRST_SEQUENCE - 1);
  return {
    ...{ abuse, slices },
    deliveries: byKind(slices, ({ fromMs, toMs }) => lagsBetween(lag, fromMs - firstMs, toMs - firstMs)),
    requests: byKind(slices, ({ fromMs, toMs }) =>
      Float64Array.from(latencyMs.filter((_, index) => dueMs[index]! >= fromMs && dueMs[index]! < toMs)),
    ),
    faults: {
      lost: arrivals.lost,
      doubled: arrivals.doubled,
      wronglySigned: arrivals.wronglySigned,
      unrecorded,
      refused,
    },
  };
}

/** `sentMs`: when the flood sent its requests to the service, which the control does again. */
async function sliceOf(
  stage: Stage,
  abuse: Abuse,
  kind: Kind,
  turn: number,
  seconds: number,
  sentMs: Float64Array,
): Promise<Slice> {
  const { service, abuser, scene, barePort } = stage;
  const runs = abuse === 'runs' && kind === 'beside' ? await scene.holdRuns() : null;
  if (kind !== 'alone') {
    const target =
      kind === 'beside'
        ? { port: Number(new URL(service.process.address).port), scheduleMs: null }
        : { port: barePort, scheduleMs: sentMs, pauseMs: 0 };
    await abuser.connect({ ...scene.floodOf(abuse, turn), ...target });
  }
  // What opening connections leaves to do.
  await systemClock.sleep(QUIET_LOOK_MS);
  const fromMs = systemClock.nowMs();
  const toMs = fromMs + seconds * 1_000;
  const cpu = new CpuWatch(stage);
  if (kind !== 'alone') await abuser.begin();
  await systemClock.sleep(toMs - systemClock.nowMs());
  const cores = cpu.cores();
  const flooded = kind === 'alone' ? NO_FLOOD : await abuser.stop();
  await runs?.release();
  if (kind === 'beside' && flooded.sentMs.length === 0)
    throw new Error(`${abuse}: the flood has sent nothing, so nothing can be said of what it costs`);
  return { kind, fromMs, toMs, cores, flooded, held: runs?.held ?? 0 };
}

/** What has arrived once everything has that was due until then, at most LATE_MS_MAX later. */
async function arrivalsUntil(
  { receiver }: Stage,
  { secrets, updates }: Expected,
  dueAtMs: (position: number) => number,
  untilMs: number,
): Promise<Arrivals & { readonly lost: number }> {
  const lateMs = systemClock.nowMs() + LATE_MS_MAX;
  for (;;) {
    const arrivals = await receiver.report();
    let lost = 0;
    for (let update = 0; update < updates && dueAtMs(STEADY_FIRST_SEQUENCE - 1 + update) < untilMs; update++) {
      for (let endpoint = 0; endpoint < secrets.length; endpoint++) {
        if (arrivals.atMs[endpoint * updates + update] === 0) lost++;
      }
    }
    if (lost === 0 || systemClock.nowMs() > lateMs) return { ...arrivals, lost };
    await systemClock.sleep(50);
  }
}

/** On how many attempts of this run receiver, log and usage disagree. */
async function unrecordedOf(stage: Stage, runId: string, usedBefore: number): Promise<number> {
  const { service, receiver } = stage;
  const [run] = await service.sql<{ runNo: number }[]>`select run_no as "runNo" from run where run_id = ${runId}`;
  let logged = 0;
  await eachLoggedAttempt(service.sql, () => void logged++, run!.runNo);
  const { requests } = await receiver.report();
  return Math.abs(requests - logged) + Math.abs((await usedBy(stage)) - usedBefore - logged);
}

/** Attempts of the honest customer in usage. */
async function usedBy({ service: { sql, accountId } }: Stage): Promise<number> {
  const [usage] = await sql<{ used: number }[]>`
    select coalesce(sum(attempts), 0)::int as used from usage where account_id = ${accountId}`;
  return usage!.used;
}

function byKind(slices: readonly Slice[], latenciesOf: (slice: Slice) => Float64Array): Latencies {
  const own = (kind: Kind) => slices.filter((slice) => slice.kind === kind).map(latenciesOf);
  return { alone: own('alone'), beside: own('beside'), control: own('control') };
}

/** What service and database use of the cores. */
class CpuWatch {
  readonly #stage: Stage;
  readonly #beganMs = systemClock.nowMs();
  readonly #beganUs: number;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#beganUs = this.#usedUs();
  }

  /** On average, since it was made. */
  cores(): number {
    return (this.#usedUs() - this.#beganUs) / 1_000 / (systemClock.nowMs() - this.#beganMs);
  }

  #usedUs(): number {
    const { service, postmaster } = this.#stage;
    return (readUsage(service.pid)?.cpuUs ?? 0) + serverCpuUs(postmaster);
  }
}

/** Waits until the service has no work left but what the customer causes. */
async function quiet(stage: Stage, customerCores: number): Promise<void> {
  const untilMs = systemClock.nowMs() + QUIET_WAIT_MS_MAX;
  while (systemClock.nowMs() < untilMs) {
    const cpu = new CpuWatch(stage);
    await systemClock.sleep(QUIET_LOOK_MS);
    if (cpu.cores() < customerCores + QUIET_CORES) return;
  }
  throw new Error(`the service is still at work ${QUIET_WAIT_MS_MAX / 1_000} s after a flood`);
}

function describe({ kind, cores, flooded, held }: Slice): string {
  const counts = Object.entries(flooded.answers).map(([status, count]) => `${count} x ${status}`);
  const responses = counts.join(', ') || 'no response';
  const flood = kind === 'alone' ? '' : `; ${flooded.sentMs.length} requests of the flood: ${responses}`;
  const runs = held === 0 ? '' : `; ${held} runs held open`;
  return `${kind}: ${cores.toFixed(2)} cores${flood}${runs}`;
}

const SIDES = [
  ['beside', 'alone'],
  ['beside', 'control'],
  ['control', 'alone'],
] as const;

function measurementsOf({ abuse, slices, deliveries, requests }: Play): Measurement[] {
  const better = 'lower' as const;
  const p99s = Object.entries({ deliveries, requests }).flatMap(([what, latencies]): Measurement[] => [
    ...KINDS.map((kind) => ({
      ...{ name: `${abuse}, ${what} p99: ${kind}`, unit: 'ms' as const, better },
      samples: [pooledQuantile(latencies[kind], 0.99)],
    })),
    ...SIDES.map(([over, under]) => ({
      ...{ name: `${abuse}, ${what} p99: ${over} to ${under}`, unit: 'x' as const, better },
      samples: [pooledQuantile(latencies[over], 0.99) / pooledQuantile(latencies[under], 0.99)],
      ...(over === 'beside' && under === 'alone' ? { target: TARGET_RATIO } : {}),
    })),
  ]);
  const cores = (kind: Kind): Measurement => ({
    ...{ name: `${abuse}, of a core, service and database: ${kind}`, unit: 'share', better },
    samples: [mean(slices.filter((slice) => slice.kind === kind).map((slice) => slice.cores))],
  });
  return [...p99s, ...KINDS.map(cores)];
}

/** The ratios again, each with its 95 % interval. */
function intervalsOf({ abuse, deliveries, requests }: Play): string[] {
  return Object.entries({ deliveries, requests }).map(([what, latencies]) => {
    const ratios = SIDES.map(([over, under]) => {
      const { ratio, low, high } = pooledRatio(latencies[over], latencies[under], 0.99);
      return `${over} to ${under} ${ratio.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
    });
    return `${abuse}, ${what} p99: ${ratios.join(', ')}`;
  });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
