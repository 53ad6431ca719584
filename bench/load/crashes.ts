// Real crashes: kills a service with replays and a live session at random moments, and checks what reached its
// endpoints all the same. It kills the process, a delivery thread, PostgreSQL or one of its backends, or stops the
// service with SIGTERM. Log, usage, sums and bodies are checked against what the endpoints received
// (crash-judgement.ts).
//
// Measured: kills survived, deliveries that arrived twice and how long before their kill they first arrived, time until
// deliveries and records resume.
//
// Faults: deliveries that were lost, recorded with another status, sent again although recorded as delivered, sent
// twice without a kill that explains it, or wrongly signed; a delivery id that stood for another body before; inexact sums
// or usage; a body that the frames do not give.
//
// Not measured: crashes of the machine and power cuts.
//
// Results of 40 kills, eight of each kind, 6 endpoints (`--kills 40 --endpoints 6 --seed 11`): nothing lost, every
// other fault zero. 641 of 20,730 deliveries arrived twice (3.1 %), the first time at most 203 ms before their kill.
//
//     delivering again after, median ms   recording again after   killed
//     1,365                               2,004                   service
//       299                                 166                   delivery thread
//        74                                 498                   PostgreSQL
//        72                                 228                   one of its backends
//     1,370                               1,963                   service, by SIGTERM

import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Random, seededRandom } from '#engine/base/random.ts';
import { isLoggedSince } from '../suite/logged-attempts.ts';
import type { BenchResult, Measurement } from '../suite/result.ts';
import { wholeNumber } from '../suite/whole-number.ts';
import { type Judgement, judge, KINDS, type Kill, type Kind } from './crash-judgement.ts';
import { type Arrival, CrashReceiver } from './crash-receiver.ts';
import { CrashScene } from './crash-scene.ts';
import { CrashService } from './crash-service.ts';

export const help = `npm run bench -- crashes [options]

Runs a real service with consecutive replays and a continuous live session, to endpoints on this machine that verify every
signature. At random moments it kills what --mode says; by default each of these in turn:

  service    the process, by kill -9, and restarts it
  shard      a delivery thread, wherever it is
  postgres   the postmaster of PostgreSQL, by kill -9
  backend    one of PostgreSQL's backends that serve the service, by kill -9
  drain      the process, by SIGTERM, and restarts it

Afterwards every update must have reached every endpoint, each attempt must be in the delivery log once with the status it
got, no update logged as delivered may have arrived again, usage must equal the log, all sums must be exact, and all bodies
must be those that the frames give. A delivery may arrive twice only if it was under way or waiting to be recorded when the
process or the thread was killed. Everything else is a fault.

  --kills N       number of kills (default 20)
  --mode MODE     service, shard, postgres, backend, drain or all (default all)
  --endpoints N   endpoints (default 8)
  --seed N        chooses the moments (default 1)

Example: npm run bench -- crashes --kills 100 --mode service --seed 7`;

export const smoke = ['--kills', '5', '--endpoints', '4', '--seed', '3'];

const SHARDS = 2;
/** The random pause between the recovery from one kill and the next kill. */
const PAUSE_MS_MIN = 100;
const PAUSE_MS_MAX = 1_500;
const POLL_MS = 10;
const RECOVERY_MS_MAX = 30_000;
/** An arrival this soon after a kill may have been sent before it. */
const ON_ITS_WAY_MS = 60;

interface Options {
  readonly kills: number;
  readonly kinds: readonly Kind[];
  readonly mode: string;
  readonly endpoints: number;
  readonly seed: number;
}

/** A kill that the service has recovered from. */
interface Survived extends Kill {
  /** Until every endpoint received something again. */
  readonly deliveringMs: number;
  /** Until an attempt that started after the kill was recorded. */
  readonly recordingMs: number;
  /** False if a process stopped by SIGTERM exited with an error. */
  readonly clean: boolean;
}

interface Stage {
  readonly service: CrashService;
  readonly scene: CrashScene;
  readonly receiver: CrashReceiver;
}

export async function run(args: readonly string[], progress: (line: string) => void): Promise<BenchResult> {
  const options = readOptions(args);
  const { endpoints, seed, mode } = options;
  const receiver = await CrashReceiver.start();
  const service = new CrashService(SHARDS);
  const scene = new CrashScene(service);
  try {
    await service.start();
    await scene.prepare(receiver, endpoints);
    const survived = await killAll({ service, scene, receiver }, options, progress);
    await scene.end();
    const judgement = await judge(service.sql, scene, receiver, survived);
    const { faults } = judgement;
    const ended = (await service.end('SIGTERM')) === 0;
    const unclean = survived.filter(({ clean }) => !clean).length + (ended ? 0 : 1);
    return {
      bench: 'crashes',
      parameters: { kills: options.kills, mode, endpoints, seed },
      measurements: measurements(survived, judgement),
      plots: [],
      faults: { ...faults, unclean },
      notes: [],
    };
  } finally {
    scene.giveUp();
    await service.close();
    await receiver.close();
  }
}

