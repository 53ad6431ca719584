// Streams under faults: subscribers of a live session and of a recorded one that plays at its own pace lose their
// connections at random, about once a second each, and continue where they were. Meanwhile the service is killed by kill -9
// and started again.
//
// Half of the connections are cut on the way, by a proxy that drops what it holds; the others by the subscriber, in the
// middle of whatever arrives.
//
// Faults: updates that a subscriber never got, got twice or out of order; a body that another subscriber got otherwise; a
// refusal or an end that does not belong.
//
// Not measured: power cuts.
//
// Result of ten minutes, 12 subscribers of each protocol (`--seconds 600`), on two cores that did other work too: 360,004 updates over
// 15,287 connections, 12,601 of which were cut, and three kills. Every fault zero. The service was ready 2.7, 2.7 and 3.0 s after
// a kill.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { seededRandom } from '#engine/base/random.ts';
import type { Credentials } from '#workers/demo/api-client.ts';
import { monotonicMs } from '../suite/monotonic.ts';
import type { BenchResult } from '../suite/result.ts';
import { UsageError } from '../suite/usage-error.ts';
import { wholeNumber } from '../suite/whole-number.ts';
import { CrashReceiver } from './crash-receiver.ts';
import { CrashScene, FOLLOWED } from './crash-scene.ts';
import { CrashService } from './crash-service.ts';
import { CuttingProxy } from './cutting-proxy.ts';
import { eventStreams } from './event-stream-protocol.ts';
import { FaultSubscriber } from './fault-subscriber.ts';
import { grpcStreams } from './grpc-stream-protocol.ts';
import { firstLine, STEADY_FEED, STEADY_FIRST_SEQUENCE, steadyLine } from './steady-frames.ts';
import type { StreamProtocol, Subscription } from './stream-protocol.ts';

export const help = `npm run bench -- streams-faults [options]

Runs a real service with a live session of 25 updates a second and a recorded one that is played at its own pace, and
subscribers whose connections break about once a second each: on the way, through a proxy that drops what it holds, and at
the subscriber. At even intervals the service is killed (kill -9) and started again. Every subscriber must get every update
once and in order, with the same bytes.

  --seconds N      how long (default 60)
  --kills N        how often the service is killed (default 3)
  --subscribers N  subscribers of each protocol (default 12)
  --protocols LIST sse, grpc or both (default sse,grpc)
  --seed N         chooses the moments (default 1)

Example: npm run bench -- streams-faults --seconds 600`;

export const smoke = ['--seconds', '12', '--kills', '1', '--subscribers', '6'];

interface ServedProtocol {
  readonly protocol: StreamProtocol;
  readonly address: (service: CrashService) => string;
}

/** By name. */
const PROTOCOLS: Readonly<Record<string, ServedProtocol>> = {
  sse: { protocol: eventStreams, address: (service) => service.address },
  grpc: { protocol: grpcStreams, address: (service) => service.grpc },
};
const ALL = Object.keys(PROTOCOLS).join(',');
const RECORDED = '2026-paced-race';
const EVERY_MS = 40;
/** Connections that break cost the paced streams some time. */
const SPEED = 1.25;
const POLL_MS = 25;
const END_MS_MAX = 120_000;

interface Options {
  readonly seconds: number;
  readonly kills: number;
  readonly subscribers: number;
  readonly protocols: readonly string[];
  readonly seed: number;
}

export async function run(args: readonly string[], progress: (line: string) => void): Promise<BenchResult> {
  const options = readOptions(args);
  const receiver = await CrashReceiver.start();
  const service = new CrashService(1, undefined, { GRPC_PORT: '0' });
  const scene = new CrashScene(service);
  const proxies: CuttingProxy[] = [];
  const subscribers: FaultSubscriber[] = [];
  try {
    await service.start();
    const token = await signIn(service);
    const recordedLast = await importRecorded(service, token, options.seconds);
    await scene.prepare(receiver, 0);
    await until('the live session began', () => scene.liveLines.length > 0);
    const bodies = new Map<string, Map<number, string>>();
    const random = seededRandom(options.seed);
    for (const name of options.protocols) {
      const { protocol, address } = PROTOCOLS[name]!;
      const proxy = await CuttingProxy.start(() => new URL(address(service)));
      proxies.push(proxy);
      for (let number = 0; number < options.subscribers; number++) {
        const subscription = subscriptions[number % subscriptions.length]!;
        const session = subscription.session === 'live' ? FOLLOWED : subscription.session;
        if (!bodies.has(session)) bodies.set(session, new Map());
        const parts = { protocol, subscription, token, address: () => address(service), proxy, random };
        subscribers.push(new FaultSubscriber(parts, bodies.get(session)!));
      }
    }
    await killSometimes(service, options, progress);
    await scene.end();
    const liveLast = scene.liveLines.length;
    // What they have not got by then is missing, which the result counts.
    await untilOrLate(() => subscribers.every((one) => one.isOver || one.last >= liveLast || one.wrongs.length > 0));
    for (const subscriber of subscribers) await subscriber.end();
    return result(options, subscribers, { [FOLLOWED]: liveLast, live: liveLast, [RECORDED]: recordedLast }, progress);
  } finally {
    scene.giveUp();
    for (const subscriber of subscribers) await subscriber.end();
    for (const proxy of proxies) await proxy.close();
    await service.close();
    await receiver.close();
  }
}

