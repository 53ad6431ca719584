// The result of comparing two result files.

import type { ComparedSamples } from './compared-sides.ts';
import type { BenchResult } from './result.ts';
import type { Verdict } from './verdict.ts';

export interface ComparedMeasurement extends ComparedSamples {
  readonly verdict: Verdict;
}

export interface ComparedBench {
  readonly bench: string;
  readonly parameters: BenchResult['parameters'];
  /** The number of pairs of runs; 1 if the rounds of single runs were compared. */
  readonly pairs: number;
  readonly measurements: readonly ComparedMeasurement[];
}

export interface Comparison {
  /** What weakens the verdicts: different machines or versions, ignored runs, faults in A. */
  readonly warnings: readonly string[];
  /** Faults in B and benches that failed in B: worse, whatever the measurements say. */
  readonly broken: readonly string[];
  readonly benches: readonly ComparedBench[];
  /** Benches and measurements that were not compared, and why. */
  readonly leftOut: readonly string[];
  readonly worse: boolean;
}
