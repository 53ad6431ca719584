// The value of a grid position, apart from the strength of the driver who earned it.

import type { GridPlace } from '#engine/seasons/history/history.ts';

/** Start position of each driver, from 1. Drivers who start from the pit lane come last. */
export function slotsOf(grid: readonly GridPlace[]): ReadonlyMap<string, number> {
  const order = grid.toSorted(
    (a, b) => (a.position ?? Infinity) - (b.position ?? Infinity) || (a.driverId < b.driverId ? -1 : 1),
  );
  return new Map(order.map(({ driverId }, index) => [driverId, index + 1]));
}

/**
 * Features of a start position: places at the front matter more than places further back, and the grid order lasts where
 * passing is hard. An average circuit has a difficulty of 0.5.
 */
export function gridFeatures(slot: number, overtakingDifficulty: number): readonly number[] {
  const ahead = -Math.log(slot);
  return [ahead, ahead * (overtakingDifficulty - 0.5)];
}
