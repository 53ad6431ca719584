// A real race at ten times its speed: how late deliveries reach their receivers, how long responses take, and what
// resources the engine needs, with few endpoints and with many.
//
// Measured: the busiest 30 s (five minutes of racing) of the 2018 Baku race, every feed to every endpoint, alternating
// between 25 and 250 endpoints. Each number of endpoints has its own engine process (shard threads, PostgreSQL with its
// durable delivery log). The receiver has its own process and verifies every signature. A play starts mid-race from
// checkpoints, like a resumed run. Without ../shared/data the bench plays the built-in race and says so. `--whole`
// plays the whole race, 11.5 minutes each time.
//
// Lag: from when an update is due to when the receiver has read all of it, on the machine's monotonic clock. Each run
// checks that the two processes agree on that clock. The engine starts a run on a whole millisecond, which accounts for
// up to 1 ms of lag. Ack: the latency in the delivery log, from an attempt's start to its response. For comparison, the
// bench also reports the engine's own figures: `lagMs` of the run once a second, and the p99 in the account's usage.
//
// Reported separately: the first tenth, at most 3 s, in which connections are opened and code is compiled.
//
// Not measured: a network, TLS, slow receivers; CPU and memory of PostgreSQL and the receiver.
//
// Faults, which must be zero: deliveries that were lost, doubled, misordered on arrival (more than 256 back), started
// early (an attempt before one of an earlier update, by the log: I5), wrongly signed, unexpected, unrecorded (log,
// usage and requests: I10) or unaccounted for (I1).
//
// How to read: updates come in bursts (1 % of them share their moment with four or more others), so at 250 endpoints
// the p99 is the time of a thousand consecutive attempts: 29 ms at 20 us each without noise. At a low rate a delivery
// costs more CPU, because every response wakes the thread. On a busy machine, p99 says more about the machine.
//
// Results (machine and method: bench/README.md):
//
//                                25 endpoints             250 endpoints
//     lag p50                    0.91 (0.77 to 1.20) ms   5.00 (4.87 to 5.21) ms
//     lag p99                    4.4 (3.8 to 6.2) ms      44.1 (43.7 to 56.0) ms
//     lag p99.9                  14.5 (8.5 to 19.5) ms    71.1 (57.3 to 81.6) ms
//     lag max                    20 (11 to 25) ms         89 (69 to 97) ms
//     lag p99 of the beginning   9 (6 to 21) ms           88 (80 to 104) ms
//     ack p50                    0.69 (0.60 to 0.87) ms   3.12 (3.07 to 3.18) ms
//     ack p99                    2.5 (2.4 to 3.3) ms      14.3 (13.2 to 14.8) ms
//     ack p99.9                  4.1 (3.2 to 12.1) ms     22.5 (19.9 to 29.4) ms
//     CPU for each delivery      46 (42 to 59) us         24 (22 to 24) us
//     CPU of one core            0.06 (0.06 to 0.08)      0.33 (0.31 to 0.34)
//     RSS at most                191 (161 to 216) MiB     212 (195 to 273) MiB

import { parseArgs } from 'node:util';
import { PacedEngine } from '../engines/paced-engine.ts';
import { ArrivalReceiver } from '../receivers/arrival-receiver-process.ts';
import { type BenchResult, type Measurement, PLOT_POINTS_MAX, type Plot, type Series } from '../suite/result.ts';
import { wholeNumber } from '../suite/whole-number.ts';
import { clockNote } from './lag.ts';
import { sumOfFaults } from './play-faults.ts';
import { playRace, QUANTILES, type Quantiles, type RacePlay } from './race-play.ts';
import { busiestSlice, DEFAULT_RECORDING, deriveRace, describeSlice, type RaceSlice, wholeRace } from './race-slice.ts';

const SPEED = 10;
/** The most deliveries of one play. The time of each is kept in memory, eight bytes each. */
const DELIVERIES_MAX = 20_000_000;