function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      kills: { type: 'string', default: '20' },
      mode: { type: 'string', default: 'all' },
      endpoints: { type: 'string', default: '8' },
      seed: { type: 'string', default: '1' },
    },
  });
  const { mode } = values;
  const kinds = mode === 'all' ? KINDS : KINDS.filter((kind) => kind === mode);
  if (kinds.length === 0) throw new Error(`--mode: "${mode}" is none of ${KINDS.join(', ')} and all`);
  return {
    kills: wholeNumber('--kills', values.kills),
    kinds,
    mode,
    endpoints: wholeNumber('--endpoints', values.endpoints),
    seed: wholeNumber('--seed', values.seed),
  };
}

async function killAll(stage: Stage, options: Options, progress: (line: string) => void): Promise<Survived[]> {
  const { kinds, kills, seed } = options;
  const random = seededRandom(seed);
  const survived: Survived[] = [];
  for (let number = 1; number <= kills; number++) {
    const kind = kinds[(number - 1) % kinds.length]!;
    await stage.scene.keepPlaying();
    await pause(PAUSE_MS_MIN + random.next() * (PAUSE_MS_MAX - PAUSE_MS_MIN));
    const last = await killOnce(stage, kind, random);
    survived.push(last);
    const { deliveringMs, recordingMs } = last;
    progress(
      `kill ${number} of ${kills}, ${kind}: delivering after ${deliveringMs.toFixed(0)} ms, recording after ${recordingMs.toFixed(0)} ms`,
    );
  }
  return survived;
}

async function killOnce({ service, scene, receiver }: Stage, kind: Kind, random: Random): Promise<Survived> {
  let clean = true;
  const atMs = wallMs();
  switch (kind) {
    case 'service':
      await service.end('SIGKILL');
      break;
    case 'drain':
      clean = (await service.end('SIGTERM')) === 0;
      break;
    case 'shard':
      service.killShard();
      break;
    case 'postgres':
      await service.killPostgres();
      break;
    case 'backend':
      await service.killBackend(random);
      break;
  }
  if (kind === 'service' || kind === 'drain') {
    await service.start();
    await scene.signIn();
  }
  const recordingMs = await awaited(service, () => recordedSince(service, atMs));
  const deliveringMs = await awaited(service, async () =>
    deliveredSince(receiver.arrivals, atMs, scene.webhookIds.length),
  );
  return { kind, atMs, deliveringMs: deliveringMs - atMs, recordingMs: recordingMs - atMs, clean };
}

/** When an attempt that started after the kill was found in the log, or null if none is there yet. */
async function recordedSince({ sql }: CrashService, killMs: number): Promise<number | null> {
  return (await isLoggedSince(sql, killMs + ON_ITS_WAY_MS)) ? wallMs() : null;
}

/** When the last endpoint received something after the kill, or null if not all have. */
function deliveredSince(arrivals: readonly Arrival[], killMs: number, endpoints: number): number | null {
  const first = new Map<number, number>();
  for (let index = arrivals.length - 1; index >= 0; index--) {
    const { endpoint, atMs } = arrivals[index]!;
    if (atMs <= killMs + ON_ITS_WAY_MS) break;
    first.set(endpoint, atMs);
  }
  return first.size < endpoints ? null : Math.max(...first.values());
}

/** Polls until `read` gives a value. The database may be down in the meantime. */
async function awaited(service: CrashService, read: () => Promise<number | null>): Promise<number> {
  const endMs = wallMs() + RECOVERY_MS_MAX;
  while (wallMs() < endMs) {
    const value = await read().catch(() => null);
    if (value !== null) return value;
    await pause(POLL_MS);
  }
  throw new Error(`the service did not recover within ${RECOVERY_MS_MAX / 1_000} s:\n${service.log}`);
}

function wallMs(): number {
  return performance.timeOrigin + performance.now();
}

function measurements(survived: readonly Survived[], judgement: Judgement): Measurement[] {
  const { deliveries, repeated, repeatedBeforeMs } = judgement;
  const lower = { better: 'lower' } as const;
  const times = KINDS.flatMap((kind): Measurement[] => {
    const of = survived.filter((kill) => kill.kind === kind);
    if (of.length === 0) return [];
    return [
      { name: `kills survived, ${kind}`, unit: 'count', better: 'higher', samples: [of.length] },
      { name: `delivering again after, ${kind}`, unit: 'ms', ...lower, samples: of.map((kill) => kill.deliveringMs) },
      { name: `recording again after, ${kind}`, unit: 'ms', ...lower, samples: of.map((kill) => kill.recordingMs) },
    ];
  });
  return [
    ...times,
    { name: 'deliveries', unit: 'count', better: 'higher', samples: [deliveries] },
    { name: 'came twice', unit: 'count', ...lower, samples: [repeated] },
    { name: 'came twice, share', unit: 'share', ...lower, samples: [repeated / deliveries] },
    ...(repeatedBeforeMs.length === 0
      ? []
      : [
          {
            name: 'came twice, longest before its kill',
            unit: 'ms',
            ...lower,
            samples: [Math.max(...repeatedBeforeMs)],
          } as const,
        ]),
  ];
}
