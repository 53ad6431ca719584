// Flat-out throughput: how many deliveries a second the engine makes when everything is due at once, to receivers in
// another process on the same machine.
//
// Measured: the real path from the artifact in shared memory through filter, mailbox, two signatures, HTTP client and
// answer to the attempt in PostgreSQL's delivery log (`fsync` and `synchronous_commit` on), with usage and checkpoints.
// The time ends when the last attempt is recorded. `--sweep` adds the curves of throughput-sweep.ts.
//
// Beside it, in turn, in the same run, the same bodies with the same signature through:
// - a bare loop over undici's `dispatch`, the reference: 64 connections, one request at a time on each;
// - raw sockets, the limit: 8 connections, up to 64 pipelined requests on each, answers only counted;
// - BullMQ on Redis (no persistence, Unix socket) and graphile-worker on the engine's PostgreSQL, the peers that a team
//   would otherwise build on: one job a delivery, four attempts, added and completed in bulk, undici for the request;
//   from the first add to the last job settled.
// None of these keeps a delivery log. Each has one thread, producer included, which stays from round to round.
//
// Not measured: a network, TLS, receivers that take time, filters that reject much, peers over several processes.
//
// Counted, and must be zero: deliveries that were lost, doubled or wrongly signed by any of them, misordered or
// unrecorded by the engine.
//
// How to read: the ratios first, because their values are of one round. CPU each is the sending process alone, without
// Redis and PostgreSQL; it is steadier than the rate. On a busy machine the peers, which need several processes for
// each job, lose more than the engine, so quote their ratios from a quiet one only. The rates of graphile-worker swing
// with what its database does at the moment. BullMQ needs `redis-server` in PATH (Debian: apt-get install
// redis-server); without it the bench says so and continues.
//
// Results, 450 B, 50 endpoints, 1 shard (machine and method: bench/README.md):
//
//                      deliveries/s                    CPU of the sender each
//     engine            54,774 (51,330 to 57,459)      15.4 us
//     undici loop       51,900 (51,141 to 56,056)      19.7 us
//     raw socket loop  243,240 (157,524 to 249,838)     2.7 us
//     BullMQ             8,684 (8,183 to 9,145)       122.2 us
//     graphile-worker    4,335 (2,810 to 12,161)       72.8 us

import { parseArgs } from 'node:util';
import type { BenchResult, Measurement, Plot } from '../suite/result.ts';
import { wholeNumber } from '../suite/whole-number.ts';
import { RIVAL_NAMES, RIVALS, type Rival, ThroughputField } from './throughput-field.ts';
import { type Contestant, type Faults, playRound, type Round } from './throughput-round.ts';
import { sweep } from './throughput-sweep.ts';

export const help = `npm run bench -- throughput [options]

Plays a timeline with everything due at once to endpoints in another process on this machine, with the delivery log
written to PostgreSQL. In turn, the same bodies with the same signature go through a bare undici dispatch loop (the
reference), pipelined raw sockets (the limit), BullMQ on Redis and graphile-worker on PostgreSQL (the peers). The receiver
verifies every signature; lost, doubled, misordered, wrongly signed and unrecorded deliveries are counted and must be
none. BullMQ needs redis-server in PATH and is left out, aloud, without it.

  --deliveries N    in each round of the engine and the undici loop (default 300000); raw sockets get twice as many, the
                    peers 15 %, so that each takes some seconds
  --endpoints N     endpoints that share them (default 50)
  --shards N        delivery threads (default 1)
  --bytes N         body size, about (default 450)
  --rounds N        rounds, each once with everybody (default 5)
  --against LIST    beside whom: ${RIVALS.join(',')} (default: all)
  --sweep           then the curves: 1 to 1,000 endpoints, 1 to 4 shards, 200 B to 16 KiB, with a third of the deliveries

  npm run bench -- throughput --against undici --rounds 9
  npm run bench -- throughput --bytes 2048 --endpoints 500
  npm run bench -- throughput --sweep --html throughput.html`;

export const smoke = ['--deliveries', '2000', '--endpoints', '10', '--shards', '2', '--rounds', '1'];

export const all = ['--sweep'];

/** What the engine's rate should be as a multiple of theirs. */
const TARGETS: Readonly<Partial<Record<Rival, number>>> = { undici: 1, bullmq: 3, graphile: 3 };
/** So that each takes some seconds, however fast it is; rates are compared. */
const DELIVERIES_SHARE: Readonly<Record<Rival, number>> = { undici: 1, socket: 2, bullmq: 0.15, graphile: 0.15 };
const WARM_UP_SHARE = 0.2;
const SWEEP_SHARE = 1 / 3;

interface Options {
  readonly deliveries: number;
  readonly endpoints: number;
  readonly shards: number;
  readonly bytes: number;
  readonly rounds: number;
  readonly against: readonly Rival[];
  readonly sweep: boolean;
}