/** Targets for lag by the number of endpoints, in milliseconds. */
const TARGETS: Readonly<Record<number, Partial<Quantiles>>> = {
  25: { p99: 5, 'p99.9': 20 },
  250: { p99: 50 },
};

export const help = `npm run bench -- replay10x [options]

Plays the busiest stretch of a race at ten times its speed, every feed to every endpoint. The receiver runs in another
process on this machine. Each number of endpoints has its own engine process (shards, PostgreSQL with the delivery log).
"Lag" is from due to fully received, "ack" from an attempt's start to its response.

  --endpoints LIST  numbers of endpoints; the plays alternate (default 25,250)
  --seconds N       length of the stretch as played (default 30); its first tenth, at most 3 s, is reported separately
  --whole           plays the whole race (about 11.5 minutes each time)
  --recording DIR   an archive folder, or "demo" for the built-in race
                    (default ../shared/data/archive/2018-azerbaijan-race if present, else demo)
  --shards N        delivery threads (default 1)
  --rounds N        rounds; each plays every number of endpoints once (default 5)

  npm run bench -- replay10x --endpoints 25 --seconds 60 --rounds 3
  npm run bench -- replay10x --whole --rounds 1`;

export const smoke = ['--recording', 'demo', '--endpoints', '3', '--seconds', '1', '--rounds', '1'];

export async function run(args: readonly string[], progress: (line: string) => void): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      endpoints: { type: 'string', default: '25,250' },
      seconds: { type: 'string', default: '30' },
      whole: { type: 'boolean', default: false },
      recording: { type: 'string', default: DEFAULT_RECORDING },
      shards: { type: 'string', default: '1' },
      rounds: { type: 'string', default: '5' },
    },
  });
  const counts = values.endpoints.split(',').map((text) => wholeNumber('--endpoints', text));
  if (new Set(counts).size < counts.length) throw new Error('--endpoints: the list repeats a number');
  const seconds = wholeNumber('--seconds', values.seconds);
  const shards = wholeNumber('--shards', values.shards);
  const rounds = wholeNumber('--rounds', values.rounds);
  const race = deriveRace(values.recording);
  const slice = values.whole ? wholeRace(race) : busiestSlice(race, seconds * SPEED * 1_000);
  if (slice.updates * Math.max(...counts) > DELIVERIES_MAX)
    throw new Error(`--endpoints: at most ${Math.floor(DELIVERIES_MAX / slice.updates)} for a stretch of this length`);
  progress(`playing ${describeSlice(slice, SPEED)}`);
  const { plays, clockMs } = await playAll(slice, counts, { shards, rounds, progress });
  return {
    bench: 'replay10x',
    parameters: {
      recording: slice.name,
      seconds: values.whole ? 'whole' : seconds,
      endpoints: counts.join(','),
      shards,
      rounds,
    },
    measurements: counts.flatMap((count) =>
      measurementsOf(
        count,
        plays.filter(({ endpoints }) => endpoints === count),
      ),
    ),
    plots: plotsOf(counts, plays),
    faults: sumOfFaults(plays),
    notes: [
      `played: ${describeSlice(slice, SPEED)}`,
      ...(values.recording === 'demo' ? ['this is the built-in race, not a real one; see --recording'] : []),
      clockNote(clockMs),
      'CPU and memory are those of the engine process, without PostgreSQL',
    ],
  };
}

interface PlayAllOptions {
  readonly shards: number;
  readonly rounds: number;
  readonly progress: (line: string) => void;
}

