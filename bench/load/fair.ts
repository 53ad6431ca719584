// Fairness between accounts: what an account with thousands of endpoints costs an account with a few on the same shard.
//
// Measured: a real service with one shard follows a live session. The small account's endpoints get an update of their own
// at a steady rate. Its lag runs from when the frame is sent to the service to when the small account's receiver, which
// has its own process, has read all of the delivery. Parts of a round, in rotated order:
//   alone      the large account exists, its endpoints are connected, and nothing happens to it
//   updates    an update for every endpoint of the large account, each two seconds
//   elsewhere  the control: a bare sender in another process sends as much to the same receiver, at the same times
//   plan       the large account's plan changes each two seconds: all its endpoints but a few are suspended, or resume
//   read       its control: another process reads and prepares the same endpoints, at the same times, and tells nobody
//   creates    the large account creates endpoints, one after the other
// The ratio is to the small account alone in the same round.
//
// Receivers close idle connections, so the large account gets an update before each part, and what opening its connections, or
// closing those of a control, costs belongs to no part.
//
// Not measured: a network.
//
// Faults, which must be zero: lost, doubled and wrongly signed deliveries of both accounts, and requests that the receivers got
// as far as log and usage differ from them.
//
// How to read: two receivers, the database and the API share the processor's cores with the shard. With two cores the
// small account's receiver itself waits while the large account's receives thousands of requests. `late` is the share of
// updates that were more than 50 ms late.
//
// Results: docs/decisions/0029-accounts-take-turns-on-a-shard.md. With 9,000 endpoints rounds of updates, changes of plan and creates are
// on both sides of the target of 1.5 times alone, and so are those of the controls.

import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { ApiClient } from '#workers/demo/api-client.ts';
import { BenchService } from '../engines/bench-service.ts';
import { BurstSender } from '../peers/burst-sender-process.ts';
import { PlanAnnouncer } from '../peers/plan-announcer-process.ts';
import { ArrivalReceiver, type Arrivals } from '../receivers/arrival-receiver-process.ts';
import { type Receiver, startReceiver } from '../receivers/receiver-process.ts';
import { monotonicMs } from '../suite/monotonic.ts';
import { latencyCurve, quantile } from '../suite/quantiles.ts';
import type { BenchResult, Measurement, Series } from '../suite/result.ts';
import { wholeNumber } from '../suite/whole-number.ts';
import {
  firstLineOfTwo,
  OTHER_DRIVER,
  STEADY_DRIVER,
  STEADY_FEED,
  STEADY_FIRST_SEQUENCE,
  steadyLine,
} from './steady-frames.ts';

export const help = `npm run bench -- fair [options]

Feeds a real service with a live session and delivers it to a large and to a small account on one shard. Measures how late
the small account's deliveries are: alone; while every endpoint of the large account gets an update; while the large
account's plan changes; while it creates endpoints.

  --large N     endpoints of the large account (default 9000; with those that it creates at most 10000)
  --small N     endpoints of the small account (default 3)
  --rate N      updates a second for the small account (default 50)
  --seconds N   length of a part (default 10)
  --rounds N    rounds; each starts a service and plays every part once (default 3)

  npm run bench -- fair --large 2000 --rounds 1`;

export const smoke = ['--large', '20', '--small', '2', '--rate', '40', '--seconds', '1', '--rounds', '1'];

const PARTS = ['alone', 'updates', 'elsewhere', 'plan', 'read', 'creates'] as const;
type Part = (typeof PARTS)[number];

const TARGET_RATIO = 1.5;
const LATE_MS = 50;
const LARGE_UPDATE_EVERY_MS = 2_000;
const PLAN_EVERY_MS = 2_000;
/** From a change of plan in the database until the service has begun to announce it. */
const PLAN_SEEN_MS = 1_000;
const CREATES_MAX = 200;
/** The beginning of a round, in which code is compiled, and the pause before each part. */
const WARM_UP_S = 3;
const REST_MS = 1_500;
/** From a first update, which opens thousands of connections, and from the last one of a part, to the last arrival. */
const ARRIVAL_MS_MAX = 60_000;
/** From the last arrival until log and usage have it. */
const RECORDED_MS_MAX = 10_000;
const POLL_MS = 100;

interface Options {
  readonly large: number;
  readonly small: number;
  readonly rate: number;
  readonly seconds: number;
  readonly rounds: number;
}

interface Played {
  readonly part: Part;
  /** Lags of the small account, ascending, in milliseconds. */
  readonly lagMs: Float64Array;
}

interface Round {
  readonly played: readonly Played[];
  readonly createdPerSecond: number;
}

interface Faults {
  lost: number;
  doubled: number;
  wronglySigned: number;
  unrecorded: number;
}

