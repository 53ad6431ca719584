// analytics.tire-strategy: how soon each car may stop, and on which tires it may go on.

import type { Content } from '#engine/racing/normalise/normaliser.ts';
import type { SessionState } from '#engine/racing/session/session-state.ts';
import type { TireStrategyDriver } from '#schemas/webhook/analytics-tire-strategy.ts';
import type { RaceModel } from './analytics-model.ts';
import { LatestContent } from './latest-content.ts';
import type { RacePicture } from './race-picture.ts';
import { rounded } from './rounded.ts';
import { type CarStops, type FieldStops, StopForecasts, stopLapAt } from './stop-forecasts.ts';
import { TIRE_KINDS } from './tire-kinds.ts';

const WITHIN_LAPS = [1, 3, 5, 10];
/** Tires less likely than this are left out. */
const CHANCE_MIN = 0.01;

export class TireStrategy implements RaceModel {
  readonly feed = 'analytics.tire-strategy';
  readonly #forecasts: StopForecasts;
  readonly #latest = new LatestContent();
  /** Of one car: for each of TIRE_KINDS, the chance that the next stop is on that lap and for these tires. */
  #chances = new Float64Array(0);

  constructor(forecasts = new StopForecasts()) {
    this.#forecasts = forecasts;
  }

  emit(picture: RacePicture, state: SessionState): Content | null {
    const field = this.#forecasts.at(picture);
    if (field === null || field.cars.size === 0) return null;
    const cells = TIRE_KINDS.length * field.lapsLeft;
    if (this.#chances.length < cells) this.#chances = new Float64Array(cells);
    const drivers = Array.from(field.cars.values(), (stops): TireStrategyDriver => {
      const { car, ageLaps, none, next } = stops;
      return {
        ...state.driver(car.number),
        compound: car.stints.at(-1)!.compound!,
        tireAgeLaps: ageLaps,
        stopProbability: rounded(1 - none, 3),
        stopWithin: stopWithin(next),
        nextTires: nextTiresOf(stops, field, this.#chances),
      };
    });
    return this.#latest.ifChanged({ session: { lapsLeft: field.lapsLeft }, drivers });
  }
}

function stopWithin(next: Float64Array): TireStrategyDriver['stopWithin'] {
  const within: TireStrategyDriver['stopWithin'] = [];
  let sum = 0;
  let lap = 0;
  for (const laps of WITHIN_LAPS) {
    if (laps > next.length) break;
    while (lap < laps) sum += next[lap++]!;
    within.push({ laps, probability: rounded(sum, 3) });
  }
  return within;
}

/** The likeliest first. `chances` is overwritten. */
function nextTiresOf(
  { none, next, nextKinds }: CarStops,
  { lap, lapsLeft, names }: FieldStops,
  chances: Float64Array,
): TireStrategyDriver['nextTires'] {
  for (let laps = 0; laps < lapsLeft; laps++) {
    const kinds = nextKinds(lapsLeft - laps - 1);
    for (let kind = 0; kind < kinds.length; kind++) chances[kind * lapsLeft + laps] = next[laps]! * kinds[kind]!;
  }
  const tires: TireStrategyDriver['nextTires'] = [];
  for (let kind = 0; kind < TIRE_KINDS.length; kind++) {
    const own = chances.subarray(kind * lapsLeft, (kind + 1) * lapsLeft);
    let sum = 0;
    for (let laps = 0; laps < lapsLeft; laps++) sum += own[laps]!;
    const probability = rounded(sum / (1 - none), 3);
    if (probability < CHANCE_MIN) continue;
    const p50Lap = stopLapAt(0.5, { none: 1 - sum, next: own }, lap);
    tires.push({ compound: names.nameOf(TIRE_KINDS[kind]!), probability, p50Lap });
  }
  return tires.sort((a, b) => b.probability - a.probability);
}
