// analytics.true-pace: how fast the cars are with the effects of fuel, tires and traffic removed.

import type { Content } from '#engine/racing/normalise/normaliser.ts';
import type { SessionState } from '#engine/racing/session/session-state.ts';
import type { TruePaceDriver } from '#schemas/webhook/analytics-true-pace.ts';
import type { RaceModel } from './analytics-model.ts';
import truePace from './coefficients/true-pace.json' with { type: 'json' };
import { LatestContent } from './latest-content.ts';
import type { Car } from './race-car.ts';
import type { RacePicture } from './race-picture.ts';
import { rounded } from './rounded.ts';

/** Laps in a row that a car's next laps are told from. */
const LATEST_LAPS = 3;
/** How far they follow the model; the rest is the mean of those laps. Fitted (bench/fit/true-pace-fit.ts). */
const MODEL_SHARE = truePace.values.modelShare;

export class TruePace implements RaceModel {
  readonly feed = 'analytics.true-pace';
  readonly #latest = new LatestContent();

  emit(picture: RacePicture, state: SessionState): Content | null {
    const { lapTimes } = picture;
    const { baseSeconds, usualCompound, forms } = lapTimes;
    if (baseSeconds === null) return null;
    const usualSeconds = lapTimes.tireSeconds(usualCompound, 0);
    const order = picture.order();
    const known = order.flatMap(({ car }) => forms.get(car.number) ?? []);
    if (known.length === 0) return null;
    const sorted = known.map(({ seconds }) => seconds).sort((a, b) => a - b);
    const drivers: TruePaceDriver[] = [];
    for (const { car } of order) {
      const form = forms.get(car.number);
      if (form === undefined) continue;
      const latest = form.latest.at(-1);
      const truePaceSeconds = baseSeconds + usualSeconds + form.seconds;
      const tireSeconds =
        latest === undefined ? 0 : lapTimes.tireSeconds(latest.lap.compound, latest.lap.tireAge) - usualSeconds;
      const recent = latestLapsSeconds(car);
      drivers.push({
        ...state.driver(car.number),
        truePaceSeconds: rounded(truePaceSeconds, 3),
        nextLapsSeconds:
          latest === undefined || recent === null
            ? null
            : rounded(
                MODEL_SHARE * (truePaceSeconds + latest.fuelSeconds + tireSeconds) + (1 - MODEL_SHARE) * recent,
                3,
              ),
        offsetSeconds: rounded(form.seconds - sorted[0]!, 3),
        uncertaintySeconds: rounded(form.uncertaintySeconds, 3),
        rank: sorted.indexOf(form.seconds) + 1,
        laps: form.laps,
        latestLap:
          latest === undefined
            ? null
            : {
                lap: latest.lap.lap,
                lapSeconds: latest.lap.ms! / 1000,
                fuelSeconds: rounded(latest.fuelSeconds, 3),
                tireSeconds: rounded(tireSeconds, 3),
                trafficSeconds: rounded(latest.trafficSeconds, 3),
              },
      });
    }
    return this.#latest.ifChanged({
      session: { referenceCompound: usualCompound, lapDeviationSeconds: rounded(lapTimes.scatterSeconds, 3) },
      drivers,
    });
  }
}

/** Mean of the latest laps in seconds. Null: they are not all clean, or the car has stopped since. */
function latestLapsSeconds({ laps, lapsCompleted }: Car): number | null {
  const latest = laps.slice(-LATEST_LAPS);
  const isRow = latest.every(({ lap, clean }, index) => clean && lap === lapsCompleted - LATEST_LAPS + 1 + index);
  if (latest.length < LATEST_LAPS || !isRow) return null;
  return latest.reduce((sum, { ms }) => sum + ms!, 0) / LATEST_LAPS / 1000;
}
