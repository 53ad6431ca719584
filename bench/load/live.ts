// Live latency: from receiving a frame to starting the first attempt for each endpoint, in a real service, while frames
// arrive at a steady rate.
//
// Measured: a real service receives frames of the built-in race over `POST /v1/ingest`, one at a time. The time covers
// recording, deriving, publishing, filtering, signing, and handing the attempt to the network. It comes from the
// service's own histogram (`slipstream_live_start_seconds`), which is exact at its bounds; p50 and p99 are
// interpolated. The receivers are in another process on the same machine and verify every signature.
//
// Two cases alternate: each endpoint follows one driver (`timing.data`); every endpoint gets everything, so each frame
// makes about one attempt per endpoint.
//
// Reported separately: the first three seconds, in which code is compiled and connections are opened.
//
// Not measured: a network, TLS, the connection to live timing, and how long a frame waits before the service reads it.
//
// Faults, which must be zero: deliveries that were lost (started, but not received), doubled, wrongly signed,
// unrecorded (started, but not in usage).
//
// How to read: if a frame makes a hundred attempts, one thread starts them one after the other, so the middle one
// starts after a millisecond or two. A real race has three to four frames a second, and some fifty at its busiest.
//
// Results, 100 endpoints, 200 frames/s (machine and method: bench/README.md):
//
//                         attempts/s   p50                      p99                      p99 of the first 3 s
//     one driver each        910       0.44 (0.42 to 0.48) ms   3.4 (2.9 to 4.0) ms       84 ms
//     everything to all   19,210       1.07 (1.05 to 1.14) ms   19.2 (16.9 to 35.4) ms   240 ms

import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { START_BOUNDS_MS } from '#engine/delivery/meter/shard-meter.ts';
import { demoSessionFrames } from '#engine/intake/source/demo-session/demo-session.ts';
import { DEMO_DRIVERS } from '#engine/intake/source/demo-session/grid.ts';
import { BenchService } from '../engines/bench-service.ts';
import { type Receiver, startReceiver } from '../receivers/receiver-process.ts';
import type { BenchResult, Measurement, Series } from '../suite/result.ts';
import { wholeNumber } from '../suite/whole-number.ts';

export const help = `npm run bench -- live [options]

Feeds a real service with frames of the built-in race at a steady rate, delivers them to endpoints in another process on
this machine, and reads the service's own histogram of the time from receiving a frame to starting each first attempt.
Two cases alternate: each endpoint follows one driver (timing.data), and every endpoint gets everything.

  --rate N        frames a second (default 200)
  --seconds N     length of a round (default 10); its first half, at most 3 s, is reported separately, as warm-up
  --endpoints N   endpoints (default 100)
  --shards N      delivery threads (default 1)
  --rounds N      rounds; each runs both cases once (default 5)

  npm run bench -- live --rate 50 --rounds 2`;

export const smoke = ['--rate', '50', '--seconds', '1', '--endpoints', '2', '--rounds', '1'];

const WARM_UP_MS = 3_000;
/** How long a service may take to catch up with its last frame. */
const CAUGHT_UP_WITHIN_MS = 60_000;
const RECORDED_WITHIN_MS = 10_000;
const POLL_MS = 250;

/** What each endpoint subscribes to. */
const CASES = ['one driver', 'everything'] as const;
type Case = (typeof CASES)[number];

interface Options {
  readonly rate: number;
  readonly seconds: number;
  readonly endpoints: number;
  readonly shards: number;
  readonly rounds: number;
}

interface Round {
  readonly attemptsPerSecond: number;
  /** Cumulative counts of attempts by histogram bound: after the first seconds, and during them. */
  readonly steady: readonly number[];
  readonly first: readonly number[];
  readonly faults: Readonly<Record<(typeof FAULTS)[number], number>>;
}

/** "Unrecorded" are attempts that started but are missing from usage. */
const FAULTS = ['lost', 'doubled', 'wrongly signed', 'unrecorded'] as const;

