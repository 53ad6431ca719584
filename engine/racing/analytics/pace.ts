// How fast each car is now: what a lap of its would take on tires of its age without anybody in its way, compared with the
// field, and how sure that is. Laps are only compared with laps under the same conditions (lap-time-model.ts).

import { median } from '#engine/base/median.ts';
import { type RacePicture, tireAgeOf } from './race-picture.ts';

export interface Pace {
  /** Seconds that a lap takes more than the field's typical lap; less than 0: faster. */
  readonly offsetSeconds: number;
  /** Standard deviation of that estimate, not of single laps. */
  readonly uncertaintySeconds: number;
  /** Clean laps that it is drawn from. */
  readonly laps: number;
}

/** How far cars differ of which nothing is known. */
const UNKNOWN_SECONDS = 0.8;

/** By racing number; a car without clean laps counts as typical. */
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
