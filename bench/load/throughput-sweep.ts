// Scaling curves of throughput by endpoints, shards and body size, each compared with the bare undici loop, which uses
// the same 64 connections for any number of endpoints. The curve by endpoints is also compared with raw sockets, one
// per endpoint like the engine: that shows what the extra connections cost by themselves. Every round measures all
// points, so a noisy minute affects all of them.
//
// How to read: more shards than spare cores make it slower, because receiver, database and threads share two cores
// here.
//
// Results (machine and method: bench/README.md). The loop made one signature then, half of the main cost of a large body:
//
//                                      deliveries/s                  relative to the undici loop
//     1 endpoint, 1 shard, 450 B       63,895 (50,299 to 64,293)     1.21
//     10 endpoints, 1 shard, 450 B     61,025 (48,961 to 64,394)     1.17
//     100 endpoints, 1 shard, 450 B    55,371 (52,365 to 55,804)     1.04
//     1000 endpoints, 1 shard, 450 B   36,912 (34,362 to 37,912)     0.69
//     50 endpoints, 2 shards, 450 B    54,463 (48,540 to 55,958)     1.03
//     50 endpoints, 4 shards, 450 B    47,332 (39,824 to 55,023)     0.91
//     50 endpoints, 1 shard, 200 B     59,490 (46,118 to 60,546)     1.09
//     50 endpoints, 1 shard, 2048 B    44,433 (43,338 to 46,866)     0.90
//     50 endpoints, 1 shard, 16384 B   16,516 (14,527 to 16,782)     0.51
//
// Raw sockets, one per endpoint, one request at a time, one signature (a later run of three rounds): 94,004/s at 10,
// 88,573/s at 100, 68,829/s at 1000 endpoints. Why the curve is not flat:
// docs/decisions/0019-no-shared-connections-between-endpoints.md.

import { median } from '#engine/base/median.ts';
import type { Measurement, Plot, Series } from '../suite/result.ts';
import type { Contestants, Shape } from './throughput-contestants.ts';
import { type Contestant, type Faults, playRound } from './throughput-round.ts';

const BASE: Shape = { endpoints: 50, shards: 1, bodyBytes: 450 };

interface Curve {
  readonly title: string;
  readonly xTitle: string;
  readonly points: readonly { readonly x: number; readonly shape: Shape }[];
}

const CURVES: readonly Curve[] = [
  {
    title: 'Throughput by endpoints (1 shard, 450 B)',
    xTitle: 'endpoints',
    points: [1, 10, 100, 1_000].map((endpoints) => ({ x: endpoints, shape: { ...BASE, endpoints } })),
  },
  {
    title: 'Throughput by shards (50 endpoints, 450 B)',
    xTitle: 'shards',
    points: [1, 2, 4].map((shards) => ({ x: shards, shape: { ...BASE, shards } })),
  },
  {
    title: 'Throughput by body size (50 endpoints, 1 shard)',
    xTitle: 'body (B)',
    points: [200, 450, 2_048, 16_384].map((bodyBytes) => ({ x: bodyBytes, shape: { ...BASE, bodyBytes } })),
  },
];

const BY_ENDPOINTS = CURVES[0]!.points.map(({ shape }) => nameOf(shape));

/** The numbers of endpoints for flatness: the lowest rate divided by the highest. */
const FLAT = [10, 100, 1_000];
const FLATNESS_TARGET = 0.85;
/** Limits the deliveries of large bodies, so all points take about the same time. */
const POINT_BYTES_MAX = 512 * 1_024 * 1_024;

const WARM_UP_SHARE = 0.2;

interface PointSamples {
  readonly engine: number[];
  readonly undici: number[];
  /** Raw sockets, one per endpoint; only on the curve by endpoints. */
  readonly separate: number[];
}

export interface SweepResult {
  readonly measurements: readonly Measurement[];
  readonly plots: readonly Plot[];
}

