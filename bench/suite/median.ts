// The median of several rounds: one noisy round hardly moves it.

import { median as medianReordering } from '#engine/base/median.ts';

/** Does not reorder `values`: rounds are paired by their order. */
export function median(values: readonly number[]): number {
  return medianReordering([...values]);
}
