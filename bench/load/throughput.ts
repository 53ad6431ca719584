// Flat-out throughput: how many signed, logged deliveries a second the engine makes when everything is due at once, beside
// the bare undici loop in the same run, in turn.

import { parseArgs } from 'node:util';
import { startDeliveryEngine } from './delivery-engine.ts';
import { median } from './median.ts';
import { startReceiver } from './receiver-process.ts';
import { syntheticArtifact } from './synthetic-timeline.ts';
import { runUndiciLoop } from './undici-loop.ts';
import { wholeNumber } from './whole-number.ts';

export const summary = 'flat-out deliveries/s with the delivery log, beside a bare undici loop with HMAC';

export const help = `npm run bench -- throughput [options]

Plays a timeline with everything due at once to endpoints in another process on this machine, with the delivery log
written to PostgreSQL, and in turn the same number of requests through a bare undici dispatch loop with HMAC.
Every signature is verified; lost, doubled, misordered and wrongly signed deliveries are counted and must be none.

  --deliveries N   deliveries in each round (default 500000)
  --endpoints N    endpoints that share them (default 50)
  --shards N       delivery threads (default 1)
  --bytes N        body size (default 450)
  --rounds N       rounds, each once with either (default 3)
  --json           print the result as JSON`;

export interface ThroughputResult {
  readonly deliveries: number;
  readonly endpoints: number;
  readonly shards: number;
  readonly bodyBytes: number;
  readonly engine: readonly number[];
  readonly undici: readonly number[];
  /** CPU of the sending process for one delivery, its database client included; microseconds, in each round. */
  readonly engineCpuUs: readonly number[];
  readonly undiciCpuUs: readonly number[];
  /** Medians: deliveries per second, and the engine's share of the loop's. */
  readonly enginePerSecond: number;
  readonly undiciPerSecond: number;
  readonly ratio: number;
  readonly lost: number;
  readonly doubled: number;
  readonly misordered: number;
  readonly wronglySigned: number;
  /** Attempts that the log or usage does not show. */
  readonly unrecorded: number;
}

export interface ThroughputOptions {
  readonly deliveries: number;
  readonly endpoints: number;
  readonly shards: number;
  readonly bodyBytes: number;
  readonly rounds: number;
  readonly progress: (line: string) => void;
}

export async function measureThroughput(options: ThroughputOptions): Promise<ThroughputResult> {
  const { shards, bodyBytes, rounds, progress } = options;
  const updates = Math.ceil(options.deliveries / options.endpoints);
  const deliveries = updates * options.endpoints;
  const receiver = await startReceiver();
  const engine = await startDeliveryEngine(shards);
  const faults = { lost: 0, doubled: 0, misordered: 0, wronglySigned: 0, unrecorded: 0 };
  const engineRates: number[] = [];
  const undiciRates: number[] = [];
  const engineCpuUs: number[] = [];
  const undiciCpuUs: number[] = [];
  try {
    const artifact = await syntheticArtifact(updates, 1, bodyBytes);
    for (let round = 1; round <= rounds; round++) {
      const endpoints = await engine.register(receiver.origin, options.endpoints);
      const secrets = endpoints.map(({ secret }) => secret);
      await receiver.expect(secrets, updates);
      const engineCpu = process.cpuUsage();
      const result = await engine.play(artifact, endpoints, Number.POSITIVE_INFINITY);
      engineCpuUs.push(cpuSince(engineCpu) / deliveries);
      const report = await receiver.report();
      faults.lost += deliveries - report.distinct;
      faults.doubled += report.doubled;
      faults.misordered += report.misordered;
      faults.wronglySigned += report.wronglySigned;
      faults.unrecorded += Math.abs(deliveries - result.logged) + Math.abs(deliveries - result.used);
      engineRates.push(deliveries / result.seconds);
      await receiver.expect(secrets, updates);
      const undiciCpu = process.cpuUsage();
      const seconds = await runUndiciLoop({ origin: receiver.origin, secrets, updates, bodyBytes, connections: 64 });
      undiciCpuUs.push(cpuSince(undiciCpu) / deliveries);
      undiciRates.push(deliveries / seconds);
      progress(
        `round ${round} of ${rounds}: engine ${Math.round(engineRates.at(-1)!)}/s (${engineCpuUs.at(-1)!.toFixed(1)} us CPU), ` +
          `undici loop ${Math.round(undiciRates.at(-1)!)}/s (${undiciCpuUs.at(-1)!.toFixed(1)} us CPU)`,
      );
    }
  } finally {
    await engine.close();
    await receiver.end();
  }
  const enginePerSecond = median(engineRates);
  const undiciPerSecond = median(undiciRates);
  return {
    deliveries,
    endpoints: options.endpoints,
    shards,
    bodyBytes,
    engine: engineRates,
    undici: undiciRates,
    engineCpuUs,
    undiciCpuUs,
    enginePerSecond,
    undiciPerSecond,
    ratio: median(engineRates.map((rate, index) => rate / undiciRates[index]!)),
    ...faults,
  };
}

/** Runs the bench as a command; answers the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      deliveries: { type: 'string', default: '500000' },
      endpoints: { type: 'string', default: '50' },
      shards: { type: 'string', default: '1' },
      bytes: { type: 'string', default: '450' },
      rounds: { type: 'string', default: '3' },
      json: { type: 'boolean', default: false },
    },
  });
  const result = await measureThroughput({
    deliveries: wholeNumber('--deliveries', values.deliveries),
    endpoints: wholeNumber('--endpoints', values.endpoints),
    shards: wholeNumber('--shards', values.shards),
    bodyBytes: wholeNumber('--bytes', values.bytes),
    rounds: wholeNumber('--rounds', values.rounds),
    progress: (line) => process.stderr.write(`${line}\n`),
  });
  if (values.json) console.log(JSON.stringify(result));
  else console.log(describe(result));
  const faults = result.lost + result.doubled + result.misordered + result.wronglySigned + result.unrecorded;
  return faults === 0 ? 0 : 1;
}

function describe(result: ThroughputResult): string {
  return [
    `${result.deliveries} deliveries of ${result.bodyBytes} B to ${result.endpoints} endpoints, ${result.shards} shard(s), median of ${result.engine.length}`,
    `  engine with delivery log  ${Math.round(result.enginePerSecond)}/s, ${median(result.engineCpuUs).toFixed(1)} us CPU each`,
    `  bare undici loop, HMAC    ${Math.round(result.undiciPerSecond)}/s, ${median(result.undiciCpuUs).toFixed(1)} us CPU each`,
    `  share                     ${result.ratio.toFixed(2)}`,
    `  lost ${result.lost}, doubled ${result.doubled}, misordered ${result.misordered}, wrongly signed ${result.wronglySigned}, unrecorded ${result.unrecorded}`,
  ].join('\n');
}

function cpuSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return user + system;
}