const subscriptions: readonly Subscription[] = [
  { session: FOLLOWED, feed: STEADY_FEED, after: 0, speed: null },
  { session: RECORDED, feed: STEADY_FEED, after: null, speed: SPEED },
  { session: 'live', feed: STEADY_FEED, after: null, speed: null },
];

function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string', default: '60' },
      kills: { type: 'string', default: '3' },
      subscribers: { type: 'string', default: '12' },
      protocols: { type: 'string', default: ALL },
      seed: { type: 'string', default: '1' },
    },
  });
  const protocols = values.protocols.split(',');
  for (const name of protocols) {
    if (!Object.hasOwn(PROTOCOLS, name)) throw new UsageError(`--protocols knows ${ALL}, not ${JSON.stringify(name)}`);
  }
  return {
    protocols,
    seconds: wholeNumber('--seconds', values.seconds),
    kills: wholeNumber('--kills', values.kills),
    subscribers: wholeNumber('--subscribers', values.subscribers),
    seed: wholeNumber('--seed', values.seed),
  };
}

async function signIn(service: CrashService): Promise<string> {
  const create = ['account', 'create', '--email', 'streams@example.com', '--plan', 'custom'];
  const { clientId, clientSecret } = JSON.parse(await service.admin(create)) as Credentials;
  const response = await fetch(`${service.address}/v1/oauth`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

/** Imports a session that plays about as long as the bench. Returns its last sequence. */
async function importRecorded(service: CrashService, token: string, seconds: number): Promise<number> {
  const count = Math.ceil((seconds * 1_000) / EVERY_MS);
  const lines = [firstLine(), ...Array.from({ length: count }, (_, number) => steadyLine(number, EVERY_MS))];
  const path = join(service.dataDir, 'paced.ndjson');
  writeFileSync(path, lines.join(''));
  await service.admin(['import', 'recording', path, '--session', RECORDED]);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const order = { method: 'POST', headers, body: JSON.stringify({ sessionId: RECORDED }) };
  await fetch(`${service.address}/v1/simulate/prepare`, order);
  await until('the recorded session was ready', async () => {
    const response = await fetch(`${service.address}/v1/simulate/status?session=${RECORDED}`, { headers });
    return ((await response.json()) as { data: { status: string } }).data.status === 'ready';
  });
  return lines.length;
}

async function killSometimes(
  service: CrashService,
  { seconds, kills }: Options,
  progress: (line: string) => void,
): Promise<void> {
  const startedMs = monotonicMs();
  for (let kill = 1; kill <= kills; kill++) {
    await pause(startedMs + (kill * seconds * 1_000) / (kills + 1) - monotonicMs());
    await service.end('SIGKILL');
    const killedMs = monotonicMs();
    await service.start();
    progress(`kill ${kill} of ${kills}: ready again after ${(monotonicMs() - killedMs).toFixed(0)} ms`);
  }
  await pause(startedMs + seconds * 1_000 - monotonicMs());
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  if (!(await untilOrLate(holds))) throw new Error(`it took more than ${END_MS_MAX / 1_000} s until ${what}`);
}

/** Returns whether it holds in time. */
async function untilOrLate(holds: () => boolean | Promise<boolean>): Promise<boolean> {
  const endMs = monotonicMs() + END_MS_MAX;
  while (monotonicMs() < endMs) {
    if (await holds()) return true;
    await pause(POLL_MS);
  }
  return false;
}

function result(
  { seconds, kills, subscribers: number, protocols, seed }: Options,
  subscribers: readonly FaultSubscriber[],
  lastOf: Readonly<Record<string, number>>,
  progress: (line: string) => void,
): BenchResult {
  const faults = { missing: 0, repeated: 0, disordered: 0, wrong: 0 };
  for (const { subscription, sequences, wrongs } of subscribers) {
    const seen = new Set(sequences);
    // A client of live sessions begins with whatever comes next.
    const first = subscription.session === 'live' ? (sequences[0] ?? 1) : STEADY_FIRST_SEQUENCE;
    const expected = lastOf[subscription.session]! - first + 1;
    faults.missing += Math.max(0, expected - seen.size);
    faults.repeated += sequences.length - seen.size;
    faults.disordered += sequences.filter((sequence, i) => i > 0 && sequence < sequences[i - 1]!).length;
    faults.wrong += wrongs.length;
    for (const wrong of wrongs.slice(0, 3)) progress(`${subscription.session}: ${wrong}`);
  }
  const sum = (of: (one: FaultSubscriber) => number): number => subscribers.reduce((all, one) => all + of(one), 0);
  return {
    bench: 'streams-faults',
    parameters: { seconds, kills, subscribers: number, protocols: protocols.join(' '), seed },
    measurements: [
      { name: 'updates', unit: 'count', better: 'higher', samples: [sum((one) => one.sequences.length)] },
      { name: 'connections', unit: 'count', better: 'higher', samples: [sum((one) => one.connections)] },
      { name: 'cut', unit: 'count', better: 'higher', samples: [sum((one) => one.cuts)] },
    ],
    plots: [],
    faults,
    notes: [],
  };
}
