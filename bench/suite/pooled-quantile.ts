// A quantile of many short slices taken together, and how far the ratio of two such quantiles strays by chance.
//
// Sides that are compared take slices in turn. What the machine does for a second (another process, a stall) falls into
// one slice of one side, and values within a slice resemble each other. So the interval draws whole turns again, a slice
// of each side: a bootstrap over turns, which assumes nothing of how the values are distributed.

import { type Random, seededRandom } from '#engine/base/random.ts';
import { quantile } from './quantiles.ts';

const DRAWS = 400;
const INTERVAL = 0.95;

/** The values of each slice, in any order. Slices of two sides pair by index. */
export type Slices = readonly Float64Array[];

export interface Ratio {
  readonly ratio: number;
  /** The ends of its 95 % interval. */
  readonly low: number;
  readonly high: number;
}

export function pooledQuantile(slices: Slices, share: number): number {
  return pooled(slices, (index) => index, share);
}

/** Of the quantile of `over` to that of `under`. The same slices give the same interval. */
export function pooledRatio(over: Slices, under: Slices, share: number): Ratio {
  const random = seededRandom(1);
  const ratios = new Float64Array(DRAWS);
  for (let draw = 0; draw < DRAWS; draw++) {
    const drawn = drawnAgain(over.length, random);
    ratios[draw] = pooled(over, (index) => drawn[index]!, share) / pooled(under, (index) => drawn[index]!, share);
  }
  ratios.sort();
  return {
    ratio: pooledQuantile(over, share) / pooledQuantile(under, share),
    low: quantile(ratios, (1 - INTERVAL) / 2),
    high: quantile(ratios, (1 + INTERVAL) / 2),
  };
}

function drawnAgain(count: number, random: Random): readonly number[] {
  return Array.from({ length: count }, () => Math.floor(random.next() * count));
}

function pooled(slices: Slices, sliceAt: (index: number) => number, share: number): number {
  const chosen = slices.map((_, index) => slices[sliceAt(index)]!);
  const values = new Float64Array(chosen.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const slice of chosen) {
    values.set(slice, end);
    end += slice.length;
  }
  return quantile(values.sort(), share);
}
