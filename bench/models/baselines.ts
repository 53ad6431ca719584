// The baselines for the models: forecasts that know only one place per driver, on the grid or in the championship, and
// how past races went from there. Their few settings were tuned like those of the models, on the races of 2017 to 2021,
// to make the baselines as good as they can be.

import { slotsOf } from '#engine/seasons/forecast/grid-effect.ts';
import { qualifyingGaps } from '#engine/seasons/forecast/performance.ts';
import { fitRanking } from '#engine/seasons/forecast/ranking-model.ts';
import type { RaceWeekend } from '#engine/seasons/history/history.ts';

/** Chances of the drivers, in the order of the request. */
export interface PlaceForecast {
  /** Win chances. They sum to one. */
  readonly win: readonly number[];
  /** By driver: the chance of each place, first place first. Null: the rule forecasts the winner alone. */
  readonly places: readonly (readonly number[])[] | null;
}

export interface PlaceSmoothing {
  /** Prior wins of the first place, and the factor from each place to the next. */
  readonly wins: number;
  readonly fade: number;
  /** Width of the kernel that smooths the counts over neighbouring places. Win chances are not smoothed. */
  readonly width: number;
}

export const GRID_SMOOTHING: PlaceSmoothing = { wins: 3, fade: 0.8, width: 1 };
export const STANDINGS_SMOOTHING: PlaceSmoothing = { wins: 20, fade: 0.7, width: 1 };
/** The previous championship counts as much as this many races. */
const STANDINGS_CARRIED_RACES = 2;

const PLACES_MAX = 32;

/** Counts how often a driver with one place before the race finished in another. */
export class PlaceBaseline {
  readonly #smoothing: PlaceSmoothing;
  readonly #wins = new Float64Array(PLACES_MAX);
  /** Matrix by place before and place after. */
  readonly #counts = new Float64Array(PLACES_MAX * PLACES_MAX);

  constructor(smoothing: PlaceSmoothing) {
    this.#smoothing = smoothing;
  }

  /** Takes the places before the race, in finishing order. */
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

/** Percent. A driver without a time has this gap. */
const GAP_MAX = 2.5;
const GRID_AND_GAP_BEFORE = [1, 1];

/** A logit of two numbers: how far ahead of the others the winners started, and how small their gap in qualifying was. */
export class GridAndGapBaseline {
  readonly #orders: Float64Array[] = [];

  /** `started`: in finishing order. */
  learn(weekend: RaceWeekend, started: readonly string[]): void {
    this.#orders.push(Float64Array.from(numbersOf(weekend, started).flat()));
  }

  forecast(weekend: RaceWeekend, started: readonly string[]): PlaceForecast {
    // The first place alone counts.
    const settings = { placeWeight: 0, ridge: 1, halfLife: Number.MAX_SAFE_INTEGER };
    const [place, gap] = fitRanking(this.#orders, GRID_AND_GAP_BEFORE, settings);
    const strengths = numbersOf(weekend, started).map(([ahead, near]) => Math.exp(place! * ahead + gap! * near));
    return { win: normalised(strengths), places: null };
  }
}

function numbersOf(
  { grid, qualifying }: RaceWeekend,
  started: readonly string[],
): readonly (readonly [number, number])[] {
  const slots = slotsOf(grid);
  const gaps = new Map(qualifyingGaps(qualifying).map(({ driverId, value }) => [driverId, value]));
  return started.map((driverId) => [
    -Math.log(slots.get(driverId) ?? started.length),
    -Math.min(GAP_MAX, gaps.get(driverId) ?? GAP_MAX),
  ]);
}

export function uniformForecast(drivers: number): PlaceForecast {
  const even = Array.from({ length: drivers }, () => 1 / drivers);
  return { win: even, places: even.map(() => even) };
}

/**
 * Championship places before a weekend. The previous season counts too, by its points per race, which matters early in
 * a season. Drivers without points come last.
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
