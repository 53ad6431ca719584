// Tire wear of a car: the wear of its compound over all cars, corrected by the car's own laps of this stint.

import { median } from '#engine/base/median.ts';
import type { FormLap } from './lap-time-model.ts';
import type { Car } from './race-car.ts';
import { type RacePicture, tireAgeOf } from './race-picture.ts';

export interface TireWear {
  readonly age: number;
  readonly secondsPerLap: number;
  /** Standard deviation of `secondsPerLap`. */
  readonly uncertaintySeconds: number;
  /** Seconds per lap lost against new tires. */
  readonly lostSeconds: number;
  /** The latest clean laps of this stint, the ones used here. */
  readonly laps: readonly FormLap[];
}

/** Prior: how far a car's wear departs from that of its compound. */
const OWN_DEVIATION_SECONDS = 0.02;
/** A lap more than this many scatters off was a mistake or a blue flag. It is clamped to this distance. */
const STRAY_DEVIATIONS = 1.5;

/** Null: the tires are not known, or no clean laps were driven on the compound. */
export function tireWear(car: Car, picture: RacePicture): TireWear | null {
  const { lapTimes } = picture;
  const compound = car.stints.at(-1)?.compound ?? null;
  const fit = lapTimes.tire(compound);
  const age = tireAgeOf(car);
  const form = lapTimes.forms.get(car.number);
  if (fit === null || fit.laps === 0 || age === null) return null;
  const since = car.visits.at(-1)?.inLap ?? 0;
  const laps =
    form?.latest.filter(({ lap }) => lap.lap > since && lap.compound === compound && lap.tireAge !== null) ?? [];
  const meanAge = mean(laps.map(({ lap }) => lap.tireAge!));
  const deviations = clampedAroundMedian(
    laps.map(({ deviationSeconds }) => deviationSeconds),
    STRAY_DEVIATIONS * lapTimes.scatterSeconds,
  );
  const meanDeviation = mean(deviations);
  let products = 0;
  let squares = (lapTimes.scatterSeconds / OWN_DEVIATION_SECONDS) ** 2;
  for (const [index, { lap }] of laps.entries()) {
    const older = lap.tireAge! - meanAge;
    products += older * (deviations[index]! - meanDeviation);
    squares += older * older;
  }
  const secondsPerLap = fit.wearSecondsPerLap + products / squares;
  const ownVariance = lapTimes.scatterSeconds ** 2 / squares;
  return {
    age,
    secondsPerLap,
    uncertaintySeconds: Math.sqrt(fit.wearUncertaintySeconds ** 2 + ownVariance),
    lostSeconds: secondsPerLap * age,
    laps,
  };
}

/** Clamps the values to within `reach` of their median. */
function clampedAroundMedian(values: readonly number[], reach: number): number[] {
  if (values.length === 0) return [];
  const middle = median([...values]);
  return values.map((value) => Math.min(middle + reach, Math.max(middle - reach, value)));
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
