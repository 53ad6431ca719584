// The difference between A's values and B's, with its confidence interval and p-values.
//
// Values are compared as logarithms, because noise and changes of rates, times and sizes are proportional. If a value
// is zero or negative (bytes allocated, a slope), all are scaled by their mean absolute value instead. Samples are
// small, five rounds or a handful of runs, and that decides the method:
//   - Rank tests (Mann-Whitney, Wilcoxon) assume least. But with five values against five, the one-sided p cannot fall
//     below 0.004; with five pairs, not below 0.03. A suite makes some fifty comparisons at once, and no such p
//     survives the correction for fifty.
//   - A bootstrap of five values knows only those five: its intervals are too narrow just when data is scarce.
//   - Student's t with Welch's degrees of freedom assumes neither equal variances nor large samples. It does assume
//     normal logarithms; heavier tails widen its interval, so it errs towards saying less. test/bench/compare.test.ts
//     measures that.

import { median } from '#engine/base/median.ts';
import { studentAbove, studentQuantile } from './student-t.ts';

export interface Difference {
  /**
   * Difference of the medians, or median difference of the pairs, on the scale above: usually the logarithm of B / A.
   */
  readonly change: number;
  /** The 95 % confidence interval. */
  readonly low: number;
  readonly high: number;
  /** One-sided p-values: the probability that chance alone puts B this far above A, or below it. */
  readonly pHigher: number;
  readonly pLower: number;
  /** A robust standard deviation of A's own values: their scaled median absolute deviation. */
  readonly spread: number;
  /** B / A, or null if a value is zero or negative. */
  readonly ratio: number | null;
}

/** The share of each of the two tails outside the interval. */
const TAIL = 0.025;

/** Scales a median absolute deviation to the standard deviation of a normal distribution. */
const DEVIATIONS_PER_MEDIAN_DISTANCE = 1.4826;

/** The difference of unpaired values, for instance the rounds of two runs. */
export function unpairedDifference(a: readonly number[], b: readonly number[]): Difference {
  const { from, to, logarithmic } = comparable(a, b);
  const errorA = variance(from) / from.length;
  const errorB = variance(to) / to.length;
  const degrees =
    (errorA + errorB) ** 2 / (errorA ** 2 / Math.max(1, from.length - 1) + errorB ** 2 / Math.max(1, to.length - 1));
  return {
    change: median(to) - median(from),
    ...chance(mean(to) - mean(from), Math.sqrt(errorA + errorB), degrees, Math.min(from.length, to.length)),
    spread: spread(from),
    ratio: logarithmic ? median(b) / median(a) : null,
  };
}

/** The difference of paired values: the first of A was measured close in time to the first of B, and so on. */
export function pairedDifference(a: readonly number[], b: readonly number[]): Difference {
  const { from, to, logarithmic } = comparable(a, b);
  const differences = from.map((value, index) => to[index]! - value);
  const change = median(differences);
  const error = Math.sqrt(variance(differences) / differences.length);
  return {
    change,
    ...chance(mean(differences), error, differences.length - 1, differences.length),
    spread: spread(from),
    ratio: logarithmic ? Math.exp(change) : null,
  };
}

function comparable(
  a: readonly number[],
  b: readonly number[],
): { from: number[]; to: number[]; logarithmic: boolean } {
  const all = [...a, ...b];
  const logarithmic = all.every((value) => value > 0);
  const size = mean(all.map(Math.abs)) || 1;
  const onScale = (value: number): number => (logarithmic ? Math.log(value) : value / size);
  return { from: a.map(onScale), to: b.map(onScale), logarithmic };
}

/** `values` is the size of the smaller sample. A single value says nothing about noise, unless both sides are equal. */
function chance(difference: number, error: number, degrees: number, values: number) {
  if (difference === 0 && error === 0) return { low: 0, high: 0, pHigher: 1, pLower: 1 };
  if (values < 2) return { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY, pHigher: 1, pLower: 1 };
  // A count that is the same in every round has no noise, so any difference is real.
  if (error === 0) {
    return { low: difference, high: difference, pHigher: difference > 0 ? 0 : 1, pLower: difference < 0 ? 0 : 1 };
  }
  const reach = studentQuantile(TAIL, degrees) * error;
  const pHigher = studentAbove(difference / error, degrees);
  return { low: difference - reach, high: difference + reach, pHigher, pLower: 1 - pHigher };
}

function spread(values: readonly number[]): number {
  const middle = median(values);
  return DEVIATIONS_PER_MEDIAN_DISTANCE * median(values.map((value) => Math.abs(value - middle)));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function variance(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const middle = mean(values);
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1);
}
