// The value of a grid position, apart from the strength of the driver who earned it.

import type { GridPlace } from '#engine/seasons/history/history.ts';

/** Start position of each driver, from 1. Drivers who start from the pit lane come last. */
export function slotsOf(grid: readonly GridPlace[]): ReadonlyMap<string, number> {
  const order = grid.toSorted(
    (a, b) => (a.position ?? Infinity) - (b.position ?? Infinity) || (a.driverId < b.driverId ? -1 : 1),
  );
  return new Map(order.map(({ driverId }, index) => [driverId, index + 1]));
}

/** Prior weights of the features below. */
export const GRID_WEIGHTS_BEFORE: readonly number[] = [1, 0.1, 0.5];

/**
 * Features of a start position: places at the front matter more than places further back, pole position has a clear
 * road, and the grid order lasts where passing is hard. An average circuit has a difficulty of 0.5.
 */
export function gridFeatures(slot: number, overtakingDifficulty: number): readonly number[] {
  const ahead = -Math.log(slot);
  return [ahead, slot === 1 ? 1 : 0, ahead * (overtakingDifficulty - 0.5)];
}