export async function run(args: readonly string[], progress: (line: string) => void): Promise<BenchResult> {
  const options = readOptions(args);
  const rounds: Record<Case, Round[]> = { 'one driver': [], everything: [] };
  const receiver = await startReceiver();
  try {
    for (let number = 1; number <= options.rounds; number++) {
      for (const kind of CASES) {
        const round = await measureRound(receiver, kind, options);
        rounds[kind].push(round);
        const p99 = histogramQuantile(round.steady, 0.99).toFixed(2);
        progress(`round ${number} of ${options.rounds}, ${kind}: ${round.attemptsPerSecond} attempts/s, p99 ${p99} ms`);
      }
    }
  } finally {
    await receiver.end();
  }
  const all = Object.values(rounds).flat();
  return {
    bench: 'live',
    parameters: { ...options },
    measurements: CASES.flatMap((kind) => measurements(kind, rounds[kind])),
    plots: [
      {
        title: 'Share of attempts that start later than x after their frame, all rounds',
        xTitle: 'from frame to attempt, ms',
        yTitle: 'share of attempts',
        xScale: 'log',
        yScale: 'log',
        series: CASES.map((kind) => laterThan(kind, rounds[kind])),
      },
    ],
    faults: Object.fromEntries(
      FAULTS.map((fault) => [fault, all.reduce((sum, round) => sum + round.faults[fault], 0)]),
    ),
    notes: [],
  };
}

function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rate: { type: 'string', default: '200' },
      seconds: { type: 'string', default: '10' },
      endpoints: { type: 'string', default: '100' },
      shards: { type: 'string', default: '1' },
      rounds: { type: 'string', default: '5' },
    },
  });
  return {
    rate: wholeNumber('--rate', values.rate),
    seconds: wholeNumber('--seconds', values.seconds),
    endpoints: wholeNumber('--endpoints', values.endpoints),
    shards: wholeNumber('--shards', values.shards),
    rounds: wholeNumber('--rounds', values.rounds),
  };
}

function measurements(kind: Case, rounds: readonly Round[]): Measurement[] {
  const ms = (name: string, of: (round: Round) => number): Measurement => ({
    name: `${kind}, ${name}`,
    unit: 'ms',
    better: 'lower',
    samples: rounds.map(of),
  });
  return [
    {
      name: `${kind}, attempts`,
      unit: '/s',
      better: 'higher',
      samples: rounds.map(({ attemptsPerSecond }) => attemptsPerSecond),
    },
    ms('p50', ({ steady }) => histogramQuantile(steady, 0.5)),
    ms('p99', ({ steady }) => histogramQuantile(steady, 0.99)),
    // A short beginning may have no attempt.
    ...(rounds.every(({ first }) => first.at(-1)! > 0)
      ? [ms('p99 of the first seconds', ({ first }) => histogramQuantile(first, 0.99))]
      : []),
  ];
}

/** Each round has its own service, whose histogram holds only this round. */
async function measureRound(receiver: Receiver, kind: Case, options: Options): Promise<Round> {
  const { rate, seconds, endpoints, shards } = options;
  const service = await BenchService.start({
    ADMIN_PORT: '0',
    LIVE_TO_LOCALHOST: 'on',
    SHARDS: String(shards),
  });
  try {
    const frames = rate * seconds;
    await receiver.expect(await createEndpoints(service, receiver.origin, kind, endpoints), frames * 4);
    const operators = service.process.operatorsAddress;
    const fed = feed(operators, rate, frames, service.signal);
    await Promise.race([fed, pause(Math.min(WARM_UP_MS, seconds * 500))]);
    const first = await readLags(operators);
    await fed;
    const last = await settledLags(operators);
    const attempts = last.at(-1)!;
    const recorded = await recordedAttempts(service, attempts);
    const report = await receiver.report();
    return {
      attemptsPerSecond: Math.round(attempts / seconds),
      steady: last.map((count, bucket) => count - first[bucket]!),
      first,
      faults: {
        lost: attempts - report.distinct,
        doubled: report.doubled,
        'wrongly signed': report.wronglySigned,
        unrecorded: attempts - recorded,
      },
    };
  } finally {
    await service.end();
  }
}

