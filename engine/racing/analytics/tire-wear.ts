// Tire wear of a car: the wear of its compound over all cars. Its own laps of the stint told it no better.

import wear from './coefficients/tire-wear.json' with { type: 'json' };
import type { Car } from './race-car.ts';
import { type RacePicture, tireAgeOf } from './race-picture.ts';

export interface TireWear {
  readonly age: number;
  readonly secondsPerLap: number;
  /** Standard deviation of `secondsPerLap`. */
  readonly uncertaintySeconds: number;
  /** Seconds per lap lost against new tires. */
  readonly lostSeconds: number;
}

/** Null: the tires are not known, or no clean laps were driven on the compound. */
export function tireWear(car: Car, picture: RacePicture): TireWear | null {
  const { lapTimes } = picture;
  const compound = car.stints.at(-1)?.compound ?? null;
  const fit = lapTimes.tire(compound);
  const age = tireAgeOf(car);
  if (fit === null || fit.laps === 0 || age === null) return null;
  const { wearSecondsPerLap, wearUncertaintySeconds } = fit;
  return {
    age,
    secondsPerLap: wearSecondsPerLap,
    uncertaintySeconds: wearDeviation(wearUncertaintySeconds),
    lostSeconds: wearSecondsPerLap * age,
  };
}

/**
 * `added`: what the deviation of the regression leaves out, as it takes laps for independent and the wear for a straight line
 * (bench/fit/tire-wear-fit.ts).
 */
export function wearDeviation(fitDeviation: number, added: number = wear.values.addedDeviation): number {
  return Math.sqrt(fitDeviation ** 2 + added ** 2);
}
