// analytics.true-pace: how fast the cars are with the effects of fuel, tires and traffic removed.

import type { Content } from '#engine/racing/normalise/normaliser.ts';
import type { SessionState } from '#engine/racing/session/session-state.ts';
import type { TruePaceDriver } from '#schemas/webhook/analytics-true-pace.ts';
import type { RaceModel } from './analytics-model.ts';
import { LatestContent } from './latest-content.ts';
import type { RacePicture } from './race-picture.ts';
import { rounded } from './rounded.ts';

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
      drivers.push({
        ...state.driver(car.number),
        truePaceSeconds: rounded(baseSeconds + usualSeconds + form.seconds, 3),
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
                tireSeconds: rounded(lapTimes.tireSeconds(latest.lap.compound, latest.lap.tireAge) - usualSeconds, 3),
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