interface Entry {
  /** Null: the engine. */
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
  const heard = (contestant: string, found: Faults): void => {
    for (const key of Object.keys(faults) as (keyof Faults)[]) {
      faults[key] += found[key];
      if (found[key] !== 0) notes.push(`${contestant}: ${key} ${found[key]}`);
    }
  };
  const field = await ThroughputField.open();
  try {
    const entries = await enter(field, options, notes, progress);
    // Everybody's code is compiled and everybody's connections are made before anything counts.
    for (const { contestant, deliveries: count } of entries) {
      const load = await field.load(shape, count * WARM_UP_SHARE);
      heard(`${contestant.name}, warming up`, (await playRound(contestant, load, field.receiver)).faults);
    }
    for (let round = 0; round < rounds; round++) {
      for (const { contestant, deliveries: count, rounds: played } of turned(entries, round)) {
        const result = await playRound(contestant, await field.load(shape, count), field.receiver);
        heard(contestant.name, result.faults);
        played.push(result);
      }
      progress(`round ${round + 1} of ${rounds}: ${entries.map((entry) => lastOf(entry)).join(', ')}`);
    }
    const [engine, ...rivals] = entries as [Entry, ...Entry[]];
    notes.push(receiverNote(engine.rounds.at(-1)!));
    const curves = options.sweep
      ? await sweep(field, { deliveries: deliveries * SWEEP_SHARE, rounds }, heard, progress)
      : { measurements: [], plots: [] };
    return {
      bench: 'throughput',
      parameters: {
        ...{ deliveries, endpoints, shards, bytes, rounds },
        against: options.against.join(','),
        sweep: options.sweep ? 'yes' : 'no',
      },
      measurements: [...comparison(engine, rivals), ...curves.measurements],
      plots: [overTime(engine.rounds.at(-1)!), ...curves.plots],
      faults,
      notes,
    };
  } finally {
    await field.end();
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
      against: { type: 'string', default: RIVALS.join(',') },
      sweep: { type: 'boolean', default: false },
    },
  });
  return {
    deliveries: wholeNumber('--deliveries', values.deliveries),
    endpoints: wholeNumber('--endpoints', values.endpoints),
    shards: wholeNumber('--shards', values.shards),
    bytes: wholeNumber('--bytes', values.bytes),
    rounds: wholeNumber('--rounds', values.rounds),
    against: rivalsOf(values.against),
    sweep: values.sweep,
  };
}

function rivalsOf(text: string): readonly Rival[] {
  const names = text.split(',');
  const unknown = names.find((name) => !(RIVALS as readonly string[]).includes(name));
  if (unknown !== undefined) {
    throw new Error(`--against: "${unknown}" is none of ${RIVALS.join(', ')}; several are separated by commas`);
  }
  return RIVALS.filter((rival) => names.includes(rival));
}

/** The engine first, then whoever it is to be beside and can be. */
async function enter(
  field: ThroughputField,
  { deliveries, shards, against }: Options,
  notes: string[],
  progress: (line: string) => void,
): Promise<readonly Entry[]> {
  const entries: Entry[] = [{ rival: null, contestant: await field.engine(shards), deliveries, rounds: [] }];
  for (const rival of against) {
    const contestant = await field.rival(rival);
    if (contestant === null) {
      const left = `${RIVAL_NAMES[rival]} was left out: there is no redis-server in PATH. Debian: apt-get install redis-server`;
      progress(left);
      notes.push(left);
    } else {
      entries.push({ rival, contestant, deliveries: deliveries * DELIVERIES_SHARE[rival], rounds: [] });
    }
  }
  return entries;
}

/** Another one begins in each round, so that nobody always comes after the same one. */
function turned(entries: readonly Entry[], round: number): readonly Entry[] {
  const first = round % entries.length;
  return [...entries.slice(first), ...entries.slice(0, first)];
}

function lastOf({ contestant, rounds }: Entry): string {
  const { perSecond, cpuUs } = rounds.at(-1)!;
  return `${contestant.name} ${Math.round(perSecond)}/s (${cpuUs.toFixed(1)} us CPU)`;
}

function comparison(engine: Entry, rivals: readonly Entry[]): readonly Measurement[] {
  const ratios = rivals.map(({ rival, contestant, rounds }): Measurement => {
    const target = TARGETS[rival!];
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
  return [...ratios, ...each];
}

/** The receiver must not be what limits. */
function receiverNote({ receiverCpuUs, receiverBusy }: Round): string {
  const percent = Math.round(receiverBusy * 100);
  return `The receiver took ${receiverCpuUs.toFixed(1)} us CPU for each delivery of the engine, ${percent} % of its one thread.`;
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
    title: "Deliveries of the engine's last round as they came, every 100 ms",
    xTitle: 'time (s)',
    yTitle: 'deliveries/s',
    xScale: 'linear',
    yScale: 'linear',
    series: [{ name: 'engine', x, y }],
  };
}
