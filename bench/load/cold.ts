// The first update to a thousand cold https endpoints, beside a bare loop that opens as many TLS connections.
//
// Measured: one update, due to all endpoints at the same moment, none of which has a connection open. Each has an origin of
// its own (a port) with a P-256 certificate, which engine and loop verify. Time: from when the update is due to when the
// receiver has read the last delivery.
// - Cold: no TLS session is known, and the update is due when the run starts, so nothing can be opened ahead.
// - Cold, due after 3 s: the engine connects to the endpoints of a run before their first update is due.
// - Resumed: the same endpoints in their next run, due at once again, after the receiver has closed all connections.
// The engine is one shard with the real transport and the delivery log, on the main thread of its process.
//
// Compared with, alternating in the same run: a bare loop over `node:tls` on one thread, which opens 512 connections at a
// time (peers/tls-loop.ts). It makes the engine's two signatures, and keeps the newest TLS session of each origin.
//
// Memory of a connection: connection-memory.ts, in processes of their own.
//
// Not measured: distance (the bench `distance`), names to be resolved, RSA certificates, later updates (`https`).
//
// Counted, and must be zero: lost, doubled, wrongly signed, unexpected and unrecorded deliveries.
//
// How to read: ratios first; both sides are from the same round. "Due after 3 s" is compared with the loop's cold delivery.
// The lag of a run that is due at once includes its start. The receiver makes its half of every handshake on the
// same two cores. Code is compiled before the first round.
//
// Results over https: docs/decisions/0028-connections-over-https-are-kept.md, drawn from results/2026-11-23-https*.json.

import { parseArgs } from 'node:util';
import { PARKED_CONNECTIONS_MAX } from '#engine/base/limits.ts';
import { latencyCurve, quantile } from '../suite/quantiles.ts';
import type { BenchResult, Measurement } from '../suite/result.ts';
import { wholeNumber } from '../suite/whole-number.ts';
import { type ColdDelivery, ColdEndpoints, type ColdFaults } from './cold-delivery.ts';
import { WHO, type Who, withColdSenders } from './cold-senders.ts';
import { type ConnectionMemory, connectionMemory, SMALL_YOUNG_GENERATION } from './connection-memory.ts';

const AHEAD_MS = 3_000;
const TARGETS = { ratio: 1.3, resumedShare: 0.9 } as const;
/** How often each sender delivers before the first round, and to how many endpoints at most. */
const WARM_UP = { times: 2, endpoints: 1_000 } as const;

export const help = `npm run bench -- cold [options]

Sends the first update to many https endpoints, each with an origin of its own, to which no connection is open: the engine
with the update due at once, and ${AHEAD_MS / 1_000} s after the start of the run, and a bare loop over node:tls. Then the receiver closes the
connections, and the same endpoints get another update: now TLS sessions can be resumed. Also measures the memory of a
connection. Lost, doubled, wrongly signed, unexpected and unrecorded deliveries are faults.

  --endpoints N    endpoints (default 1000, at most ${PARKED_CONNECTIONS_MAX})
  --rounds N       rounds; each plays every case once (default 5)

  npm run bench -- cold --endpoints 200 --rounds 9`;

export const smoke = ['--endpoints', '20', '--rounds', '1'];
export const all = ['--rounds', '3'];

/** One case: its deliveries, one for each round. */
interface Case {
  readonly name: string;
  readonly deliveries: ColdDelivery[];
}

