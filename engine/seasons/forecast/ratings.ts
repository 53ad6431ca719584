// Ratings of drivers and constructors: a linear model, updated by a Kalman filter from weekend to weekend. A driver's
// performance is his own strength plus that of his constructor. The filter keeps the covariance between them, so two
// drivers in the same car show how much of a result is due to the driver. Strengths drift. Winters pull them towards
// the mean, and more so with new technical rules. Uncertainty grows while there are no results.

import type { Participant } from '#engine/seasons/history/history.ts';
import { teamOf } from './constructor-lineage.ts';
import type { RatingSettings } from './model-settings.ts';

/** Seasons with technical rules so new that the old order said little. */
const NEW_RULES: ReadonlySet<number> = new Set([2014, 2017, 2022, 2026]);

export type Entrant = Pick<Participant, 'driverId' | 'constructorId'>;

export interface Observation extends Entrant {
  readonly value: number;
}

/** The ratings at one moment. */
export interface RatingSnapshot {
  readonly rating: (entrant: Entrant) => number;
  /** Variances of the two parts of a rating. */
  readonly driverVariance: (driverId: string) => number;
  readonly constructorVariance: (constructorId: string) => number;
}

export class Ratings {
  readonly #settings: RatingSettings;
  /** Row of each driver and team in mean and covariance. A driver's key is his id; a team's key begins with a slash. */
  readonly #rows = new Map<string, number>();
  readonly #mean: number[] = [];
  /** By row and column. */
  readonly #covariance: Float64Array[] = [];
  #season: number | null = null;
  /**
   * Whether a winter has passed since the first weekend. Before that, a team new to this model is not new to the sport.
   */
  #wintered = false;

  constructor(settings: RatingSettings) {
    this.#settings = settings;
  }

  /** Applies drift and winters. The caller calls it once before each weekend, in order. */
  advance(season: number): void {
    const { driverDrift, constructorDrift, driverWinter, constructorWinter, newRules } = this.#settings;
    const winter = this.#season !== null && this.#season !== season;
    this.#season = season;
    if (winter) this.#wintered = true;
    for (const [key, row] of this.#rows) {
      const team = key.startsWith('/');
      if (winter) {
        const { kept, spread } = team ? (NEW_RULES.has(season) ? newRules : constructorWinter) : driverWinter;
        this.#shrink(row, kept);
        this.#covariance[row]![row]! += spread ** 2;
      }
      this.#covariance[row]![row]! += (team ? constructorDrift : driverDrift) ** 2;
    }
  }

  /** Learns from one session. Values are comparable only within a session, so a common offset is removed. */
  learn(observations: readonly Observation[]): void {
    const { noise, surpriseMax } = this.#settings;
    const ordered = observations.toSorted((a, b) => (a.driverId < b.driverId ? -1 : 1));
    const rows = ordered.map(({ driverId, constructorId }) => {
      return [this.#rowOf(driverId), this.#rowOf(`/${teamOf(constructorId)}`)] as const;
    });
    const offset = middleOf(ordered.map(({ value }, place) => value - this.#expected(rows[place]!)));
    ordered.forEach(({ value }, place) => {
      const [driver, team] = rows[place]!;
      const gain = this.#covariance.map((row) => row[driver]! + row[team]!);
      const variance = gain[driver]! + gain[team]! + noise ** 2;
      const limit = surpriseMax * Math.sqrt(variance);
      const surprise = Math.min(limit, Math.max(-limit, value - offset - this.#expected([driver, team])));
      for (let row = 0; row < gain.length; row++) {
        const weight = gain[row]! / variance;
        if (weight === 0) continue;
        this.#mean[row]! += weight * surprise;
        const covariance = this.#covariance[row]!;
        for (let column = 0; column < gain.length; column++) covariance[column]! -= weight * gain[column]!;
      }
    });
  }

  snapshot(): RatingSnapshot {
    const { rookieMean, driverSpread, constructorSpread } = this.#settings;
    const teamMean = this.#teamMean();
    const mean = Float64Array.from(this.#mean);
    const variance = Float64Array.from(this.#covariance, (row, index) => row[index]!);
    // Rows are only ever added, so the rows of this moment are always the first ones.
    const known = (key: string, values: Float64Array, otherwise: number): number => {
      return values[this.#rows.get(key) ?? values.length] ?? otherwise;
    };
    return {
      rating: ({ driverId, constructorId }) =>
        known(driverId, mean, rookieMean) + known(`/${teamOf(constructorId)}`, mean, teamMean),
      driverVariance: (driverId) => known(driverId, variance, driverSpread ** 2),
      constructorVariance: (constructorId) => known(`/${teamOf(constructorId)}`, variance, constructorSpread ** 2),
    };
  }

  #expected([driver, team]: readonly [number, number]): number {
    return this.#mean[driver]! + this.#mean[team]!;
  }

  #teamMean(): number {
    return this.#wintered ? this.#settings.newTeamMean : 0;
  }

  #shrink(row: number, kept: number): void {
    this.#mean[row]! *= kept;
    for (const other of this.#covariance) other[row]! *= kept;
    const covariance = this.#covariance[row]!;
    for (let column = 0; column < this.#mean.length; column++) covariance[column]! *= kept;
  }

  #rowOf(key: string): number {
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    const team = key.startsWith('/');
    const row = this.#mean.length;
    this.#rows.set(key, row);
    this.#mean.push(team ? this.#teamMean() : this.#settings.rookieMean);
    for (let other = 0; other < row; other++) {
      const wider = new Float64Array(row + 1);
      wider.set(this.#covariance[other]!);
      this.#covariance[other] = wider;
    }
    const own = new Float64Array(row + 1);
    own[row] = (team ? this.#settings.constructorSpread : this.#settings.driverSpread) ** 2;
    this.#covariance.push(own);
    return row;
  }
}

function middleOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return 0;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