export async function run(args: readonly string[], progress: (line: string) => void): Promise<BenchResult> {
  const options = readOptions(args);
  const faults: Faults = { lost: 0, doubled: 0, wronglySigned: 0, unrecorded: 0 };
  const rounds: Round[] = [];
  for (let number = 1; number <= options.rounds; number++) {
    const first = (number - 1) % PARTS.length;
    const order = [...PARTS.slice(first), ...PARTS.slice(0, first)];
    const round = await playRound(order, options, faults);
    rounds.push(round);
    const figures = PARTS.map((part) => `${part} ${quantile(lagOf(round, part), 0.99).toFixed(1)}`).join(', ');
    progress(`round ${number} of ${options.rounds}, p99 in ms: ${figures}`);
  }
  return {
    bench: 'fair',
    parameters: { ...options },
    measurements: [...PARTS.flatMap((part) => measurements(part, rounds)), creates(rounds)],
    plots: [
      {
        title: 'Lag of the small account by rarity, last round',
        xTitle: 'x: one in x deliveries is slower',
        yTitle: 'milliseconds from frame to received',
        xScale: 'log',
        yScale: 'log',
        series: PARTS.map((part): Series => latencyCurve(part, lagOf(rounds.at(-1)!, part))),
      },
    ],
    faults: { ...faults },
    notes: ['receivers, database and API share the cores of this machine with the shard'],
  };
}

function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      large: { type: 'string', default: '9000' },
      small: { type: 'string', default: '3' },
      rate: { type: 'string', default: '50' },
      seconds: { type: 'string', default: '10' },
      rounds: { type: 'string', default: '3' },
    },
  });
  return {
    large: wholeNumber('--large', values.large),
    small: wholeNumber('--small', values.small),
    rate: wholeNumber('--rate', values.rate),
    seconds: wholeNumber('--seconds', values.seconds),
    rounds: wholeNumber('--rounds', values.rounds),
  };
}

const lagOf = ({ played }: Round, part: Part): Float64Array => played.find((one) => one.part === part)!.lagMs;

function measurements(part: Part, rounds: readonly Round[]): Measurement[] {
  const ms = (name: string, share: number): Measurement => ({
    name: `${name}, ${part}`,
    unit: 'ms',
    better: 'lower',
    samples: rounds.map((round) => quantile(lagOf(round, part), share)),
  });
  const late: Measurement = {
    name: `late, ${part}`,
    unit: 'share',
    better: 'lower',
    samples: rounds.map(
      (round) => lagOf(round, part).filter((lag) => lag > LATE_MS).length / lagOf(round, part).length,
    ),
  };
  const own = [ms('p50', 0.5), ms('p99', 0.99), ms('max', 1), late];
  if (part === 'alone') return own;
  const ratios = rounds.map((round) => quantile(lagOf(round, part), 0.99) / quantile(lagOf(round, 'alone'), 0.99));
  return [
    ...own,
    { name: `p99 of that alone, ${part}`, unit: 'x', better: 'lower', samples: ratios, target: TARGET_RATIO },
  ];
}

function creates(rounds: readonly Round[]): Measurement {
  const samples = rounds.map(({ createdPerSecond }) => createdPerSecond);
  return { name: 'endpoints created during a live session', unit: '/s', better: 'higher', samples };
}

/** The two accounts in one service, and the session that both follow. */
class Scene {
  /** When each frame was sent, by its number. */
  readonly sentMs: number[] = [];
  readonly #service: BenchService;
  readonly #rate: number;
  readonly #lines: string[] = [firstLineOfTwo()];
  #wake: () => void = () => {};
  #ended = false;
  #fed: Promise<void>;

  constructor(service: BenchService, rate: number) {
    this.#service = service;
    this.#rate = rate;
    this.#fed = this.#feed();
    this.#fed.catch(() => {});
  }

  get frames(): number {
    return this.sentMs.length;
  }

  send(driver: 1 | 2): void {
    this.#lines.push(steadyLine(this.sentMs.length, 1_000 / this.#rate, driver));
    this.sentMs.push(monotonicMs());
    this.#wake();
  }

  /** Sends the small account's updates at the rate, for so long. Returns the numbers of their frames. */
  async play(seconds: number): Promise<number[]> {
    const numbers: number[] = [];
    const startMs = monotonicMs();
    for (let update = 0; update < this.#rate * seconds; update++) {
      const dueMs = startMs + (update * 1_000) / this.#rate;
      if (dueMs > monotonicMs()) await pause(Math.max(1, dueMs - monotonicMs()));
      numbers.push(this.sentMs.length);
      this.send(1);
    }
    return numbers;
  }

  async end(): Promise<void> {
    this.#ended = true;
    this.#wake();
    await this.#fed;
  }

