// Abuse: what one account, or one address, can do to the others. An honest customer gets a replay at ten times its speed
// and sends API requests at an even rate: alone, and beside each abuse, on one real service.
//
// Measured: p99 of deliveries (from due to fully received, at a receiver with its own process) and of API requests (from
// due to the end of the response; GET webhooks, GET usage, POST and DELETE of an endpoint). Every round plays each abuse
// three times in a row: the customer alone, beside the abuse, and as the control beside the same flood against another
// process, a bare uWebSockets.js server that refuses each request at once. The control sends the flood's requests over as
// many connections, and each at the moment at which it was sent to the service. So it shows what the flood costs by the
// cores that its client and the kernel take from the customer, with no work of the service. The flood begins a second after the run, and only
// what is due from then on is measured.
//
//     bodies    bodies of one address that arrive a byte a second
//     tests     parallel test deliveries of one account, to an endpoint that never responds
//     creates   parallel requests of one account to create an endpoint
//     tokens    a flood of token requests with right and wrong secrets from one address
//     guesses   a flood of requests with invented tokens from one address
//     logins    sign-ups and wrong passwords from fifty addresses
//     runs      Free accounts hold replays open at the slowest speed, on all sessions that they may, and ask for more
//
// Also measured: what service and database use of the cores, alone and beside. A play begins when they have no work left,
// so nothing that a flood left behind falls into the next one.
//
// Faults: honest deliveries that are lost, doubled or wrongly signed, and honest requests that are refused.
//
// Not measured: a network, TLS, a proxy in front.
//
// How to read: an honest customer alone has an API p99 of 7 to 16 ms, of which collections of garbage and commits of the
// database are most. At `--seconds 4` its p99 is the second largest of 150 requests, so one stall of 40 ms shows.
//
// Results: bench/README.md. Single rounds of the control are 0.3 to 4 times as long as alone: look at medians and ranges.
//
// What is left: `bodies` and `tests` send 4,100 requests at the same moment. The front reads all of them before its next
// turn, at 5 us each when the code is warm: half of that is the kernel and the HTTP library. Before, what each left
// behind while it waited was copied by collections, and it was up to 25 us. `creates` and `logins` write to the same
// database as the customer.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { systemClock } from '#engine/base/clock.ts';
import type { ApiClient } from '#workers/demo/api-client.ts';
import { BenchService } from '../engines/bench-service.ts';
import { ArrivalReceiver } from '../receivers/arrival-receiver-process.ts';
import { readUsage } from '../suite/process-usage.ts';
import { quantile } from '../suite/quantiles.ts';
import type { BenchResult, Measurement } from '../suite/result.ts';
import { postmasterPid, serverCpuUs } from '../suite/server-cpu.ts';
import { wholeNumber } from '../suite/whole-number.ts';
import { ABUSES, type Abuse, AbuseScene, HONEST_SESSION, HONEST_SPEED, type Sizes } from './abuse-scene.ts';
import { Abuser, type Flooded } from './abuser-process.ts';
import { HonestClient } from './honest-requests.ts';
import { lagsOf, splitAt } from './lag.ts';
import { STEADY_FEED, STEADY_FIRST_SEQUENCE } from './steady-frames.ts';

const TARGET_RATIO = 1.5;
/** The start of a run, in which connections are opened. It is left out, and the flood begins after it. */
const BEGINNING_SHARE = 0.2;
const BEGINNING_MS_MAX = 1_000;
const LATE_MS_MAX = 60_000;
/** Before a play, service and database must use less than this share of a core, or what a flood left behind would be measured. */
const QUIET_CORES = 0.15;
const QUIET_LOOK_MS = 300;
const QUIET_WAIT_MS_MAX = 15_000;
const BARE_BYTES = 200;
const BARE_STATUS = '503 Service Unavailable';
const NO_FLOOD: Flooded = { answers: {}, sentMs: new Float64Array() };

export const help = `npm run bench -- abuse [options]

An honest customer gets a replay at ${HONEST_SPEED}x and sends API requests at an even rate: alone, beside an abuse, and as the control
beside the same flood against a bare server that refuses it at once. Ratios are those of the p99s in the same round.

  --abuses LIST    any of ${ABUSES.join(', ')} (default all)
  --seconds N      seconds of each play (default 4)
  --rate N         updates a second (default 50)
  --endpoints N    honest endpoints (default 10)
  --requests N     honest API requests a second (default 50)
  --bodies N       slow bodies (default 4100)
  --tests N        parallel test deliveries (default 4200)
  --creates N      parallel creates (default 1000)
  --floods N       connections of a flood (default 64)
  --holders N      Free accounts with runs (default 20)
  --pinned N       updates of each session that they hold (default 20000)
  --rounds N       rounds (default 3)

  npm run bench -- abuse --abuses tests,creates --rounds 5`;

