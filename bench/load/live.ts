// Live latency: from the receipt of a frame to the start of the attempts that it leads to, in a real service, while frames
// come at a steady rate.

import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { LAG_BOUNDS_MS } from '#engine/live/lag-histogram.ts';
import { demoSessionFrames } from '#engine/source/demo-session/demo-session.ts';
import { DEMO_DRIVERS } from '#engine/source/demo-session/grid.ts';
import { ServiceProcess } from '#workers/demo/service-process.ts';
import { median } from './median.ts';
import { type Receiver, startReceiver } from './receiver-process.ts';
import { wholeNumber } from './whole-number.ts';

export const summary = 'live: from a frame received to its attempts started, at a steady rate of frames';

export const help = `npm run bench -- live [options]

Feeds a real service with frames of the built-in race at a steady rate, delivers them to endpoints in another process on
this machine, and reads the service's own histogram: how long after its frame was received each first attempt started.
Twice in turn: each endpoint follows one driver (timing.data), and every endpoint gets everything.

  --rate N        frames a second (default 200)
  --seconds N     length of a round (default 20)
  --endpoints N   endpoints (default 100)
  --shards N      delivery threads (default 1)
  --rounds N      rounds, each once with either (default 3)
  --json          print the result as JSON`;

/** What the endpoints ask for. */
type Wish = 'one driver' | 'everything';

interface LiveRound {
  readonly wish: Wish;
  readonly attempts: number;
  readonly attemptsPerSecond: number;
  /** Milliseconds; between two bounds of the histogram it is interpolated. */
  readonly p50: number;
  readonly p99: number;
  /** Of the first seconds of the session, which are not in the others: code is not compiled yet, connections are made. */
  readonly startP99: number;
  readonly lost: number;
  readonly doubled: number;
  readonly wronglySigned: number;
}

const WARM_UP_MS = 3_000;

export interface LiveOptions {
  readonly rate: number;
  readonly seconds: number;
  readonly endpoints: number;
  readonly shards: number;
  readonly rounds: number;
  readonly progress: (line: string) => void;
}

export async function measureLive(options: LiveOptions): Promise<LiveRound[]> {
  const receiver = await startReceiver();
  const rounds: LiveRound[] = [];
  try {
    for (let round = 1; round <= options.rounds; round++) {
      for (const wish of ['one driver', 'everything'] as const) {
        options.progress(`round ${round} of ${options.rounds}: ${wish}`);
        rounds.push(await measureRound(receiver, wish, options));
      }
    }
  } finally {
    await receiver.end();
  }
  return rounds;
}