  async #feed(): Promise<void> {
    const lines = async function* (this: Scene): AsyncGenerator<Buffer> {
      for (;;) {
        const text = this.#lines.splice(0).join('');
        if (text !== '') yield Buffer.from(text);
        else if (this.#ended) return;
        else
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
      }
    }.call(this);
    const { process, signal } = this.#service;
    const response = await fetch(`${process.operatorsAddress}/v1/ingest/2026-bench-race`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: ReadableStream.from(lines),
      duplex: 'half',
      signal,
    } as RequestInit);
    if (!response.ok) throw new Error(`ingest: ${response.status} ${await response.text()}`);
    await response.text();
  }
}

interface Parts {
  readonly options: Options;
  readonly service: BenchService;
  readonly scene: Scene;
  readonly api: ApiClient;
  readonly receiver: ArrivalReceiver;
  readonly secrets: readonly string[];
  readonly sender: BurstSender;
  readonly announcer: PlanAnnouncer;
  /** The control sends sequences beyond those of the session. */
  readonly controlFirst: number;
}

async function playRound(order: readonly Part[], options: Options, faults: Faults): Promise<Round> {
  const started: { end(): Promise<unknown> }[] = [];
  const keep = <Started extends { end(): Promise<unknown> }>(part: Started): Started => {
    started.push(part);
    return part;
  };
  try {
    const receiver = keep(await ArrivalReceiver.start());
    const crowd = keep(await startReceiver());
    const service = keep(await BenchService.start({ ADMIN_PORT: '0', LIVE_TO_LOCALHOST: 'on', SHARDS: '1' }));
    const secrets = await createSmall(service, receiver.origin, options.small);
    const crowdSecrets = await createLarge(service, crowd.origin, options.large);
    const scene = keep(new Scene(service, options.rate));
    const api = await service.openApi();
    const updatesMost = updatesOf(options.rate, PARTS.length * options.seconds + WARM_UP_S);
    const controlFirst = STEADY_FIRST_SEQUENCE + updatesMost + 1;
    const sender = keep(await BurstSender.start());
    const announcer = keep(await PlanAnnouncer.start(service.folder));
    const parts: Parts = { options, service, scene, api, receiver, secrets, sender, announcer, controlFirst };
    await crowd.expect(crowdSecrets, controlFirst + updatesMost);
    // Its endpoints connect, and the first seconds of everything pass.
    scene.send(2);
    await untilArrived(crowd, options.large);
    await receiver.expect({ secrets, first: STEADY_FIRST_SEQUENCE, updates: updatesOf(options.rate, WARM_UP_S) });
    const warmed = await scene.play(Math.min(WARM_UP_S, options.seconds));
    let received = (await arrivalsOf(receiver, warmed.length * options.small)).requests;
    const played: Played[] = [];
    /** Of the large account, and of the control. */
    let largeUpdates = 1;
    let controlUpdates = 0;
    const arrived = () => untilArrived(crowd, (largeUpdates + controlUpdates) * options.large);
    let createdPerSecond = 0;
    for (const part of order) {
      // Receivers close idle connections. What opening them costs belongs to no part.
      if (part === 'elsewhere') await sender.open(crowd.origin, crowdSecrets);
      else {
        scene.send(2);
        largeUpdates++;
        await arrived();
      }
      await pause(REST_MS);
      const others = new Companion(part, parts);
      const { requests, lagMs } = await measure(parts, faults);
      received += requests;
      played.push({ part, lagMs });
      await others.end();
      if (part === 'elsewhere') controlUpdates = others.updates;
      else largeUpdates += others.updates;
      await arrived();
      // The receiver would close its connections in the next part, all at once.
      if (part === 'elsewhere') await sender.open(crowd.origin, []);
      if (part === 'creates') createdPerSecond = others.creates / options.seconds;
    }
    const { requests, distinct, doubled, wronglySigned } = await crowd.report();
    faults.lost += (largeUpdates + controlUpdates) * options.large - distinct;
    faults.doubled += doubled;
    faults.wronglySigned += wronglySigned;
    faults.unrecorded += await unrecordedOf(service, received + requests - controlUpdates * options.large);
    return { played, createdPerSecond };
  } finally {
    for (const part of started.toReversed()) await part.end();
  }
}

/** Plays a part for the small account. Returns how many requests it got and its lags, ascending. */
async function measure(
  { options, scene, receiver, secrets }: Parts,
  faults: Faults,
): Promise<{ readonly requests: number; readonly lagMs: Float64Array }> {
  const first = STEADY_FIRST_SEQUENCE + scene.frames;
  const updates = updatesOf(options.rate, options.seconds);
  await receiver.expect({ secrets, first, updates });
  const frames = await scene.play(options.seconds);
  const expected = frames.length * secrets.length;
  const arrivals = await arrivalsOf(receiver, expected);
  faults.lost += expected - arrivals.distinct;
  faults.doubled += arrivals.doubled;
  faults.wronglySigned += arrivals.wronglySigned + arrivals.unexpected;
  const lagMs = secrets.flatMap((_, endpoint) =>
    frames.flatMap((frame) => {
      const atMs = arrivals.atMs[endpoint * updates + frame + STEADY_FIRST_SEQUENCE - first]!;
      return atMs === 0 ? [] : [atMs - scene.sentMs[frame]!];
    }),
  );
  if (lagMs.length === 0) throw new Error('no delivery of the small account arrived');
  return { requests: arrivals.requests, lagMs: Float64Array.from(lagMs).sort() };
}

