// Simulated result files with known noise, known drift of the machine, and a known difference between A and B.

import type { BenchResult, Measurement } from '#bench/suite/result.ts';
import type { SuiteFile, SuiteRun } from '#bench/suite/suite-file.ts';
import { type Random, seededRandom } from '#engine/base/random.ts';

export interface SimulatedSuites {
  readonly seed: number;
  /** The number of runs of each version; they alternate. */
  readonly runs: number;
  readonly rounds: number;
  readonly measurements: number;
  /** Standard deviation of a round. */
  readonly noise: number;
  /** One round in ten takes up to this share longer. */
  readonly spikes?: number;
  /** How far the whole machine drifts between pairs of runs: the standard deviation of its logarithm. */
  readonly drift?: number;
  /** Factor on B's first measurement. */
  readonly change?: number;
}

/** Two versions that are identical except for `change`. Even measurements are times, odd ones rates. */
export function simulatedSuites(options: SimulatedSuites): { a: SuiteFile; b: SuiteFile } {
  const { runs, drift = 0, change = 1 } = options;
  const random = seededRandom(options.seed);
  const a: SuiteRun[] = [];
  const b: SuiteRun[] = [];
  let machine = 0;
  for (let run = 0; run < runs; run++) {
    machine += drift * normal(random);
    a.push(suiteRun(2 * run, [benchResult(measure(options, random, Math.exp(machine), 1))]));
    // A minute later, the machine has drifted less than between pairs.
    machine += (drift / 10) * normal(random);
    b.push(suiteRun(2 * run + 1, [benchResult(measure(options, random, Math.exp(machine), change))]));
  }
  return { a: { format: 1, runs: a }, b: { format: 1, runs: b } };
}

export function suiteRun(minute: number, results: readonly BenchResult[]): SuiteRun {
  return {
    startedAt: new Date(Date.UTC(2026, 0, 1, 12, minute)).toISOString(),
    seconds: 50,
    machine: { cpu: 'a processor', cores: 2, memoryMiB: 8_000, os: 'an os' },
    versions: { node: 'v22.0.0', slipstream: 'abc1234' },
    results,
    failed: [],
  };
}

export function benchResult(measurements: readonly Measurement[]): BenchResult {
  return { bench: 'invented', parameters: { rounds: 5 }, measurements, plots: [], faults: { lost: 0 }, notes: [] };
}

function measure(options: SimulatedSuites, random: Random, machine: number, change: number): Measurement[] {
  return Array.from({ length: options.measurements }, (_, index) => {
    const time = machine * (index === 0 ? change : 1);
    const samples = Array.from({ length: options.rounds }, () => time * noise(options, random));
    return index % 2 === 0
      ? { name: `time ${index}`, unit: 'ms' as const, better: 'lower' as const, samples }
      : { name: `rate ${index}`, unit: '/s' as const, better: 'higher' as const, samples: samples.map((ms) => 1 / ms) };
  });
}

function noise({ noise, spikes = 0 }: SimulatedSuites, random: Random): number {
  const spike = random.next() < 0.1 ? spikes * random.next() : 0;
  return Math.exp(noise * normal(random)) * (1 + spike);
}

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}