/** Each round has a service of its own, so that its histogram holds nothing else. */
async function measureRound(receiver: Receiver, wish: Wish, options: LiveOptions): Promise<LiveRound> {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-bench-'));
  chmodSync(dataDir, 0o711);
  const service = await ServiceProcess.start(dataDir, AbortSignal.timeout(60_000), {
    ADMIN_PORT: '0',
    LIVE_TO_LOCALHOST: 'on',
    SHARDS: String(options.shards),
  });
  try {
    const account = (await service.admin(
      ['account', 'create', '--email', 'bench@example.com', '--plan', 'custom'],
      AbortSignal.timeout(60_000),
    )) as Readonly<Record<string, string>>;
    const api = await openApi(service.address, account);
    const secrets: string[] = [];
    for (let index = 0; index < options.endpoints; index++) {
      const webhookUrl = `${receiver.origin}/${index}`;
      const driver = DEMO_DRIVERS[index % DEMO_DRIVERS.length]!.tla;
      const asked =
        wish === 'everything' ? { feedIds: ['*'] } : { feedId: 'timing.data', filters: { drivers: [driver] } };
      secrets.push((await api('POST', '/webhooks', { webhookUrl, ...asked })).data.webhookSecret);
    }
    const frames = options.rate * options.seconds;
    await receiver.expect(secrets, frames * 4);
    const operators = service.operatorsAddress;
    const fed = feed(operators, options.rate, frames);
    await Promise.race([fed, pause(WARM_UP_MS)]);
    const before = await readLag(operators);
    await fed;
    const after = await settledLag(operators);
    const lag = { count: after.count - before.count, buckets: after.buckets.map((n, i) => n - before.buckets[i]!) };
    const report = await receiver.report();
    const usage = (await settledUsage(api, after.count)).data;
    return {
      wish,
      attempts: lag.count,
      attemptsPerSecond: Math.round(after.count / options.seconds),
      startP99: quantile(before.buckets, 0.99),
      p50: quantile(lag.buckets, 0.5),
      p99: quantile(lag.buckets, 0.99),
      lost: usage.deliveryCount - report.distinct,
      doubled: report.doubled,
      wronglySigned: report.wronglySigned,
    };
  } finally {
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

// biome-ignore lint/suspicious/noExplicitAny: benches read what they know to be there.
type Api = (method: string, path: string, body?: object) => Promise<any>;

async function openApi(address: string, { clientId, clientSecret }: Readonly<Record<string, string>>): Promise<Api> {
  const call = async (method: string, path: string, body: object | undefined, token: string | null) => {
    const response = await fetch(`${address}/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(token !== null && { authorization: `Bearer ${token}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const grant = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const { access_token } = (await call('POST', '/oauth', grant, null)) as { access_token: string };
  return (method, path, body) => call(method, path, body, access_token);
}

/** One request whose lines come evenly, each when it is its turn. */
async function feed(operators: string, rate: number, count: number): Promise<void> {
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
  } as RequestInit);
  if (!response.ok) throw new Error(`ingest: ${response.status} ${await response.text()}`);
}

interface Lag {
  readonly count: number;
  /** Attempts up to each bound, cumulated. */
  readonly buckets: readonly number[];
}

async function readLag(operators: string): Promise<Lag> {
  const text = await (await fetch(`${operators}/metrics`)).text();
  const buckets = [...text.matchAll(/^slipstream_live_start_seconds_bucket\{le="[^"]+"\} (\d+)/gm)].map(([, n]) =>
    Number(n),
  );
  return { count: buckets.at(-1) ?? 0, buckets };
}

/** When nothing has started for a second. */
async function settledLag(operators: string): Promise<Lag> {
  let lag = await readLag(operators);
  for (;;) {
    await pause(1_000);
    const next = await readLag(operators);
    if (next.count === lag.count) return next;
    lag = next;
  }
}

/** Once every attempt is written down, at most ten seconds later. */
async function settledUsage(api: Api, attempts: number) {
  for (let tries = 0; ; tries++) {
    const usage = await api('GET', '/usage');
    if (usage.data.deliveryCount >= attempts || tries === 40) return usage;
    await pause(250);
  }
}

function quantile(cumulated: readonly number[], q: number): number {
  const wanted = q * (cumulated.at(-1) ?? 0);
  const bucket = cumulated.findIndex((count) => count >= wanted);
  const from = bucket === 0 ? 0 : LAG_BOUNDS_MS[bucket - 1]!;
  const to = LAG_BOUNDS_MS[bucket] ?? Number.POSITIVE_INFINITY;
  const before = bucket === 0 ? 0 : cumulated[bucket - 1]!;
  return from + ((to - from) * (wanted - before)) / Math.max(1, cumulated[bucket]! - before);
}

export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rate: { type: 'string', default: '200' },
      seconds: { type: 'string', default: '20' },
      endpoints: { type: 'string', default: '100' },
      shards: { type: 'string', default: '1' },
      rounds: { type: 'string', default: '3' },
      json: { type: 'boolean', default: false },
    },
  });
  const rounds = await measureLive({
    rate: wholeNumber('--rate', values.rate),
    seconds: wholeNumber('--seconds', values.seconds),
    endpoints: wholeNumber('--endpoints', values.endpoints),
    shards: wholeNumber('--shards', values.shards),
    rounds: wholeNumber('--rounds', values.rounds),
    progress: (line) => process.stderr.write(`${line}\n`),
  });
  if (values.json) console.log(JSON.stringify(rounds));
  else print(rounds);
  return rounds.some(({ lost, doubled, wronglySigned }) => lost + doubled + wronglySigned > 0) ? 1 : 0;
}

function print(rounds: readonly LiveRound[]): void {
  for (const [wish, group] of Map.groupBy(rounds, (round) => round.wish)) {
    const middle = (key: 'attemptsPerSecond' | 'p50' | 'p99' | 'startP99') => median(group.map((round) => round[key]));
    const sum = (key: 'lost' | 'doubled' | 'wronglySigned') => group.reduce((total, round) => total + round[key], 0);
    console.log(
      `${wish.padEnd(12)} ${String(Math.round(middle('attemptsPerSecond'))).padStart(7)} attempts/s  ` +
        `p50 ${middle('p50').toFixed(2)} ms  p99 ${middle('p99').toFixed(2)} ms  ` +
        `(of the rounds: ${group.map(({ p99 }) => p99.toFixed(2)).join(', ')}; ` +
        `of the first ${WARM_UP_MS / 1_000} s: ${middle('startP99').toFixed(1)})  ` +
        `lost ${sum('lost')}, doubled ${sum('doubled')}, wrongly signed ${sum('wronglySigned')}`,
    );
  }
}