export async function run(args: readonly string[], progress: (line: string) => void): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...args],
    options: { endpoints: { type: 'string', default: '1000' }, rounds: { type: 'string', default: '5' } },
  });
  const count = wholeNumber('--endpoints', values.endpoints);
  if (count > PARKED_CONNECTIONS_MAX)
    throw new Error(`--endpoints: at most ${PARKED_CONNECTIONS_MAX}, the idle connections that a thread keeps`);
  const rounds = wholeNumber('--rounds', values.rounds);
  const faults = { lost: 0, doubled: 0, wronglySigned: 0, unexpected: 0, unrecorded: 0 };
  const counted = (delivery: ColdDelivery): ColdDelivery => {
    for (const key of Object.keys(faults) as (keyof ColdFaults)[]) faults[key] += delivery.faults[key];
    return delivery;
  };
  const engine = cases('engine');
  const loop = cases('bare loop');
  const ahead: Case = { name: `engine, cold, due after ${AHEAD_MS / 1_000} s`, deliveries: [] };
  await withColdSenders({}, async (senders) => {
    for (const who of WHO) {
      for (let time = 0; time < WARM_UP.times; time++) {
        await ColdEndpoints.use(senders[who], Math.min(count, WARM_UP.endpoints), async (endpoints) => {
          counted(await endpoints.deliver(0));
        });
      }
    }
    for (let round = 1; round <= rounds; round++) {
      const taken = ({ name, deliveries }: Case, delivery: ColdDelivery): void => {
        deliveries.push(counted(delivery));
        progress(`round ${round} of ${rounds}, ${name}: ${described(delivery)}`);
      };
      const playTwice = (who: Who, { cold, resumed }: Readonly<Record<'cold' | 'resumed', Case>>): Promise<void> =>
        ColdEndpoints.use(senders[who], count, async (endpoints) => {
          taken(cold, await endpoints.deliver(0));
          counted(await endpoints.deliverAndClose());
          taken(resumed, await endpoints.deliver(0));
        });
      const turns = [
        () => playTwice('engine', engine),
        () => playTwice('bare loop', loop),
        () =>
          ColdEndpoints.use(senders.engine, count, async (endpoints) =>
            taken(ahead, await endpoints.deliver(AHEAD_MS)),
          ),
      ];
      // Rotates the order, so no case always follows the same one.
      for (let turn = 0; turn < turns.length; turn++) await turns[(round - 1 + turn) % turns.length]!();
    }
  });
  const memory: Record<Who, ConnectionMemory[]> = { engine: [], 'bare loop': [] };
  for (let round = 1; round <= rounds; round++) {
    await withColdSenders(SMALL_YOUNG_GENERATION, async (senders) => {
      for (const who of WHO) memory[who].push(await connectionMemory(senders[who], count, counted));
    });
    const each = WHO.map((who) => `${who} ${memory[who].at(-1)!.rssKiB.toFixed(1)} KiB`);
    progress(`round ${round} of ${rounds}, memory of a connection: ${each.join(', ')}`);
  }
  const played = [engine.cold, engine.resumed, ahead, loop.cold, loop.resumed];
  return {
    bench: 'cold',
    parameters: { endpoints: count, rounds },
    measurements: [
      ratio('cold', engine.cold, loop.cold, TARGETS.ratio),
      ratio('resumed', engine.resumed, loop.resumed, TARGETS.ratio),
      ratio(`cold, due after ${AHEAD_MS / 1_000} s`, ahead, loop.cold),
      resumedShare('engine', engine.resumed, TARGETS.resumedShare),
      resumedShare('bare loop', loop.resumed),
      ...played.flatMap(ownMeasurements),
      ...WHO.flatMap((who) => memoryMeasurements(who, memory[who])),
    ],
    plots: [
      {
        title: 'Lag of the first update by rarity',
        xTitle: 'x: one in x deliveries is slower',
        yTitle: 'milliseconds',
        xScale: 'log',
        yScale: 'log',
        series: played.map(({ name, deliveries }) => latencyCurve(name, deliveries.at(-1)!.lagMs)),
      },
    ],
    faults,
    notes: [],
  };
}

function cases(who: Who): Readonly<Record<'cold' | 'resumed', Case>> {
  return {
    cold: { name: `${who}, cold`, deliveries: [] },
    resumed: { name: `${who}, resumed`, deliveries: [] },
  };
}

function described({ lagMs, cpuUsEach, connections, resumed }: ColdDelivery): string {
  return (
    `last after ${lagMs.at(-1)!.toFixed(0)} ms, p50 ${quantile(lagMs, 0.5).toFixed(0)} ms; ${cpuUsEach.toFixed(0)} us CPU ` +
    `each; ${connections} connections, ${resumed} resumed`
  );
}

function lastMs({ lagMs }: ColdDelivery): number {
  return lagMs.at(-1)!;
}

function ratio(how: string, engine: Case, loop: Case, target?: number): Measurement {
  return {
    name: `${how}: engine / bare loop`,
    unit: 'x',
    better: 'lower',
    samples: engine.deliveries.map((delivery, round) => lastMs(delivery) / lastMs(loop.deliveries[round]!)),
    ...(target !== undefined && { target }),
  };
}

function resumedShare(who: Who, { deliveries }: Case, target?: number): Measurement {
  return {
    name: `share of handshakes resumed, ${who}`,
    unit: 'share',
    better: 'higher',
    samples: deliveries.map(({ resumed, connections }) => resumed / connections),
    ...(target !== undefined && { target }),
  };
}

function ownMeasurements({ name, deliveries }: Case): Measurement[] {
  const measure = (what: string, unit: Measurement['unit'], of: (delivery: ColdDelivery) => number): Measurement => ({
    name: `${what}, ${name}`,
    unit,
    better: 'lower',
    samples: deliveries.map(of),
  });
  return [
    measure('last arrival', 'ms', lastMs),
    measure('lag p50', 'ms', ({ lagMs }) => quantile(lagMs, 0.5)),
    measure('lag p99', 'ms', ({ lagMs }) => quantile(lagMs, 0.99)),
    measure('CPU for each endpoint', 'us', ({ cpuUsEach }) => cpuUsEach),
    measure('connections', 'count', ({ connections }) => connections),
  ];
}

function memoryMeasurements(who: Who, memory: readonly ConnectionMemory[]): Measurement[] {
  const measure = (name: string, samples: readonly number[]): Measurement => ({
    name: `${name}, ${who}`,
    unit: 'KiB',
    better: 'lower',
    samples,
  });
  return [
    measure(
      'memory of a connection',
      memory.map(({ rssKiB }) => rssKiB),
    ),
    measure(
      'heap and external memory of a connection',
      memory.map(({ heldKiB }) => heldKiB),
    ),
  ];
}