/** Returns their secrets by index. */
async function createEndpoints(service: BenchService, origin: string, kind: Case, count: number): Promise<string[]> {
  const api = await service.openApi();
  const secrets: string[] = [];
  for (let index = 0; index < count; index++) {
    const driver = DEMO_DRIVERS[index % DEMO_DRIVERS.length]!.tla;
    const subscription =
      kind === 'everything' ? { feedIds: ['*'] } : { feedId: 'timing.data', filters: { drivers: [driver] } };
    const { webhookSecret } = await api.createWebhook({ webhookUrl: `${origin}/${index}`, ...subscription });
    secrets.push(webhookSecret);
  }
  return secrets;
}

/** Sends one request whose lines are spread evenly over time. */
async function feed(operators: string, rate: number, count: number, signal: AbortSignal): Promise<void> {
  const frames = demoSessionFrames();
  async function* lines() {
    const startMs = performance.now();
    for (let index = 0; index < count; index++) {
      const dueMs = startMs + (index * 1_000) / rate;
      if (dueMs > performance.now()) await pause(Math.max(1, dueMs - performance.now()));
      const { utcMs, topic, json } = frames[index % frames.length]!;
      yield Buffer.from(`{"topic":"${topic}","utc":"${new Date(utcMs).toISOString()}","data":${json}}\n`);
    }
  }
  const response = await fetch(`${operators}/v1/ingest/2026-bench-race`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: ReadableStream.from(lines()),
    duplex: 'half',
    signal,
  } as RequestInit);
  if (!response.ok) throw new Error(`ingest: ${response.status} ${await response.text()}`);
}

/** Cumulative counts of attempts by histogram bound. The last one counts all. */
async function readLags(operators: string): Promise<readonly number[]> {
  const text = await (await fetch(`${operators}/metrics`)).text();
  const counts = [...text.matchAll(/^slipstream_live_start_seconds_bucket\{le="[^"]+"\} (\d+)/gm)];
  return counts.map(([, count]) => Number(count));
}

/** Reads the counts once no attempt has started for a second. */
async function settledLags(operators: string): Promise<readonly number[]> {
  const endMs = performance.now() + CAUGHT_UP_WITHIN_MS;
  let lags = await readLags(operators);
  for (;;) {
    await pause(1_000);
    const next = await readLags(operators);
    if (next.at(-1) === lags.at(-1)) return next;
    if (performance.now() > endMs)
      throw new Error(`attempts still start ${CAUGHT_UP_WITHIN_MS / 1_000} s after the last frame: --rate is too high`);
    lags = next;
  }
}

/** Waits until usage counts that many attempts, at most RECORDED_WITHIN_MS, and returns its count. */
async function recordedAttempts(service: BenchService, attempts: number): Promise<number> {
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const { used } = await service.recorded();
    if (used >= attempts || waitedMs >= RECORDED_WITHIN_MS) return used;
    await pause(POLL_MS);
  }
}

/** Interpolates between two bounds of the histogram. Throws if it counts nothing. */
export function histogramQuantile(cumulated: readonly number[], share: number): number {
  if (cumulated.at(-1) === 0)
    throw new Error('no attempt started in a part of the round: try more --seconds or --rate');
  const wanted = share * cumulated.at(-1)!;
  const bucket = cumulated.findIndex((count) => count >= wanted);
  const from = bucket === 0 ? 0 : START_BOUNDS_MS[bucket - 1]!;
  // Above the last bound, only that bound is known.
  const to = START_BOUNDS_MS[bucket] ?? from;
  const before = bucket === 0 ? 0 : cumulated[bucket - 1]!;
  return from + ((to - from) * (wanted - before)) / Math.max(1, cumulated[bucket]! - before);
}

function laterThan(name: Case, rounds: readonly Round[]): Series {
  const upTo = (bucket: number) => rounds.reduce((sum, { steady }) => sum + steady[bucket]!, 0);
  const all = upTo(START_BOUNDS_MS.length);
  const shares = START_BOUNDS_MS.map((_, bucket) => 1 - upTo(bucket) / all);
  // A logarithmic axis cannot show zero.
  return { name, x: START_BOUNDS_MS, y: shares.map((share) => (share > 0 ? share : null)) };
}
