// Quantiles of measured values, and the curve of a latency distribution for a logarithmic axis.

import type { Series } from './result.ts';

/** The smallest value that at least `share` of all values do not exceed. `sorted` is ascending and not empty. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))]!;
}

/** The points of the curve: from 1 in 1 (the minimum) to 1 in 10,000. */
const ONE_IN = [1, 1.25, 1.5, 2, 3, 4, 5, 7, 10, 20, 30, 50, 70, 100, 200, 300, 500, 700, 1_000, 2_000, 5_000, 10_000];

/** Latency by rarity: at x, one in x values is slower than y. y is in the unit of `sorted`. */
export function latencyCurve(name: string, sorted: ArrayLike<number>): Series {
  const x = ONE_IN.filter((oneIn) => oneIn <= sorted.length);
  return { name, x, y: x.map((oneIn) => quantile(sorted, 1 - 1 / oneIn)) };
}
