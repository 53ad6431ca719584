// Maximum throughput: how many deliveries a second the engine makes when everything is due at once, to receivers in
// another process on the same machine.
//
// Measured: the real path from the artifact in shared memory through filter, mailbox, two signatures, HTTP client and
// response to the attempt in PostgreSQL's delivery log (`fsync` and `synchronous_commit` on), with usage and
// checkpoints. The clock stops when the last attempt is recorded. `--sweep` adds the curves of throughput-sweep.ts.
//
// Compared with, alternating in the same run, the same bodies through:
// - a bare loop over undici's `dispatch`, the reference: 64 connections, one request at a time on each, with the engine's
//   two signatures, made by its signer;
// - raw sockets, the upper limit: 8 connections, up to 64 pipelined requests on each, responses only counted;
// - BullMQ on Redis (no persistence, Unix socket) and graphile-worker on the engine's PostgreSQL, which a team would
//   otherwise build on: one job per delivery, four attempts, jobs added and completed in bulk, requests sent by undici;
//   timed from the first add to the last settled job.
// All but the loop make the first signature only. None of these keeps a delivery log. Each has one thread,
// producer included, which lives for all rounds.
//
// With `--https`, everything goes over TLS to one receiver with a P-256 certificate, which engine and undici loop verify;
// the others are left out. The endpoints of a round are new, so the engine connects to each, and resumes a TLS session. The
// loop has one pool for all rounds. A handshake costs the engine as much CPU as a dozen deliveries: more than one or two
// connections for each endpoint are waste here, because the thread is what requests wait for (TH4).
//
// Not measured: a network, slow receivers, filters that reject much, rivals with several processes.
//
// Faults, which must be zero: deliveries that any contestant loses, doubles or signs wrongly, and that the engine
// delivers out of order or does not record.
//
// How to read: look at the ratios first; both sides of each ratio are from the same round. "CPU each" is the sending
// process per delivery, without Redis and PostgreSQL, and is steadier than the rate. A busy machine slows BullMQ and
// graphile-worker, which need several processes for each job, more than the engine, so quote their ratios only from a
// quiet machine. graphile-worker's rate varies with what its database is doing. BullMQ needs `redis-server` in PATH
// (Debian: apt-get install redis-server); without it the bench says so and continues.
//
// Results over http, 450 B, 50 endpoints, 1 shard (machine and method: bench/README.md). The undici loop made one
// signature then:
//
//                      deliveries/s                    sender's CPU per delivery
//     engine            54,774 (51,330 to 57,459)      15.4 us
//     undici loop       51,900 (51,141 to 56,056)      19.7 us
//     raw socket loop  243,240 (157,524 to 249,838)     2.7 us
//     BullMQ             8,684 (8,183 to 9,145)       122.2 us
//     graphile-worker    4,335 (2,810 to 12,161)       72.8 us
//
// Results over https: docs/decisions/0028-connections-over-https-are-kept.md, drawn from results/2026-11-23-https*.json.

import { parseArgs } from 'node:util';
import type { Scheme } from '../receivers/arrival-receiver-process.ts';
import type { BenchResult, Measurement, Plot } from '../suite/result.ts';
import { wholeNumber } from '../suite/whole-number.ts';
import { Contestants, RIVAL_NAMES, RIVALS, type Rival } from './throughput-contestants.ts';
import { type Contestant, type Faults, playRound, type Round } from './throughput-round.ts';
import { sweep } from './throughput-sweep.ts';

export const help = `npm run bench -- throughput [options]

Plays a timeline with everything due at once to endpoints in another process on this machine, and records every attempt in
PostgreSQL. For comparison, the same bodies go through a bare undici dispatch loop (the reference; it makes the same two
signatures), and with one signature through pipelined raw sockets (the upper limit), BullMQ on Redis and graphile-worker on
PostgreSQL. The receiver verifies a signature of every request. Lost, doubled, misordered, wrongly signed and unrecorded
deliveries are faults. BullMQ needs redis-server in PATH; without it, the bench skips BullMQ and says so.

  --deliveries N    deliveries per round of the engine and the undici loop (default 300000); raw sockets get twice as many,
                    the job queues 15 %, so each takes a few seconds
  --endpoints N     endpoints that share them (default 50)
  --shards N        delivery threads (default 1)
  --bytes N         approximate body size (default 450)
  --rounds N        rounds; each runs every contestant once (default 5)
  --against LIST    what to compare with: ${RIVALS.join(',')} (default: all)
  --https           everything over TLS, compared with the undici loop alone
  --sweep           adds the curves: 1 to 1,000 endpoints, 1 to 4 shards, 200 B to 16 KiB, with a third of the deliveries

  npm run bench -- throughput --against undici --rounds 9
  npm run bench -- throughput --bytes 2048 --endpoints 500
  npm run bench -- throughput --https
  npm run bench -- throughput --sweep --html throughput.html`;

