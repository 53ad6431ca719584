// analytics.tire-strategy: how soon each car may stop, and on which tires it may go on.

import type { Content } from '#engine/racing/normalise/normaliser.ts';
import type { SessionState } from '#engine/racing/session/session-state.ts';
import type { TireStrategyDriver } from '#schemas/webhook/analytics-tire-strategy.ts';
import type { RaceModel } from './analytics-model.ts';
import { LatestContent } from './latest-content.ts';
import type { RacePicture } from './race-picture.ts';
import { rounded } from './rounded.ts';
import { type CarStops, type FieldStops, nextStopLap, StopForecasts } from './stop-forecasts.ts';
import { TIRE_KINDS } from './tire-kinds.ts';

const WITHIN_LAPS = [1, 3, 5, 10];
/** Tires less likely than this are left out. */
const CHANCE_MIN = 0.01;

export class TireStrategy implements RaceModel {
  readonly feed = 'analytics.tire-strategy';
  readonly #forecasts: StopForecasts;
  readonly #latest = new LatestContent();

  constructor(forecasts = new StopForecasts()) {
    this.#forecasts = forecasts;
  }

  emit(picture: RacePicture, state: SessionState): Content | null {
    const field = this.#forecasts.at(picture);
    if (field === null || field.cars.size === 0) return null;
    const drivers = Array.from(field.cars.values(), (stops): TireStrategyDriver => {
      const { car, ageLaps, none, next } = stops;
      return {
        ...state.driver(car.number),
        compound: car.stints.at(-1)!.compound!,
        tireAgeLaps: ageLaps,
        stopProbability: rounded(1 - none, 3),
        stopWithin: WITHIN_LAPS.filter((laps) => laps <= field.lapsLeft).map((laps) => ({
          laps,
          probability: rounded(sumOf(next.subarray(0, laps)), 3),
        })),
        nextTires: nextTiresOf(stops, field),
      };
    });
    return this.#latest.ifChanged({ session: { lapsLeft: field.lapsLeft }, drivers });
  }
}

/** The likeliest first. */
function nextTiresOf({ none, next, nextKinds }: CarStops, { lap, lapsLeft, names }: FieldStops) {
  const byKind = TIRE_KINDS.map(() => new Float64Array(next.length));
  next.forEach((chance, laps) => {
    const kinds = nextKinds(lapsLeft - laps - 1);
    for (let kind = 0; kind < kinds.length; kind++) byKind[kind]![laps] = chance * kinds[kind]!;
  });
  return TIRE_KINDS.flatMap((kind, index) => {
    const chances = byKind[index]!;
    const sum = sumOf(chances);
    const probability = rounded(sum / (1 - none), 3);
    if (probability < CHANCE_MIN) return [];
    const { p50 } = nextStopLap({ none: 1 - sum, next: chances }, lap);
    return [{ compound: names.nameOf(kind), probability, p50Lap: p50 }];
  }).sort((a, b) => b.probability - a.probability);
}

function sumOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0);
}
