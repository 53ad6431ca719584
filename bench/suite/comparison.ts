// What comes of comparing two files of results.

import type { ComparedSamples } from './compared-sides.ts';
import type { BenchResult } from './result.ts';
import type { Verdict } from './verdict.ts';

export interface ComparedMeasurement extends ComparedSamples {
  readonly verdict: Verdict;
}

export interface ComparedBench {
  readonly bench: string;
  readonly parameters: BenchResult['parameters'];
  /** Pairs of runs; 1 when the rounds of one run each were compared. */
  readonly pairs: number;
  readonly measurements: readonly ComparedMeasurement[];
}

export interface Comparison {
  /** What has to be known before any verdict: other machines, runs that were left out, faults of A. */
  readonly warnings: readonly string[];
  /** Faults of B, and benches that failed there: worse, whatever the numbers say. */
  readonly broken: readonly string[];
  readonly benches: readonly ComparedBench[];
  /** Benches and measurements that were not compared, and why. */
  readonly leftOut: readonly string[];
  readonly worse: boolean;
}