export const smoke = ['--deliveries', '2000', '--endpoints', '10', '--shards', '2', '--rounds', '1'];

export const all = ['--sweep'];

/** Targets for the engine's rate as a multiple of the rival's: of one thread, as each rival has. */
const TARGETS: Readonly<Partial<Record<Rival, number>>> = { undici: 1, bullmq: 3, graphile: 3 };
/** Adapts the load to the rival's speed, so each takes a few seconds; only rates are compared. */
const DELIVERIES_SHARE: Readonly<Record<Rival, number>> = { undici: 1, socket: 2, bullmq: 0.15, graphile: 0.15 };
const OVER_TLS: readonly Rival[] = ['undici'];
const WARM_UP_SHARE = 0.2;
const SWEEP_SHARE = 1 / 3;

interface Options {
  readonly deliveries: number;
  readonly endpoints: number;
  readonly shards: number;
  readonly bytes: number;
  readonly rounds: number;
  readonly scheme: Scheme;
  readonly against: readonly Rival[];
  readonly sweep: boolean;
}

interface Entry {
  /** Null for the engine. */
  readonly rival: Rival | null;
  readonly contestant: Contestant;
  readonly deliveries: number;
  readonly rounds: Round[];
}

export async function run(args: readonly string[], progress: (line: string) => void): Promise<BenchResult> {
  const options = readOptions(args);
  const { endpoints, shards, bytes, rounds, deliveries } = options;
  const shape = { endpoints, shards, bodyBytes: bytes };
  const faults = { lost: 0, doubled: 0, misordered: 0, wronglySigned: 0, unrecorded: 0 };
  const notes: string[] = [];
  const countFaults = (contestant: string, found: Faults): void => {
    for (const key of Object.keys(faults) as (keyof Faults)[]) {
      faults[key] += found[key];
      if (found[key] !== 0) notes.push(`${contestant}: ${key} ${found[key]}`);
    }
  };
  const contestants = await Contestants.open(options.scheme);
  try {
    const entries = await enter(contestants, options, notes, progress);
    // Warms up every contestant: code is compiled and connections are open before anything counts.
    for (const { contestant, deliveries: count } of entries) {
      const load = await contestants.load(shape, count * WARM_UP_SHARE);
      countFaults(`${contestant.name}, warming up`, (await playRound(contestant, load, contestants.receiver)).faults);
    }
    for (let round = 0; round < rounds; round++) {
      for (const { contestant, deliveries: count, rounds: played } of rotated(entries, round)) {
        const result = await playRound(contestant, await contestants.load(shape, count), contestants.receiver);
        countFaults(contestant.name, result.faults);
        played.push(result);
      }
      progress(`round ${round + 1} of ${rounds}: ${entries.map((entry) => lastOf(entry)).join(', ')}`);
    }
    const [engine, ...rivals] = entries as [Entry, ...Entry[]];
    notes.push(receiverNote(engine.rounds.at(-1)!));
    const curves = options.sweep
      ? await sweep(contestants, { deliveries: deliveries * SWEEP_SHARE, rounds }, countFaults, progress)
      : { measurements: [], plots: [] };
    return {
      bench: 'throughput',
      parameters: {
        ...{ deliveries, endpoints, shards, bytes, rounds },
        against: options.against.join(','),
        sweep: options.sweep ? 'yes' : 'no',
        ...(options.scheme === 'https' && { https: 'yes' }),
      },
      measurements: [...comparison(engine, rivals, options), ...curves.measurements],
      plots: [overTime(engine.rounds.at(-1)!), ...curves.plots],
      faults,
      notes,
    };
  } finally {
    await contestants.end();
  }
}