/** What has arrived once so many updates have, or when they are given up. */
async function arrivalsOf(receiver: ArrivalReceiver, expected: number): Promise<Arrivals> {
  const untilMs = monotonicMs() + ARRIVAL_MS_MAX;
  for (;;) {
    const arrivals = await receiver.report();
    if (arrivals.distinct >= expected || monotonicMs() > untilMs) return arrivals;
    await pause(POLL_MS);
  }
}

/** By how much log and usage differ from the requests that the receivers got, once what is left has been written. */
async function unrecordedOf(service: BenchService, requests: number): Promise<number> {
  const untilMs = monotonicMs() + RECORDED_MS_MAX;
  for (;;) {
    const { logged, used } = await service.recorded();
    const differ = Math.abs(logged - requests) + Math.abs(used - requests);
    if (differ === 0 || monotonicMs() > untilMs) return differ;
    await pause(POLL_MS);
  }
}

/** What happens to the large account during a part. */
class Companion {
  updates = 0;
  creates = 0;
  readonly #parts: Parts;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;

  constructor(part: Part, parts: Parts) {
    this.#parts = parts;
    this.#done = this.#run(part);
    this.#done.catch(() => {});
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async #run(part: Part): Promise<void> {
    const { scene, service, api, sender, announcer, controlFirst } = this.#parts;
    const { signal } = this.#stop;
    const create = () =>
      api.createWebhook({ webhookUrl: 'http://127.0.0.1:9/', feedId: STEADY_FEED, filters: { drivers: ['NON'] } });
    const wait = (ms: number): Promise<void> => pause(ms, undefined, { signal }).catch(() => {});
    if (part === 'updates') {
      for (; !signal.aborted; await wait(LARGE_UPDATE_EVERY_MS)) {
        scene.send(2);
        this.updates++;
      }
    } else if (part === 'elsewhere') {
      for (; !signal.aborted; await wait(LARGE_UPDATE_EVERY_MS)) await sender.send(controlFirst + this.updates++);
    } else if (part === 'read') {
      while (!signal.aborted) await Promise.all([announcer.announce(service.accountId), wait(PLAN_EVERY_MS)]);
    } else if (part === 'plan') {
      const change = (plan: string) =>
        service.sql`update account set plan = ${plan} where account_id = ${service.accountId}`;
      for (let isLess = true; !signal.aborted; isLess = !isLess) {
        await change(isLess ? 'developer' : 'custom');
        await wait(PLAN_EVERY_MS);
      }
      await change('custom');
      // All its endpoints have resumed once the account's next change is made.
      await pause(PLAN_SEEN_MS);
      await create();
    } else if (part === 'creates') {
      while (!signal.aborted && this.creates < CREATES_MAX) {
        await create();
        this.creates++;
      }
    }
  }
}

/** How many sequences so many seconds take at most: those of the small account, and some of the large one. */
function updatesOf(rate: number, seconds: number): number {
  return rate * seconds + Math.ceil((seconds * 1_000) / LARGE_UPDATE_EVERY_MS) + 2 * PARTS.length;
}

/** Returns their secrets by index. */
async function createSmall(service: BenchService, origin: string, count: number): Promise<string[]> {
  const api = await service.openOtherAccount('small@example.com');
  const secrets: string[] = [];
  for (let index = 0; index < count; index++) {
    const created = await api.createWebhook({
      webhookUrl: `${origin}/${index}`,
      feedId: STEADY_FEED,
      filters: { drivers: [STEADY_DRIVER] },
    });
    secrets.push(created.webhookSecret);
  }
  return secrets;
}

async function createLarge(service: BenchService, origin: string, count: number): Promise<readonly string[]> {
  const secrets = await service.useEndpoints(origin, count, STEADY_FEED);
  const filters = service.sql.json({ drivers: [OTHER_DRIVER] });
  await service.sql`update webhook set filters = ${filters} where account_id = ${service.accountId}`;
  return secrets;
}

async function untilArrived(receiver: Receiver, requests: number): Promise<void> {
  const untilMs = monotonicMs() + ARRIVAL_MS_MAX;
  while ((await receiver.report()).requests < requests && monotonicMs() < untilMs) await pause(POLL_MS);
}
