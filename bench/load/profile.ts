// Where a delivery spends its time: the delivery thread's CPU profile by kind of work, while everything is due at once
// (450 B bodies).
//
// How to read: the kernel's socket write dominates. On loopback it also runs the receiver's side of TCP and wakes the
// receiver. Time in which the thread waits for one of the two cores mostly shows up there, too. Only fewer writes would
// make it cheaper (docs/decisions/0020-no-pipelining-http2-or-compression.md).
//
// With `--https` everything goes over TLS. The platform encrypts within its socket write, and decrypts before it calls the
// HTTP client: "writes to sockets" and "platform" contain OpenSSL's work.
//
// Results over http, us per delivery (machine and method: bench/README.md):
//
//                                         median   min     max
//     writes to sockets                    9.49     8.91    9.61
//     sockets of the platform              0.62     0.50    0.84
//     HTTP client                          0.52     0.43    0.71
//     signing                              0.86     0.74    1.23
//     records                              0.85     0.81    0.88
//     actors and the rest of the engine    0.70     0.60    0.94
//     garbage collection                   0.87     0.80    0.94
//     platform                             0.20     0.17    0.24
//     all work of the thread              14.24    13.52   14.63
//     own work of the engine               3.25     2.97    3.97

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Scheme } from '../receivers/arrival-receiver-process.ts';
import { startReceiver } from '../receivers/receiver-process.ts';
import type { BenchResult } from '../suite/result.ts';
import { wholeNumber } from '../suite/whole-number.ts';
import { KINDS, type Kind, timeByKind } from './cpu-profile.ts';

export const help = `npm run bench -- profile [options]

Plays a timeline with everything due at once, as throughput does, under Node's profiler, and shows what the delivery thread
spends its time on, per delivery. Profiling slows everything down a little, so look at the shares. Time spent waiting for a
core counts as the work that was interrupted, so run it on an idle machine.

  --deliveries N    deliveries per round (default 300000)
  --endpoints N     endpoints that share them (default 50)
  --bytes N         approximate body size (default 450)
  --rounds N        rounds, each in its own process (default 5)
  --https           over TLS
  --keep DIR        keeps the profiles in DIR, for Chrome's developer tools

  npm run bench -- profile --endpoints 1000
  npm run bench -- profile --rounds 1 --keep profiles`;

/** Enough deliveries for the profiler, which samples once a millisecond, to see every kind of work. */
export const smoke = ['--deliveries', '30000', '--endpoints', '10', '--rounds', '1'];

/** The engine's own work: everything except the network path and the platform's own activity. */
const OWN: readonly Kind[] = ['signing', 'records', 'actors and the rest of the engine', 'garbage collection'];
const OWN_US_TARGET = 6;
const SHOWN = KINDS.filter((kind) => kind !== 'idle' && kind !== 'loading code');

export async function run(args: readonly string[], progress: (line: string) => void): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      deliveries: { type: 'string', default: '300000' },
      endpoints: { type: 'string', default: '50' },
      bytes: { type: 'string', default: '450' },
      rounds: { type: 'string', default: '5' },
      https: { type: 'boolean', default: false },
      keep: { type: 'string' },
    },
  });
  const endpoints = wholeNumber('--endpoints', values.endpoints);
  const bytes = wholeNumber('--bytes', values.bytes);
  const rounds = wholeNumber('--rounds', values.rounds);
  const updates = Math.ceil(wholeNumber('--deliveries', values.deliveries) / endpoints);
  const deliveries = updates * endpoints;
  const faults = { lost: 0, doubled: 0, misordered: 0, wronglySigned: 0, unrecorded: 0 };
  const spent: ReadonlyMap<Kind, number>[] = [];
  const scheme: Scheme = values.https ? 'https' : 'http';
  const receiver = await startReceiver(scheme);
  const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'slipstream-bench-'));
  try {
    for (let round = 1; round <= rounds; round++) {
      const known = new Set(profilesIn(folder));
      const child = fork(
        new URL('../engines/profiled-engine.ts', import.meta.url),
        [receiver.origin, String(updates), String(endpoints), String(bytes)],
        { execArgv: ['--cpu-prof', '--cpu-prof-dir', folder], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
      );
      const exited = once(child, 'exit');
      const [secrets] = (await once(child, 'message')) as [string[]];
      await receiver.expect(secrets, updates);
      child.send('play');
      const [{ logged, used }] = (await once(child, 'message')) as [{ logged: number; used: number }];
      await exited;
      const report = await receiver.report();
      faults.lost += deliveries - report.distinct;
      faults.doubled += report.doubled;
      faults.misordered += report.misordered;
      faults.wronglySigned += report.wronglySigned;
      faults.unrecorded += Math.abs(deliveries - logged) + Math.abs(deliveries - used);
      spent.push(shardTime(folder, known));
      progress(`round ${round} of ${rounds}: ${(sum(spent.at(-1)!, SHOWN) / deliveries).toFixed(1)} us each`);
    }
  } finally {
    await receiver.end();
    if (values.keep === undefined) rmSync(folder, { recursive: true, force: true });
  }
  const each = (kinds: readonly Kind[]) => spent.map((times) => sum(times, kinds) / deliveries);
  return {
    bench: 'profile',
    parameters: { deliveries, endpoints, bytes, rounds, ...(values.https && { https: 'yes' }) },
    measurements: [
      { name: 'own work of the engine', unit: 'us', better: 'lower', samples: each(OWN), target: OWN_US_TARGET },
      { name: 'all work of the thread', unit: 'us', better: 'lower', samples: each(SHOWN) },
      ...SHOWN.map((kind) => ({ name: kind, unit: 'us', better: 'lower', samples: each([kind]) }) as const),
    ],
    plots: [],
    faults,
    notes: [`Own work of the engine: ${OWN.join(', ')}.`],
  };
}

const profilesIn = (folder: string): string[] => readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'));

/** Picks the shard's profile among the new ones: the one that writes most. The other threads mostly wait. */
function shardTime(folder: string, known: ReadonlySet<string>): ReadonlyMap<Kind, number> {
  const times = profilesIn(folder)
    .filter((name) => !known.has(name))
    .map((name) => timeByKind(JSON.parse(readFileSync(join(folder, name), 'utf8'))));
  const busiest = times.sort((a, b) => b.get('writes to sockets')! - a.get('writes to sockets')!)[0];
  if (busiest === undefined) throw new Error(`no profile was written to ${folder}`);
  return busiest;
}

const sum = (times: ReadonlyMap<Kind, number>, kinds: readonly Kind[]): number =>
  kinds.reduce((total, kind) => total + times.get(kind)!, 0);
