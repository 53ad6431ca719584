// The expected number of stops a car still has to make: for worn tires, at least one if the rules demand another
// compound, and up to one as the rest of the field switches between wet and dry tires.

import type { Car } from './race-car.ts';
import { tireAgeOf } from './race-picture.ts';
import type { TireLives } from './tire-life.ts';

/** No car stops for worn tires within this many laps of the end: the stop would cost more than it gains. */
export const LAST_LAPS = 3;
/** How sharply the expected stops rise once tires must last longer than their life. */
const SHARPNESS = 4;

/**
 * `owes`: whether the car must still use another compound. `changed`: the fraction of the field that switched between
 * wet and dry tires since this car's last stop.
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
