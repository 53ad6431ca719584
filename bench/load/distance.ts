// Endpoints that are far away: how late deliveries over https arrive at 5 to 250 ms of round trip, beside near ones.
//
// Measured: the busiest 20 s of the 2018 Baku race at ten times its speed, every feed to every endpoint over https. Between
// engine and receiver is a proxy in its own process, which holds every chunk for half a round trip in each direction and the
// first one of a connection for a whole one more (the TCP handshake). TLS adds another round trip, as in reality. Near by
// (0 ms) has the same proxy without the delay, so its cost is in all figures; "direct" has none, which shows that cost.
// With `--lossy`, one chunk in 200 is held 300 ms longer, and all behind it on its connection, and a bare undici loop plays
// the same to the same distance (peers/undici-paced-loop.ts).
//
// Lag at arrival, less half a round trip: from when an update is due to when the receiver has read all of it, without the
// way there that nothing can shorten. "Of the beginning": the first 3 s, at most half of the play, in which connections are
// opened and the in-flight cap learns the distance.
//
// Not measured: bandwidth, packets that are really lost, congestion control.
//
// Counted, and must be zero: as in `replay10x`.
//
// How to read: each play is beside "near by" of its own round. With many endpoints the proxy is the bottleneck: then a
// receiver that responds late (`--late`) stands for the distance instead; handshakes are near then.
//
// Results over https: docs/decisions/0028-connections-over-https-are-kept.md, drawn from results/2026-11-28-distance.json
// and results/2026-11-23-https*.json.

import { parseArgs } from 'node:util';
import { PacedEngine } from '../engines/paced-engine.ts';
import { PacedLoop } from '../peers/undici-paced-loop.ts';
import { ArrivalReceiver } from '../receivers/arrival-receiver-process.ts';
import { DistantProxy } from '../receivers/distant-proxy-process.ts';
import type { BenchResult, Measurement } from '../suite/result.ts';
import { wholeNumber } from '../suite/whole-number.ts';
import { clockNote } from './lag.ts';
import { playLoop } from './loop-play.ts';
import { sumOfFaults } from './play-faults.ts';
import { BEGINNING_MS_MAX, playRace, type RacePlay } from './race-play.ts';
import { busiestSlice, DEFAULT_RECORDING, deriveRace, describeSlice } from './race-slice.ts';

const SPEED = 10;
/** What the p99 may be above that of near endpoints, in milliseconds. */
const TARGET_ABOVE_NEAR_MS = 15;

export const help = `npm run bench -- distance [options]

Plays the busiest stretch of a race at ten times its speed over https to endpoints at several distances in turn. A proxy
between engine and receiver holds everything for half a round trip in each direction. Lag is at arrival, less half a
round trip.

  --endpoints N       endpoints (default 25)
  --round-trips LIST  in ms (default 5,20,100,250)
  --late              no proxy: the receiver responds after the round trip, for many endpoints
  --lossy             the proxy holds one chunk in 200 for 300 ms longer; compared with a bare undici loop
  --seconds N         length of the stretch as played (default 20); its first 3 s, at most half, are reported separately
  --recording DIR     an archive folder, or "demo" for the built-in race
                      (default ../shared/data/archive/2018-azerbaijan-race if present, else demo)
  --shards N          delivery threads (default 1)
  --rounds N          rounds; each plays every distance once (default 5)

  npm run bench -- distance --round-trips 100 --lossy
  npm run bench -- distance --endpoints 250 --round-trips 100 --late`;

export const smoke = [
  '--recording',
  'demo',
  '--endpoints',
  '2',
  '--round-trips',
  '20',
  '--seconds',
  '2',
  '--rounds',
  '1',
];

interface Place {
  readonly name: string;
  readonly receiver: ArrivalReceiver;
  readonly urls: readonly string[];
  /** Half a round trip. */
  readonly travelMs: number;
}

