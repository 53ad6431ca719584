// The chance that a driver retires from a race: the overall rate, scaled by the records of the driver, his team and the
// circuit. Each weekend counts less than the next one, so a new car is known by its own season soon.

import { exposureOf, type RaceKind } from '#engine/racing/race-kind.ts';
import type { RaceWeekend } from '#engine/seasons/history/history.ts';
import { teamOf } from './constructor-lineage.ts';
import type { RetirementSettings } from './model-settings.ts';
import { hasRetired, hasStarted } from './race-start.ts';
import type { Entrant } from './ratings.ts';

/** Prior before any race: this many retirements in this many starts. */
const BEFORE = { retired: 15, starts: 100 };
const HAZARD_MIN = 0.01;
const HAZARD_MAX = 0.6;
/** What has a record of its own. */
const OWNERS = ['driver', 'team', 'circuit'] as const;

interface Tally {
  retired: number;
  starts: number;
}

export class RetirementRecord {
  readonly #settings: RetirementSettings;
  readonly #all: Tally = { ...BEFORE };
  readonly #tallies = {
    driver: new Map<string, Tally>(),
    team: new Map<string, Tally>(),
    circuit: new Map<string, Tally>(),
  };

  constructor(settings: RetirementSettings) {
    this.#settings = settings;
  }

  learn({ circuitId, results }: RaceWeekend): void {
    if (results.length === 0) return;
    fade(this.#all, this.#settings.halfLife);
    for (const owner of OWNERS) {
      for (const tally of this.#tallies[owner].values()) fade(tally, this.#settings[owner].halfLife);
    }
    for (const result of results) {
      if (!hasStarted(result)) continue;
      const retired = hasRetired(result) ? 1 : 0;
      this.#all.retired += retired;
      this.#all.starts++;
      for (const owner of OWNERS) {
        const key = keyOf(owner, result, circuitId);
        const tally = this.#tallies[owner].get(key) ?? { retired: 0, starts: 0 };
        this.#tallies[owner].set(key, tally);
        tally.retired += retired;
        tally.starts++;
      }
    }
  }

  hazard(entrant: Entrant, circuitId: string, kind: RaceKind): number {
    const mean = this.#all.retired / this.#all.starts;
    let hazard = mean;
    for (const owner of OWNERS) {
      const { prior } = this.#settings[owner];
      const { retired, starts } = this.#tallies[owner].get(keyOf(owner, entrant, circuitId)) ?? {
        retired: 0,
        starts: 0,
      };
      hazard *= (retired / mean + prior) / (starts + prior);
    }
    return Math.min(HAZARD_MAX, Math.max(HAZARD_MIN, hazard * exposureOf(kind)));
  }
}

function fade(tally: Tally, halfLife: number): void {
  const kept = 0.5 ** (1 / halfLife);
  tally.retired *= kept;
  tally.starts *= kept;
}

function keyOf(owner: (typeof OWNERS)[number], { driverId, constructorId }: Entrant, circuitId: string): string {
  if (owner === 'driver') return driverId;
  return owner === 'team' ? teamOf(constructorId) : circuitId;
}
