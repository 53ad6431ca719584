// What the models are held against: forecasts that know nothing but a place, that on the grid or that in the championship, and
// how races went from there before. Their few numbers were chosen like the models' own, on the races of 2017 to 2021, so that
// the baselines are as good as they can be.

import type { RaceWeekend } from '#engine/seasons/history/history.ts';

/** Chances of drivers, in the order in which they were asked for. */
export interface PlaceForecast {
  /** To win; sums to one. */
  readonly win: readonly number[];
  /** By driver: how likely each place is, the first first. */
  readonly places: readonly (readonly number[])[];
}

export interface PlaceSmoothing {
  /** Wins that the first place is taken to have had from the start, and how many of them each further place has. */
  readonly wins: number;
  readonly fade: number;
  /** How many places around are taken for nearly the same, for places other than the first. */
  readonly width: number;
}

export const GRID_SMOOTHING: PlaceSmoothing = { wins: 3, fade: 0.8, width: 1 };
export const STANDINGS_SMOOTHING: PlaceSmoothing = { wins: 20, fade: 0.7, width: 1 };
/** Races of the season that the championship before counts for. */
const STANDINGS_CARRIED_RACES = 2;

const PLACES_MAX = 32;

/** How often a race that began (or was awaited) in one place ended in another. */
export class PlaceBaseline {
  readonly #smoothing: PlaceSmoothing;
  readonly #wins = new Float64Array(PLACES_MAX);
  /** By place before and place after. */
  readonly #counts = new Float64Array(PLACES_MAX * PLACES_MAX);

  constructor(smoothing: PlaceSmoothing) {
    this.#smoothing = smoothing;
  }

  /** The places before the race of those who took part, in the order in which they ended it. */
  learn(places: readonly number[]): void {
    this.#wins[indexOf(places[0] ?? 1)]!++;
    places.forEach((place, row) => {
      this.#counts[indexOf(place) * PLACES_MAX + indexOf(row + 1)]!++;
    });
  }

  forecast(places: readonly number[]): PlaceForecast {
    const { wins: before, fade } = this.#smoothing;
    const wins = places.map((place) => this.#wins[indexOf(place)]! + before * fade ** (place - 1));
    return {
      win: normalised(wins),
      places: places.map((place) => normalised(places.map((_, row) => this.#weight(indexOf(place), row)))),
    };
  }

  #weight(place: number, row: number): number {
    const { width } = this.#smoothing;
    let sum = 0.01;
    for (let other = 0; other < PLACES_MAX; other++) {
      const near = Math.exp(-(((other - place) / width) ** 2) / 2);
      if (near < 0.001) continue;
      for (let end = 0; end < PLACES_MAX; end++) {
        const count = this.#counts[other * PLACES_MAX + end]!;
        if (count > 0) sum += count * near * Math.exp(-(((end - row) / width) ** 2) / 2);
      }
    }
    return sum;
  }
}

export function uniformForecast(drivers: number): PlaceForecast {
  const even = Array.from({ length: drivers }, () => 1 / drivers);
  return { win: even, places: even.map(() => even) };
}

/**
 * Places in the championship before a weekend. While the season is young the one before counts too, by its points per race;
 * who has no points stands behind all others.
 */
export function standingsBefore(weekends: readonly RaceWeekend[], index: number): ReadonlyMap<string, number> {
  const { season } = weekends[index]!;
  const raced = weekends.slice(0, index).filter(({ driverStandings }) => driverStandings.length > 0);
  const now = raced.filter((weekend) => weekend.season === season);
  const earlier = raced.filter((weekend) => weekend.season === season - 1);
  const points = new Map<string, number>();
  for (const { driverId, points: earned } of now.at(-1)?.driverStandings ?? []) points.set(driverId, earned);
  for (const { driverId, points: earned } of earlier.at(-1)?.driverStandings ?? []) {
    points.set(driverId, (points.get(driverId) ?? 0) + (earned / earlier.length) * STANDINGS_CARRIED_RACES);
  }
  const order = [...points].sort(([a, pointsA], [b, pointsB]) => pointsB - pointsA || (a < b ? -1 : 1));
  return new Map(order.map(([driverId], place) => [driverId, place + 1]));
}

function indexOf(place: number): number {
  return Math.min(PLACES_MAX, Math.max(1, place)) - 1;
}

function normalised(weights: readonly number[]): readonly number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}