export async function sweep(
  contestants: Contestants,
  options: { readonly deliveries: number; readonly rounds: number },
  countFaults: (contestant: string, faults: Faults) => void,
  progress: (line: string) => void,
): Promise<SweepResult> {
  // A shape on two curves is measured once.
  const shapes = new Map(CURVES.flatMap(({ points }) => points.map(({ shape }) => [nameOf(shape), shape] as const)));
  const samples = new Map<string, PointSamples>();
  const undici = (await contestants.rival('undici'))!;
  // Warms up engines that no round has used yet: they compile their code and open their connections.
  for (const shards of new Set([...shapes.values()].map((shape) => shape.shards))) {
    const load = await contestants.load({ ...BASE, shards }, options.deliveries * WARM_UP_SHARE);
    for (const contestant of [await contestants.engine(shards), undici]) {
      const { faults } = await playRound(contestant, load, contestants.receiver);
      countFaults(`${contestant.name} with ${shards} shards, warming up`, faults);
    }
  }
  for (let round = 1; round <= options.rounds; round++) {
    for (const [name, shape] of shapes) {
      const deliveries = Math.min(options.deliveries, Math.ceil(POINT_BYTES_MAX / shape.bodyBytes));
      const load = await contestants.load(shape, deliveries);
      const engine = await contestants.engine(shape.shards);
      const point = samples.get(name) ?? { engine: [], undici: [], separate: [] };
      samples.set(name, point);
      const turns: [Contestant, number[]][] = [
        [engine, point.engine],
        [undici, point.undici],
      ];
      if (BY_ENDPOINTS.includes(name)) turns.push([await contestants.separateSockets(shape.endpoints), point.separate]);
      for (const [contestant, rates] of turns) {
        const { perSecond, faults } = await playRound(contestant, load, contestants.receiver);
        countFaults(`${contestant.name} at ${name}`, faults);
        rates.push(perSecond);
      }
      const rates = turns.map(([contestant, taken]) => `${contestant.name} ${Math.round(taken.at(-1)!)}/s`);
      progress(`sweep, round ${round} of ${options.rounds}, ${name}: ${rates.join(', ')}`);
    }
  }
  return { measurements: measurements(samples), plots: CURVES.map((curve) => plot(curve, samples)) };
}

function nameOf({ endpoints, shards, bodyBytes }: Shape): string {
  return `${endpoints} endpoint${endpoints === 1 ? '' : 's'}, ${shards} shard${shards === 1 ? '' : 's'}, ${bodyBytes} B`;
}

function measurements(samples: ReadonlyMap<string, PointSamples>): readonly Measurement[] {
  const flatness = (who: keyof PointSamples): number[] => {
    const flat = FLAT.map((endpoints) => samples.get(nameOf({ ...BASE, endpoints }))![who]);
    return flat[0]!.map((_, round) => {
      const rates = flat.map((list) => list[round]!);
      return Math.min(...rates) / Math.max(...rates);
    });
  };
  const range = `${FLAT[0]} to ${FLAT.at(-1)} endpoints`;
  return [
    {
      name: `flatness, ${range}`,
      unit: 'share',
      better: 'higher',
      samples: flatness('engine'),
      target: FLATNESS_TARGET,
    },
    {
      name: `flatness of raw sockets, one each, ${range}`,
      unit: 'share',
      better: 'higher',
      samples: flatness('separate'),
    },
    ...[...samples].flatMap(([name, { engine, undici, separate }]): Measurement[] => [
      { name: `engine at ${name}`, unit: '/s', better: 'higher', samples: engine },
      ...(separate.length === 0
        ? []
        : [{ name: `raw sockets, one each, at ${name}`, unit: '/s', better: 'higher', samples: separate } as const]),
      {
        name: `engine / undici loop at ${name}`,
        unit: 'x',
        better: 'higher',
        samples: engine.map((rate, round) => rate / undici[round]!),
      },
    ]),
  ];
}

function plot({ title, xTitle, points }: Curve, samples: ReadonlyMap<string, PointSamples>): Plot {
  const x = points.map((point) => point.x);
  const rates = points.map(({ shape }) => samples.get(nameOf(shape))!);
  const series = (name: string, who: keyof PointSamples): Series => ({
    name,
    x,
    y: rates.map((at) => median(at[who])),
  });
  const isSeparate = rates.every(({ separate }) => separate.length > 0);
  return {
    title,
    xTitle,
    yTitle: 'deliveries/s',
    xScale: 'log',
    yScale: 'linear',
    series: [
      series('engine', 'engine'),
      series('undici loop', 'undici'),
      ...(isSeparate ? [series('raw sockets, one for each endpoint', 'separate')] : []),
    ],
  };
}
