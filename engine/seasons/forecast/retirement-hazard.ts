// The chance that a driver retires from a race: the overall rate, scaled by the records of the driver, his team and the
// circuit. Past seasons count less and less, because cars have become far more reliable.

import { exposureOf, type RaceKind } from '#engine/racing/race-kind.ts';
import type { RaceWeekend } from '#engine/seasons/history/history.ts';
import { teamOf } from './constructor-lineage.ts';
import { hasRetired, hasStarted } from './race-start.ts';
import type { Entrant } from './ratings.ts';

/** Prior: this many retirements in this many starts. */
const BEFORE = { retired: 15, starts: 100 };
const HAZARD_MIN = 0.01;
const HAZARD_MAX = 0.6;

interface Tally {
  retired: number;
  starts: number;
}

export class RetirementRecord {
  readonly #prior: number;
  readonly #seasonWeight: number;
  readonly #all: Tally = { ...BEFORE };
  readonly #tallies = new Map<string, Tally>();
  #season: number | null = null;

  /** `prior`: weight of the overall rate, in starts. `seasonWeight`: weight of each season relative to the next one. */
  constructor(prior: number, seasonWeight: number) {
    this.#prior = prior;
    this.#seasonWeight = seasonWeight;
  }

  learn({ season, circuitId, results }: RaceWeekend): void {
    if (this.#season !== null && this.#season !== season) {
      for (const tally of [this.#all, ...this.#tallies.values()]) {
        tally.retired *= this.#seasonWeight;
        tally.starts *= this.#seasonWeight;
      }
    }
    this.#season = season;
    for (const result of results) {
      if (!hasStarted(result)) continue;
      const retired = hasRetired(result) ? 1 : 0;
      this.#all.retired += retired;
      this.#all.starts++;
      for (const key of keysOf(result, circuitId)) {
        const tally = this.#tallies.get(key) ?? { retired: 0, starts: 0 };
        this.#tallies.set(key, tally);
        tally.retired += retired;
        tally.starts++;
      }
    }
  }

  hazard(entrant: Entrant, circuitId: string, kind: RaceKind): number {
    const mean = this.#all.retired / this.#all.starts;
    let hazard = mean;
    for (const key of keysOf(entrant, circuitId)) {
      const { retired, starts } = this.#tallies.get(key) ?? { retired: 0, starts: 0 };
      hazard *= (retired / mean + this.#prior) / (starts + this.#prior);
    }
    return Math.min(HAZARD_MAX, Math.max(HAZARD_MIN, hazard * exposureOf(kind)));
  }
}

function keysOf({ driverId, constructorId }: Entrant, circuitId: string): readonly string[] {
  return [`driver ${driverId}`, `team ${teamOf(constructorId)}`, `circuit ${circuitId}`];
}