function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      deliveries: { type: 'string', default: '300000' },
      endpoints: { type: 'string', default: '50' },
      shards: { type: 'string', default: '1' },
      bytes: { type: 'string', default: '450' },
      rounds: { type: 'string', default: '5' },
      against: { type: 'string' },
      https: { type: 'boolean', default: false },
      sweep: { type: 'boolean', default: false },
    },
  });
  const { https, sweep } = values;
  const possible = https ? OVER_TLS : RIVALS;
  const against = rivalsOf(values.against ?? possible.join(','));
  const impossible = against.find((rival) => !possible.includes(rival));
  if (impossible !== undefined) throw new Error(`--against: "${impossible}" has no TLS; with --https only ${OVER_TLS}`);
  if (https && sweep) throw new Error('--sweep: its curves are over http only');
  return {
    deliveries: wholeNumber('--deliveries', values.deliveries),
    endpoints: wholeNumber('--endpoints', values.endpoints),
    shards: wholeNumber('--shards', values.shards),
    bytes: wholeNumber('--bytes', values.bytes),
    rounds: wholeNumber('--rounds', values.rounds),
    scheme: https ? 'https' : 'http',
    against,
    sweep,
  };
}

function rivalsOf(text: string): readonly Rival[] {
  const names = text.split(',');
  const unknown = names.find((name) => !(RIVALS as readonly string[]).includes(name));
  if (unknown !== undefined) {
    throw new Error(`--against: "${unknown}" is none of ${RIVALS.join(', ')}; separate several with commas`);
  }
  return RIVALS.filter((rival) => names.includes(rival));
}

/** The entries of the run: the engine first, then each requested rival that can run here. */
async function enter(
  contestants: Contestants,
  { deliveries, shards, against }: Options,
  notes: string[],
  progress: (line: string) => void,
): Promise<readonly Entry[]> {
  const entries: Entry[] = [{ rival: null, contestant: await contestants.engine(shards), deliveries, rounds: [] }];
  for (const rival of against) {
    const contestant = await contestants.rival(rival);
    if (contestant === null) {
      const skipped = `${RIVAL_NAMES[rival]} was skipped: there is no redis-server in PATH. Debian: apt-get install redis-server`;
      progress(skipped);
      notes.push(skipped);
    } else {
      entries.push({ rival, contestant, deliveries: deliveries * DELIVERIES_SHARE[rival], rounds: [] });
    }
  }
  return entries;
}

/** Rotates the order by one each round, so no contestant is always the first. */
function rotated(entries: readonly Entry[], round: number): readonly Entry[] {
  const first = round % entries.length;
  return [...entries.slice(first), ...entries.slice(0, first)];
}

function lastOf({ contestant, rounds }: Entry): string {
  const { perSecond, cpuUs } = rounds.at(-1)!;
  return `${contestant.name} ${Math.round(perSecond)}/s (${cpuUs.toFixed(1)} us CPU)`;
}

function comparison(engine: Entry, rivals: readonly Entry[], { endpoints, shards }: Options): readonly Measurement[] {
  const ratios = rivals.map(({ rival, contestant, rounds }): Measurement => {
    const target = shards === 1 ? TARGETS[rival!] : undefined;
    return {
      name: `engine / ${contestant.name}`,
      unit: 'x',
      better: 'higher',
      samples: engine.rounds.map(({ perSecond }, round) => perSecond / rounds[round]!.perSecond),
      ...(target === undefined ? {} : { target }),
    };
  });
  const each = [engine, ...rivals].flatMap(({ contestant: { name }, rounds }): Measurement[] => [
    { name, unit: '/s', better: 'higher', samples: rounds.map(({ perSecond }) => perSecond) },
    { name: `${name}, CPU each`, unit: 'us', better: 'lower', samples: rounds.map(({ cpuUs }) => cpuUs) },
  ]);
  const opened = engine.rounds.map(({ connections }) => connections / endpoints);
  return [
    ...ratios,
    ...each,
    { name: 'engine, connections for each endpoint', unit: 'x', better: 'lower', samples: opened },
  ];
}

/** Lets the reader check that the receiver is not the bottleneck. */
function receiverNote({ receiverCpuUs, receiverBusy }: Round): string {
  const percent = Math.round(receiverBusy * 100);
  return `The receiver used ${receiverCpuUs.toFixed(1)} us of CPU per delivery of the engine, ${percent} % of its one thread.`;
}

function overTime({ arrivals }: Round): Plot {
  const x: number[] = [];
  const y: number[] = [];
  for (const [index, [seconds, requests]] of arrivals.entries()) {
    const [secondsBefore, before] = arrivals[index - 1] ?? [0, 0];
    x.push(seconds);
    y.push((requests - before) / (seconds - secondsBefore));
  }
  return {
    title: "Arrival rate during the engine's last round, every 100 ms",
    xTitle: 'time (s)',
    yTitle: 'deliveries/s',
    xScale: 'linear',
    yScale: 'linear',
    series: [{ name: 'engine', x, y }],
  };
}
