// The present pace of each car: its expected lap time on its present tires with a clear road, compared with the field,
// and the uncertainty of that. lap-time-model.ts compares laps only under the same conditions.

import { median } from '#engine/base/median.ts';
import { type RacePicture, tireAgeOf } from './race-picture.ts';

export interface Pace {
  /** Seconds per lap slower than the field's typical lap. Negative: faster. */
  readonly offsetSeconds: number;
  /** Standard deviation of that estimate, not of single laps. */
  readonly uncertaintySeconds: number;
  /** Clean laps behind this estimate. */
  readonly laps: number;
}

/** Standard deviation for a car without clean laps. */
const UNKNOWN_SECONDS = 0.8;

/** By racing number. A car without clean laps counts as typical. */
export function paces(picture: RacePicture): ReadonlyMap<string, Pace> {
  const { lapTimes } = picture;
  const { forms } = lapTimes;
  const seconds = new Map<string, number>();
  const racing: number[] = [];
  for (const car of picture.cars()) {
    const form = forms.get(car.number);
    if (form === undefined) continue;
    const lap = form.seconds + lapTimes.tireSeconds(car.stints.at(-1)?.compound ?? null, tireAgeOf(car));
    seconds.set(car.number, lap);
    if (car.place !== 'out') racing.push(lap);
  }
  const typical = racing.length === 0 ? 0 : median(racing);
  const found = new Map<string, Pace>();
  for (const { number } of picture.cars()) {
    const form = forms.get(number);
    found.set(number, {
      offsetSeconds: form === undefined ? 0 : seconds.get(number)! - typical,
      uncertaintySeconds: form?.uncertaintySeconds ?? UNKNOWN_SECONDS,
      laps: form?.laps ?? 0,
    });
  }
  return found;
}
