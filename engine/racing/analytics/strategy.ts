// analytics.strategy: how many stops each car has left, and when the next one is due.

import type { Content } from '#engine/racing/normalise/normaliser.ts';
import type { SessionState } from '#engine/racing/session/session-state.ts';
import type { StrategyDriver } from '#schemas/webhook/analytics-strategy.ts';
import type { RaceModel } from './analytics-model.ts';
import { compoundsUsed } from './compound-rule.ts';
import { LatestContent } from './latest-content.ts';
import type { Car } from './race-car.ts';
import type { RacePicture } from './race-picture.ts';
import { rounded } from './rounded.ts';
import { nextStopLap, StopForecasts } from './stop-forecasts.ts';
import { TireLives } from './tire-life.ts';

/** Below this chance of a stop no lap is given. */
const STOP_CHANCE_MIN = 0.05;

export class Strategy implements RaceModel {
  readonly feed = 'analytics.strategy';
  readonly #forecasts: StopForecasts;
  readonly #latest = new LatestContent();

  constructor(forecasts = new StopForecasts()) {
    this.#forecasts = forecasts;
  }

  emit(picture: RacePicture, state: SessionState): Content | null {
    const field = this.#forecasts.at(picture);
    if (field === null) return null;
    const lives = new TireLives(picture, picture.totalLaps!);
    const drivers = Array.from(field.cars.values(), (stops): StrategyDriver => {
      const { car, ageLaps, owes } = stops;
      const life = lives.life(car.stints.at(-1)!.compound);
      const more = rounded(stops.more, 3);
      const none = rounded(stops.none, 3);
      return {
        ...state.driver(car.number),
        // Stops before the recording began show only in the tires.
        stopsDone: Math.max(car.stops, car.stints.length - 1),
        noStopProbability: none,
        // The chances sum to one.
        oneStopProbability: rounded(1 - none - more, 3),
        moreStopsProbability: more,
        nextStopLap: stops.none > 1 - STOP_CHANCE_MIN ? null : nextStopLap(stops, field.lap),
        compoundsUsed: compoundsUsed(car),
        anotherCompoundRequired: owes,
        tireAgeLaps: ageLaps,
        typicalStintLaps: rounded(life.laps, 1),
        typicalStintDeviationLaps: rounded(life.deviationLaps, 1),
        stints: stintsOf(car, ageLaps),
      };
    });
    if (drivers.length === 0) return null;
    return this.#latest.ifChanged({
      session: { lapsLeft: field.lapsLeft, stintsLearnedFrom: lives.stints },
      drivers,
    });
  }
}

function stintsOf({ stints }: Car, age: number): StrategyDriver['stints'] {
  return stints.map(({ compound, isNew, fromLap, tireAge }, index) => ({
    stint: index + 1,
    compound,
    isNew,
    fromLap,
    tireAgeLaps: index === stints.length - 1 ? age : tireAge,
  }));
}