export async function run(args: readonly string[], progress: (line: string) => void): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      endpoints: { type: 'string', default: '25' },
      'round-trips': { type: 'string', default: '5,20,100,250' },
      late: { type: 'boolean', default: false },
      lossy: { type: 'boolean', default: false },
      seconds: { type: 'string', default: '20' },
      recording: { type: 'string', default: DEFAULT_RECORDING },
      shards: { type: 'string', default: '1' },
      rounds: { type: 'string', default: '5' },
    },
  });
  const endpoints = wholeNumber('--endpoints', values.endpoints);
  const roundTrips = values['round-trips'].split(',').map((text) => wholeNumber('--round-trips', text));
  const { late, lossy } = values;
  if (late && lossy) throw new Error('--lossy: needs the proxy, which --late leaves out');
  const seconds = wholeNumber('--seconds', values.seconds);
  const shards = wholeNumber('--shards', values.shards);
  const rounds = wholeNumber('--rounds', values.rounds);
  const slice = busiestSlice(deriveRace(values.recording), seconds * SPEED * 1_000);
  progress(`playing ${describeSlice(slice, SPEED)}`);
  const started: { end(): Promise<void> }[] = [];
  const keep = <Part extends { end(): Promise<void> }>(part: Part): Part => {
    started.push(part);
    return part;
  };
  try {
    const near = keep(await ArrivalReceiver.start({ scheme: 'https', origins: endpoints }));
    const places: Place[] = [{ name: 'direct', receiver: near, urls: near.urls(endpoints), travelMs: 0 }];
    for (const roundTripMs of late ? roundTrips : [0, ...roundTrips]) {
      const name = roundTripMs === 0 ? 'near by' : `${roundTripMs} ms`;
      if (late) {
        const receiver = keep(
          await ArrivalReceiver.start({ scheme: 'https', answerAfterMs: roundTripMs, origins: endpoints }),
        );
        // The response alone is late: requests arrive at once.
        places.push({ name, receiver, urls: receiver.urls(endpoints), travelMs: 0 });
      } else {
        const proxy = keep(await DistantProxy.start(roundTripMs, near.ports, lossy));
        places.push({ name, receiver: near, urls: near.urls(endpoints, proxy.ports), travelMs: roundTripMs / 2 });
      }
    }
    const loop = lossy ? keep(new PacedLoop()) : null;
    const engines: PacedEngine[] = [];
    for (const _ of places) engines.push(keep(await PacedEngine.start(shards)));
    const files = engines.map((engine) => engine.load(slice.timeline));
    const clockMs = await near.clockAgreementMs();
    const plays = places.map((): RacePlay[] => []);
    const loopP99 = places.map((): number[] => []);
    const beginningMs = Math.min(BEGINNING_MS_MAX, seconds * 500);
    for (let round = 1; round <= rounds; round++) {
      for (const [index, { name, receiver, urls, travelMs }] of places.entries()) {
        const play = await playRace({
          engine: engines[index]!,
          receiver,
          slice,
          artifactFile: files[index]!,
          count: endpoints,
          speed: SPEED,
          urls,
          travelMs,
          beginningMs,
          name,
        });
        plays[index]!.push(play);
        progress(
          `round ${round} of ${rounds}, ${name}: lag p50 ${play.lag.p50.toFixed(1)}, p99 ${play.lag.p99.toFixed(1)} ms, of the ` +
            `beginning p99 ${play.beginningP99.toFixed(0)} ms; ${play.cpuUsEach.toFixed(0)} us CPU each; ` +
            `${play.connections} connections`,
        );
        if (loop === null) continue;
        const p99 = await playLoop({ loop, receiver, slice, speed: SPEED, urls, travelMs, beginningMs });
        loopP99[index]!.push(p99);
        progress(`round ${round} of ${rounds}, ${name}, bare loop: lag p99 ${p99.toFixed(1)} ms`);
      }
    }
    return {
      bench: 'distance',
      parameters: {
        recording: slice.name,
        endpoints,
        'round-trips': roundTrips.join(','),
        how: late ? 'late responses' : lossy ? 'lossy proxy' : 'proxy',
        seconds,
        shards,
        rounds,
      },
      measurements: places.flatMap(({ name, travelMs }, index) => [
        ...measurementsOf(name, travelMs, plays[index]!, plays),
        ...(loop === null ? [] : besideLoop(name, plays[index]!, loopP99[index]!)),
      ]),
      plots: [
        {
          title: 'Lag at arrival, less half a round trip, by rarity',
          xTitle: 'x: one in x deliveries is slower',
          yTitle: 'milliseconds',
          xScale: 'log',
          yScale: 'log',
          series: plays.map((own) => own.at(-1)!.curves.lag),
        },
      ],
      faults: sumOfFaults(plays.flat()),
      notes: [`played: ${describeSlice(slice, SPEED)}`, clockNote(clockMs)],
    };
  } finally {
    await Promise.all(started.map((part) => part.end()));
  }
}

function measurementsOf(
  name: string,
  travelMs: number,
  own: readonly RacePlay[],
  plays: readonly (readonly RacePlay[])[],
): Measurement[] {
  const measure = (what: string, unit: Measurement['unit'], of: (play: RacePlay) => number): Measurement => ({
    name: `${what}, ${name}`,
    unit,
    better: 'lower',
    samples: own.map(of),
  });
  const near = plays[travelMs === 0 ? 0 : 1]!;
  return [
    measure('lag p50', 'ms', ({ lag }) => lag.p50),
    measure('lag p99', 'ms', ({ lag }) => lag.p99),
    measure('lag p99 of the beginning', 'ms', ({ beginningP99 }) => beginningP99),
    ...(own === near
      ? []
      : [
          {
            name: `lag p99 above near by, ${name}`,
            unit: 'ms' as const,
            better: 'lower' as const,
            samples: own.map(({ lag }, round) => lag.p99 - near[round]!.lag.p99),
            ...(travelMs > 0 && { target: TARGET_ABOVE_NEAR_MS }),
          },
        ]),
    measure('CPU for each delivery', 'us', ({ cpuUsEach }) => cpuUsEach),
    measure('connections', 'count', ({ connections }) => connections),
  ];
}

/** The bare loop's p99 after the beginning, and the engine's relative to it. */
function besideLoop(name: string, own: readonly RacePlay[], loopP99: readonly number[]): Measurement[] {
  return [
    { name: `lag p99 of the bare loop, ${name}`, unit: 'ms', better: 'lower', samples: loopP99 },
    {
      name: `lag p99 relative to the bare loop, ${name}`,
      unit: 'x',
      better: 'lower',
      samples: own.map(({ lag }, round) => lag.p99 / loopP99[round]!),
    },
  ];
}
