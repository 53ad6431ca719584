// What a place on the grid is worth, beside the strength that it was won with.

import type { GridPlace } from '#engine/seasons/history/history.ts';

/** Start position of each driver, from 1. Those who start from the pit lane stand behind all others. */
export function slotsOf(grid: readonly GridPlace[]): ReadonlyMap<string, number> {
  const order = grid.toSorted(
    (a, b) => (a.position ?? Infinity) - (b.position ?? Infinity) || (a.driverId < b.driverId ? -1 : 1),
  );
  return new Map(order.map(({ driverId }, index) => [driverId, index + 1]));
}

/** What the features below weigh before any race was seen. */
export const GRID_WEIGHTS_BEFORE: readonly number[] = [1, 0.1, 0.5];

/**
 * Features of a start position: places in front matter more than those behind; the first has a free road; and where nobody can
 * pass the order of the grid lasts. Difficulty is 0.5 at the circuit in the middle.
 */
export function gridFeatures(slot: number, overtakingDifficulty: number): readonly number[] {
  const ahead = -Math.log(slot);
  return [ahead, slot === 1 ? 1 : 0, ahead * (overtakingDifficulty - 0.5)];
}
