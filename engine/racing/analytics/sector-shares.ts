// How far a car is on its lap, from its sectors: what the lap will take if the rest of it takes as long as the sectors do
// in the field's best laps.
//
// The source empties the second and third sector when a car ends the first one, so a lap is under way while the third is
// empty. Laps out of the pits have no first sector.

import { type JsonObject, objectOf } from '#engine/base/json-value.ts';
import { DRIVERS_MAX } from '#engine/base/limits.ts';
import { median } from '#engine/base/median.ts';
import { lapTimeOf } from '#engine/racing/timing-text.ts';

/** A lap of which the first sector, or the first two, are known. */
export interface LapUnderWay {
  readonly sectors: 1 | 2;
  /** What the whole lap takes at that pace. */
  readonly projectedSeconds: number;
}

/** A lap whose sectors project this many times the best lap is not a fast one. */
const SLOW = 1.03;
/** Best laps that it takes to know the shares. */
const LAPS_MIN = 3;
/** Sectors are rounded to thousandths. */
const ROUNDING_SECONDS = 0.0025;
/** A sector that takes this many times as long as it should means that the lap was given up. */
const GIVEN_UP = 1.15;

/** `bestSeconds`: the car's best lap, or a typical one. */
export function isFast(seconds: number, bestSeconds: number): boolean {
  return seconds <= SLOW * bestSeconds;
}

interface SectorTimes {
  readonly first: number | null;
  readonly second: number | null;
  readonly third: number | null;
}

interface CarSectors {
  /** The parts of the car's best lap that were over after its first and second sector. Null: no best lap yet. */
  best: readonly [number, number] | null;
  /** When its latest sector ended. */
  endedUtcMs: number;
}

export class SectorShares {
  /** By racing number. */
  readonly #cars = new Map<string, CarSectors>();
  /** Medians of the cars' `best`. Null: too few have one. Undefined: to be worked out, as one has changed. */
  #shares: readonly [number, number] | null | undefined;

  /** Takes a change of the car's sectors or best times. Returns whether a first or second sector ended. */
  apply(number: string, sectors: JsonObject, changed: JsonObject, bestSeconds: number | null, utcMs: number): boolean {
    const known = this.#cars.get(number);
    if (known === undefined && this.#cars.size === DRIVERS_MAX) return false;
    const car = known ?? { best: null, endedUtcMs: -Infinity };
    this.#cars.set(number, car);
    const { first, second, third } = timesOf(sectors);
    if (first !== null && second !== null && third !== null && bestSeconds !== null) {
      const lap = first + second + third;
      if (Math.abs(lap - bestSeconds) < ROUNDING_SECONDS) {
        car.best = [first / lap, (first + second) / lap];
        this.#shares = undefined;
      }
    }
    const ended = [0, 1].some((sector) => secondsOf(changed[sector]) !== null);
    if (ended) car.endedUtcMs = utcMs;
    return ended && third === null && first !== null;
  }

  /** Null: no lap under way, or its pace cannot be told. */
  underWay(number: string, sectors: JsonObject, utcMs: number): LapUnderWay | null {
    const { first, second, third } = timesOf(sectors);
    const endedUtcMs = this.#cars.get(number)?.endedUtcMs;
    if (first === null || third !== null || endedUtcMs === undefined) return null;
    if (this.#shares === undefined) this.#shares = this.#medianShares();
    if (this.#shares === null) return null;
    const [afterFirst, afterSecond] = this.#shares;
    const projectedSeconds = second === null ? first / afterFirst : (first + second) / afterSecond;
    const next = (second === null ? afterSecond - afterFirst : 1 - afterSecond) * projectedSeconds;
    if (utcMs - endedUtcMs > GIVEN_UP * next * 1000) return null;
    return { sectors: second === null ? 1 : 2, projectedSeconds };
  }

  #medianShares(): readonly [number, number] | null {
    const best = Array.from(this.#cars.values()).flatMap((car) => (car.best === null ? [] : [car.best]));
    if (best.length < LAPS_MIN) return null;
    return [median(best.map(([one]) => one)), median(best.map(([, two]) => two))];
  }
}

function timesOf(sectors: JsonObject): SectorTimes {
  return { first: secondsOf(sectors[0]), second: secondsOf(sectors[1]), third: secondsOf(sectors[2]) };
}

function secondsOf(sector: unknown): number | null {
  const ms = lapTimeOf(objectOf(sector).Value)?.ms ?? null;
  return ms === null ? null : ms / 1000;
}