async function playAll(
  slice: RaceSlice,
  counts: readonly number[],
  { shards, rounds, progress }: PlayAllOptions,
): Promise<{ readonly plays: readonly RacePlay[]; readonly clockMs: number }> {
  const receiver = await ArrivalReceiver.start();
  // Each number of endpoints has its own engine, so its memory holds no garbage of another.
  const engines: PacedEngine[] = [];
  try {
    for (let started = 0; started < counts.length; started++) engines.push(await PacedEngine.start(shards));
    const artifactFiles = engines.map((engine) => engine.load(slice.timeline));
    const clockMs = await receiver.clockAgreementMs();
    const plays: RacePlay[] = [];
    for (let round = 1; round <= rounds; round++) {
      for (const [index, count] of counts.entries()) {
        const play = await playRace({
          engine: engines[index]!,
          receiver,
          slice,
          artifactFile: artifactFiles[index]!,
          count,
          speed: SPEED,
        });
        plays.push(play);
        const { p50, p99, 'p99.9': p999, max } = play.lag;
        progress(
          `round ${round} of ${rounds}, ${count} endpoints: lag p50 ${ms(p50)}, p99 ${ms(p99)}, p99.9 ${ms(p999)}, ` +
            `max ${ms(max)}; ack p99 ${ms(play.ack.p99)}; ${play.cpuUsEach.toFixed(0)} us CPU each, ` +
            `${play.rssMiB.toFixed(0)} MiB`,
        );
      }
    }
    return { plays, clockMs };
  } finally {
    await Promise.all(engines.map((engine) => engine.end()));
    await receiver.end();
  }
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}

function measurementsOf(count: number, plays: readonly RacePlay[]): Measurement[] {
  const latency = (name: string, latencyOf: (play: RacePlay) => number, target?: number): Measurement => ({
    name: `${name}, ${count} endpoints`,
    unit: 'ms',
    better: 'lower',
    samples: plays.map(latencyOf),
    ...(target !== undefined && { target }),
  });
  return [
    ...QUANTILES.map(([name]) => latency(`lag ${name}`, ({ lag }) => lag[name], TARGETS[count]?.[name])),
    latency('lag p99 of the beginning', ({ beginningP99 }) => beginningP99),
    ...QUANTILES.map(([name]) => latency(`ack ${name}`, ({ ack }) => ack[name])),
    latency('due to answered p99 as usage tells it', ({ usageP99 }) => usageP99),
    {
      name: `CPU for each delivery, ${count} endpoints`,
      unit: 'us',
      better: 'lower',
      samples: plays.map(({ cpuUsEach }) => cpuUsEach),
    },
    {
      name: `CPU of one core, ${count} endpoints`,
      unit: 'share',
      better: 'lower',
      samples: plays.map(({ cpuShare }) => cpuShare),
    },
    {
      name: `RSS at most, ${count} endpoints`,
      unit: 'MiB',
      better: 'lower',
      samples: plays.map((play) => play.rssMiB),
    },
  ];
}

/** Plots of the last round, when all code is compiled. */
function plotsOf(counts: readonly number[], plays: readonly RacePlay[]): Plot[] {
  const last = plays.slice(-counts.length);
  const seconds = { xTitle: 'seconds since the first update was due', xScale: 'linear' } as const;
  return [
    {
      title: 'Latency by rarity',
      xTitle: 'x: one in x deliveries is slower',
      yTitle: 'milliseconds',
      xScale: 'log',
      yScale: 'log',
      series: last.flatMap(({ curves }) => [curves.lag, curves.ack]),
    },
    {
      title: 'Largest lag over time',
      ...seconds,
      yTitle: 'milliseconds',
      yScale: 'linear',
      series: last.flatMap(({ overTime }) => [overTime.lag, overTime.shownLag].map(bounded)),
    },
    {
      title: 'CPU of the engine over time',
      ...seconds,
      yTitle: 'cores',
      yScale: 'linear',
      series: last.map(({ overTime }) => bounded(overTime.cpu)),
    },
    {
      title: 'Resident memory of the engine over time',
      ...seconds,
      yTitle: 'MiB',
      yScale: 'linear',
      series: last.map(({ overTime }) => bounded(overTime.rss)),
    },
  ];
}

/** Thins out the samples of a long play to what a plot can hold. */
function bounded({ name, x, y }: Series): Series {
  const every = Math.ceil(x.length / PLOT_POINTS_MAX);
  const kept = (_: unknown, index: number): boolean => index % every === 0;
  return { name, x: x.filter(kept), y: y.filter(kept) };
}