export const smoke = [
  ...['--abuses', 'tokens,runs', '--seconds', '1', '--rate', '20', '--endpoints', '2', '--requests', '20'],
  ...['--rounds', '1', '--floods', '4', '--holders', '1'],
];

/** In the order of the plays: the control repeats the flood that the service got. */
const KINDS = ['alone', 'beside', 'control'] as const;
type Kind = (typeof KINDS)[number];

interface Play {
  readonly abuse: Abuse;
  readonly kind: Kind;
  readonly deliveriesP99: number;
  readonly requestsP99: number;
  /** Cores that service and database used. */
  readonly cores: number;
  readonly flooded: Flooded;
  readonly held: number;
  readonly faults: Readonly<Record<'lost' | 'doubled' | 'wronglySigned' | 'refused', number>>;
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
      seconds: { type: 'string', default: '4' },
      rate: { type: 'string', default: '50' },
      endpoints: { type: 'string', default: '10' },
      requests: { type: 'string', default: '50' },
      bodies: { type: 'string', default: '4100' },
      tests: { type: 'string', default: '4200' },
      creates: { type: 'string', default: '1000' },
      floods: { type: 'string', default: '64' },
      holders: { type: 'string', default: '20' },
      pinned: { type: 'string', default: '20000' },
      rounds: { type: 'string', default: '3' },
    },
  });
  const number = (name: Exclude<keyof typeof values, 'abuses'>): number => wholeNumber(`--${name}`, values[name]);
  const abuses = abusesOf(values.abuses);
  const sizes: Sizes = {
    perSecond: number('rate'),
    seconds: number('seconds'),
    bodies: number('bodies'),
    tests: number('tests'),
    creates: number('creates'),
    floods: number('floods'),
    holders: number('holders'),
    pinnedUpdates: number('pinned'),
  };
  const endpoints = number('endpoints');
  const requestsPerSecond = number('requests');
  const rounds = number('rounds');
  const plays: Play[] = [];
  await withStage({ sizes, endpoints, requestsPerSecond, abuses }, progress, async (stage) => {
    await playOnce(stage, abuses[0]!, 'alone', NO_FLOOD.sentMs);
    for (let round = 1; round <= rounds; round++) {
      for (const abuse of abuses) {
        let flooded = NO_FLOOD;
        for (const kind of KINDS) {
          const play = await playOnce(stage, abuse, kind, flooded.sentMs);
          flooded = play.flooded;
          plays.push(play);
          progress(`round ${round} of ${rounds}, ${describe(play)}`);
        }
      }
    }
  });
  const sum = (fault: keyof Play['faults']): number => plays.reduce((total, { faults }) => total + faults[fault], 0);
  return {
    bench: 'abuse',
    parameters: { ...sizes, abuses: abuses.join(','), endpoints, requests: requestsPerSecond, rounds },
    measurements: abuses.flatMap((abuse) => measurementsOf(abuse, plays)),
    plots: [],
    faults: {
      lost: sum('lost'),
      doubled: sum('doubled'),
      wronglySigned: sum('wronglySigned'),
      refused: sum('refused'),
    },
    notes: ['the floods, the receiver and the honest customer share the cores of this machine with the service'],
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

/** `sentMs`: when the flood of the play before sent its requests, which the control does again. */
async function playOnce(stage: Stage, abuse: Abuse, kind: Kind, sentMs: Float64Array): Promise<Play> {
  const { service, receiver, abuser, scene, api, honest, secrets, barePort, sizes, requestsPerSecond } = stage;
  const { seconds, perSecond } = sizes;
  const updates = Math.ceil(seconds * perSecond);
  const expected = { secrets, first: STEADY_FIRST_SEQUENCE, updates };
  await quiet(stage);
  await receiver.expect(expected);
  const runs = abuse === 'runs' && kind === 'beside' ? await scene.holdRuns() : null;
  if (kind !== 'alone') {
    const target =
      kind === 'beside'
        ? { port: Number(new URL(service.process.address).port), scheduleMs: null }
        : { port: barePort, scheduleMs: sentMs, pauseMs: 0 };
    await abuser.connect({ ...scene.floodOf(abuse), ...target });
  }
  const { runId } = await api.startRun(HONEST_SESSION, HONEST_SPEED);
  const { startedAt } = await api.run(runId);
  // Converted to the monotonic clock now, so a later correction of the wall clock has no effect.
  const startMs = systemClock.nowMs() - (systemClock.wallMs() - Date.parse(startedAt));
  const beginningMs = Math.min(BEGINNING_MS_MAX, seconds * 1_000 * BEGINNING_SHARE);
  await systemClock.sleep(Math.max(0, startMs + beginningMs - systemClock.nowMs()));
  if (kind !== 'alone') await abuser.begin();
  const cpu = new CpuWatch(stage);
  const { latenciesMs, refused } = await honest.play(seconds - beginningMs / 1_000, requestsPerSecond);
  const cores = cpu.cores();
  await receiver.settled(LATE_MS_MAX);
  const flooded = kind === 'alone' ? NO_FLOOD : await abuser.stop();
  const arrivals = await receiver.report();
  await runs?.release();
  await ended(api, runId);
  const everyMs = 1_000 / perSecond;
  const dueAtMs = (position: number) => startMs + (position + 1 - STEADY_FIRST_SEQUENCE) * everyMs;
  const [, lags] = splitAt(lagsOf(arrivals, expected, dueAtMs), beginningMs);
  return {
    ...{ abuse, kind, cores, flooded, held: runs?.held ?? 0 },
    deliveriesP99: quantile(lags, 0.99),
    requestsP99: quantile(latenciesMs, 0.99),
    faults: {
      lost: secrets.length * updates - arrivals.distinct,
      doubled: arrivals.doubled,
      wronglySigned: arrivals.wronglySigned,
      refused,
    },
  };
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

/** Waits until the service has no work left. */
async function quiet(stage: Stage): Promise<void> {
  const untilMs = systemClock.nowMs() + QUIET_WAIT_MS_MAX;
  while (systemClock.nowMs() < untilMs) {
    const cpu = new CpuWatch(stage);
    await systemClock.sleep(QUIET_LOOK_MS);
    if (cpu.cores() < QUIET_CORES) return;
  }
  throw new Error(`the service is still at work ${QUIET_WAIT_MS_MAX / 1_000} s after a flood`);
}

/** Waits until the run has ended: an account has one replay at a time. */
async function ended(api: ApiClient, runId: string): Promise<void> {
  const untilMs = systemClock.nowMs() + LATE_MS_MAX;
  while (systemClock.nowMs() < untilMs) {
    const { state } = await api.run(runId);
    if (state === 'completed' || state === 'stopped') return;
    await systemClock.sleep(50);
  }
  throw new Error(`the run ${runId} has not ended within ${LATE_MS_MAX / 1_000} s`);
}

function describe({ abuse, kind, deliveriesP99, requestsP99, cores, flooded, held }: Play): string {
  const counts = Object.entries(flooded.answers).map(([status, count]) => `${count} x ${status}`);
  const responses = counts.join(', ') || 'no response';
  const flood = kind === 'alone' ? '' : `; ${flooded.sentMs.length} requests of the flood: ${responses}`;
  const runs = held === 0 ? '' : `; ${held} runs held open`;
  const p99s = `deliveries p99 ${deliveriesP99.toFixed(2)}, API p99 ${requestsP99.toFixed(2)} ms`;
  return `${abuse}, ${kind}: ${p99s}, ${cores.toFixed(2)} cores${flood}${runs}`;
}

function measurementsOf(abuse: Abuse, plays: readonly Play[]): Measurement[] {
  const own = (kind: Kind): readonly Play[] => plays.filter((play) => play.abuse === abuse && play.kind === kind);
  const p99s = (['deliveries', 'requests'] as const).flatMap((what): Measurement[] => {
    const p99 = (play: Play): number => (what === 'deliveries' ? play.deliveriesP99 : play.requestsP99);
    const [alone, beside, control] = KINDS.map((kind) => own(kind).map(p99)) as [number[], number[], number[]];
    const name = `${abuse}, ${what} p99`;
    const better = 'lower' as const;
    const ratio = (samples: readonly number[], to: readonly number[]): number[] =>
      samples.map((sample, round) => sample / to[round]!);
    return [
      { name: `${name}: alone`, unit: 'ms', better, samples: alone },
      { name: `${name}: control`, unit: 'ms', better, samples: control },
      { name: `${name}: beside`, unit: 'ms', better, samples: beside },
      { name: `${name}: beside to alone`, unit: 'x', better, samples: ratio(beside, alone), target: TARGET_RATIO },
      { name: `${name}: beside to control`, unit: 'x', better, samples: ratio(beside, control) },
      { name: `${name}: control to alone`, unit: 'x', better, samples: ratio(control, alone) },
    ];
  });
  const cores = (kind: Kind): Measurement => ({
    ...{ name: `${abuse}, of a core, service and database: ${kind}`, unit: 'share', better: 'lower' },
    samples: own(kind).map((play) => play.cores),
  });
  return [...p99s, cores('alone'), cores('beside')];
}
