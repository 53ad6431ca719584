// The middle of several measurements: what one noisy round says counts for little.

import { median as medianReordering } from '#engine/base/median.ts';

/** Leaves the list as it is: rounds pair by their order. */
export function median(values: readonly number[]): number {
  return medianReordering([...values]);
}
