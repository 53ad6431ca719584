// How much higher B's values are than A's, and how far chance alone could have moved that.
//
// The values are compared as logarithms, because noise and changes of rates, times and sizes are shares of them; where
// a value is not above zero (bytes allocated, a slope), as parts of their mean size instead. Samples are few, five
// rounds or a handful of runs, which decides the method:
//   - Rank tests (Mann-Whitney, Wilcoxon) assume least, but five against five values cannot give a p below 0.004 on one
//     side, five pairs none below 0.03. A suite compares some fifty things at once, and no such p survives being one of
//     fifty.
//   - A bootstrap of five values knows only those five: its intervals are too narrow just when there is little to go
//     by.
//   - Student's t with Welch's degrees of freedom, which trusts neither a common spread nor a large number. It takes
//     the logarithms for normal; heavier tails widen its interval, so that it says less, not more.
//     test/bench/compare.test.ts counts that.

import { median } from './median.ts';
import { studentAbove, studentQuantile } from './student-t.ts';

export interface Difference {
  /** Between the medians, or the median of the pairs: the logarithm of B / A; where a value is not above zero, see above. */
  readonly change: number;
  /** Holds the difference in 95 of 100 cases. */
  readonly low: number;
  readonly high: number;
  /** How likely chance alone puts B this far above A, or below it. */
  readonly pHigher: number;
  readonly pLower: number;
  /** How far A's own values lie from their middle: about a standard deviation. */
  readonly spread: number;
  /** B / A; null where a value is not above zero. */
  readonly ratio: number | null;
}

/** One of the two tails of the interval. */
const TAIL = 0.025;

/** Turns a median distance from the middle into the standard deviation of a normal distribution. */
const DEVIATIONS_PER_MEDIAN_DISTANCE = 1.4826;

/** Of values that do not belong together one by one, for instance the rounds of two runs. */
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

/** Of values of which the first of A belongs to the first of B, and so on: each pair met the same minute of the machine. */
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

/** `values`: how many of the side that has fewer; one value tells nothing of noise, unless both sides are the same. */
function chance(difference: number, error: number, degrees: number, values: number) {
  if (difference === 0 && error === 0) return { low: 0, high: 0, pHigher: 1, pLower: 1 };
  if (values < 2) return { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY, pHigher: 1, pLower: 1 };
  // Counted rather than timed, and the same in every round: no noise, so that any difference is one.
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
