// How many stops a car has still to make, as an expectation: as many as its tires do not last, at least one where the rules ask
// for another compound, and one as far as the field has changed between wet and dry tires.

import type { Car } from './race-car.ts';
import { tireAgeOf } from './race-picture.ts';
import type { TireLives } from './tire-life.ts';

/** Over so many last laps nobody stops for worn tires any more: it costs more than it gives. */
export const LAST_LAPS = 3;
/** How sharply a stop becomes likely when tires are to do more than their life. */
const SHARPNESS = 4;

/**
 * `owes`: whether the rules ask for another compound. `changed`: the part of the field that has changed between wet and dry tires
 * since this car was last in the pits.
 */
export function stopsDue(car: Car, lapsLeft: number, lives: TireLives, owes: boolean, changed: number): number {
  const age = tireAgeOf(car);
  let worn = 0;
  if (age !== null) {
    const excess = (age + lapsLeft) / lives.life(car.stints.at(-1)!.compound).laps - 1;
    worn = Math.log1p(Math.exp(SHARPNESS * excess)) / SHARPNESS;
  }
  return Math.max(
    worn * Math.min(1, Math.max(0, lapsLeft / LAST_LAPS - 1)),
    Math.max(owes ? 1 : 0, changed) * Math.min(1, lapsLeft / LAST_LAPS),
  );
}
