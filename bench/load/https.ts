// Deliveries over https beside the same over http: lag, CPU, and how many connections they take.
//
// Measured: the busiest 20 s of the built-in race at ten times its speed, every feed to every endpoint, over http and over
// https in turn. Each endpoint has an origin of its own (a port). The engine verifies the certificate, which has a P-256 key;
// with RSA-2048, handshakes cost the receiver more.
// Every round uses new endpoints, so their connections are cold. TLS sessions are kept by origin: from the second round on
// nearly every handshake resumes one. Without a warm cache, use `--rounds 1`.
//
// Lag: from when an update is due to when the receiver has read all of it. The beginning is the first tenth, at most 3 s,
// handshakes included. CPU is that of the steady part after it.
//
// Not measured: distance (the bench `distance`), receivers that take time.
//
// Counted, and must be zero: lost, doubled, misordered, early, wrongly signed, unexpected, unrecorded and unaccounted
// deliveries, as in `replay10x`.
//
// How to read: ratios first, they pair the two plays of a round. The receiver verifies signatures and decrypts on the same
// two cores, so at a high rate its work shows in the lag of both.
//
// Results over https: docs/decisions/0028-connections-over-https-are-kept.md, drawn from results/2026-11-23-https*.json.

import { parseArgs } from 'node:util';
import { PacedEngine } from '../engines/paced-engine.ts';
import { ArrivalReceiver, type Scheme } from '../receivers/arrival-receiver-process.ts';
import type { BenchResult, Measurement } from '../suite/result.ts';
import { wholeNumber } from '../suite/whole-number.ts';
import { clockNote } from './lag.ts';
import { sumOfFaults } from './play-faults.ts';
import { playRace, type RacePlay } from './race-play.ts';
import { busiestSlice, deriveRace, describeSlice } from './race-slice.ts';

const SPEED = 10;
const SCHEMES = ['http', 'https'] as const;
const TARGETS = { lagRatio: 1.5, cpuRatio: 1.3, coldP99Ms: 150, connectionsEach: 2 } as const;

export const help = `npm run bench -- https [options]

Plays a stretch of the built-in race at ten times its speed to endpoints over http and over https in turn, each with an
origin and a certificate of its own. Every round uses new endpoints, so their connections are cold.

  --endpoints N    endpoints (default 100)
  --seconds N      length of the stretch as played (default 20); its first tenth, at most 3 s, is reported separately
  --recording DIR  an archive folder, or "demo" for the built-in race (default demo)
  --shards N       delivery threads (default 1)
  --rounds N       rounds; each plays both once (default 5)

  npm run bench -- https --endpoints 400 --rounds 3`;

export const smoke = ['--endpoints', '3', '--seconds', '1', '--rounds', '1'];

export async function run(args: readonly string[], progress: (line: string) => void): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      endpoints: { type: 'string', default: '100' },
      seconds: { type: 'string', default: '20' },
      recording: { type: 'string', default: 'demo' },
      shards: { type: 'string', default: '1' },
      rounds: { type: 'string', default: '5' },
    },
  });
  const endpoints = wholeNumber('--endpoints', values.endpoints);
  const seconds = wholeNumber('--seconds', values.seconds);
  const shards = wholeNumber('--shards', values.shards);
  const rounds = wholeNumber('--rounds', values.rounds);
  const slice = busiestSlice(deriveRace(values.recording), seconds * SPEED * 1_000);
  progress(`playing ${describeSlice(slice, SPEED)}`);
  const plays: Record<Scheme, RacePlay[]> = { http: [], https: [] };
  const receivers: ArrivalReceiver[] = [];
  const engines: PacedEngine[] = [];
  try {
    for (const scheme of SCHEMES) receivers.push(await ArrivalReceiver.start({ scheme, origins: endpoints }));
    for (const _ of SCHEMES) engines.push(await PacedEngine.start(shards));
    const files = engines.map((engine) => engine.load(slice.timeline));
    const clockMs = await receivers[0]!.clockAgreementMs();
    for (let round = 1; round <= rounds; round++) {
      // Each round begins with the other one.
      for (const scheme of round % 2 === 1 ? SCHEMES : SCHEMES.toReversed()) {
        const index = SCHEMES.indexOf(scheme);
        const play = await playRace({
          engine: engines[index]!,
          receiver: receivers[index]!,
          slice,
          artifactFile: files[index]!,
          count: endpoints,
          speed: SPEED,
          name: scheme,
        });
        plays[scheme].push(play);
        progress(
          `round ${round} of ${rounds}, ${scheme}: lag p50 ${play.lag.p50.toFixed(2)}, p99 ${play.lag.p99.toFixed(2)} ms, of ` +
            `the beginning p99 ${play.beginningP99.toFixed(0)} ms; ${play.cpuUsEach.toFixed(0)} us CPU each; ` +
            `${play.connections} connections`,
        );
      }
    }
    return {
      bench: 'https',
      parameters: { recording: slice.name, endpoints, seconds, shards, rounds },
      measurements: measurementsOf(plays, endpoints),
      plots: [
        {
          title: 'Lag by rarity',
          xTitle: 'x: one in x deliveries is slower',
          yTitle: 'milliseconds',
          xScale: 'log',
          yScale: 'log',
          series: SCHEMES.map((scheme) => plays[scheme].at(-1)!.curves.lag),
        },
      ],
      faults: sumOfFaults(SCHEMES.flatMap((scheme) => plays[scheme])),
      notes: [`played: ${describeSlice(slice, SPEED)}`, clockNote(clockMs)],
    };
  } finally {
    await Promise.all([...engines, ...receivers].map((part) => part.end()));
  }
}

function measurementsOf(plays: Readonly<Record<Scheme, readonly RacePlay[]>>, endpoints: number): Measurement[] {
  const own = SCHEMES.flatMap((scheme): Measurement[] => {
    const measure = (name: string, unit: Measurement['unit'], of: (play: RacePlay) => number): Measurement => ({
      name: `${name}, ${scheme}`,
      unit,
      better: 'lower',
      samples: plays[scheme].map(of),
    });
    return [
      measure('lag p50', 'ms', ({ lag }) => lag.p50),
      measure('lag p99', 'ms', ({ lag }) => lag.p99),
      {
        ...measure('lag p99, the beginning included', 'ms', ({ wholeP99 }) => wholeP99),
        ...(scheme === 'https' && { target: TARGETS.coldP99Ms }),
      },
      measure('lag p99 of the beginning', 'ms', ({ beginningP99 }) => beginningP99),
      measure('CPU for each delivery', 'us', ({ cpuUsEach }) => cpuUsEach),
      {
        ...measure('connections for each endpoint', 'x', ({ connections }) => connections / endpoints),
        ...(scheme === 'https' && { target: TARGETS.connectionsEach }),
      },
      measure('RSS at most', 'MiB', ({ rssMiB }) => rssMiB),
    ];
  });
  const ratio = (name: string, of: (play: RacePlay) => number, target: number): Measurement => ({
    name: `${name}, https to http`,
    unit: 'x',
    better: 'lower',
    samples: plays.https.map((play, round) => of(play) / of(plays.http[round]!)),
    target,
  });
  return [
    ratio('lag p99', ({ lag }) => lag.p99, TARGETS.lagRatio),
    ratio('CPU for each delivery', ({ cpuUsEach }) => cpuUsEach, TARGETS.cpuRatio),
    ...own,
  ];
}
