// Which tyres each driver has used, stint by stint, and the stops between them.

import type { Fold, ShownUpdate } from '../show/fold.ts';
import { type Entrant, Entrants } from './entrants.ts';
import { isOf } from './update-of.ts';

const OVER: ReadonlySet<string> = new Set(['finished', 'finalised', 'ends']);
const STINTS_MAX = 20;
const DRIVERS_MAX = 60;

/** The first three are softer ones of 2018. */
export const COMPOUNDS = [
  'hypersoft',
  'ultrasoft',
  'supersoft',
  'soft',
  'medium',
  'hard',
  'intermediate',
  'wet',
  'unknown',
] as const;
export type Compound = (typeof COMPOUNDS)[number];

export interface ShownStint {
  readonly compound: Compound;
  /** Null: not known. */
  readonly isNew: boolean | null;
  /** Laps driven in this stint. */
  readonly laps: number;
}

export interface Strategy {
  readonly entrant: Entrant;
  readonly stints: readonly ShownStint[];
  /** How long each measured stop took, as on the timing screen. */
  readonly stops: readonly string[];
}

interface Stint {
  compound: Compound;
  isNew: boolean | null;
  startLaps: number;
  totalLaps: number;
}

interface Used {
  readonly stints: Stint[];
  readonly stops: string[];
}

export class TyreStrategies implements Fold {
  readonly entrants = new Entrants();
  /** Counts changes. */
  version = 0;
  /** Laps of the race; null: not counted. */
  totalLaps: number | null = null;
  #byNumber = new Map<string, Used>();
  #isOver = false;
  /** Cars that did not finish. */
  #out = new Set<string>();

  reset(): void {
    this.entrants.reset();
    this.totalLaps = null;
    this.#byNumber = new Map();
    this.#isOver = false;
    this.#out = new Set();
    this.version++;
  }

  take(update: ShownUpdate): void {
    this.entrants.take(update);
    if (isOf(update, 'lap.count')) {
      this.totalLaps = update.payload.data.totalLaps;
      // The order of the rows has probably changed as well.
      this.version++;
    } else if (isOf(update, 'session.status')) {
      this.#isOver = OVER.has(update.payload.data.status);
      this.version++;
    } else if (isOf(update, 'timing.data')) {
      for (const { number, retired, stopped } of update.payload.drivers ?? []) {
        // After the flag cars stop without being out.
        const isOut = retired ?? (this.#isOver ? undefined : stopped);
        if (isOut === true && this.#out.size < DRIVERS_MAX) this.#out.add(number);
        else if (isOut === false) this.#out.delete(number);
      }
    } else if (isOf(update, 'tire.stints')) {
      for (const { number, stints } of update.payload.drivers) {
        const used = this.#usedBy(number);
        if (used === null) continue;
        for (const { stint, compound, isNew, totalLaps, startLaps } of stints) {
          if (stint < 1 || stint > STINTS_MAX) continue;
          while (used.stints.length < stint)
            used.stints.push({ compound: 'unknown', isNew: null, startLaps: 0, totalLaps: 0 });
          const known = used.stints[stint - 1]!;
          if (compound !== undefined) known.compound = compoundOf(compound);
          if (isNew !== undefined) known.isNew = isNew;
          if (startLaps != null) known.startLaps = startLaps;
          if (totalLaps != null) known.totalLaps = totalLaps;
        }
      }
      this.version++;
    } else if (isOf(update, 'pit-lane.stops')) {
      for (const { number, stops } of update.payload.drivers) {
        const used = this.#usedBy(number);
        for (const { stop, stationaryTime } of stops)
          if (used !== null && stationaryTime !== null && stop >= 1 && stop <= STINTS_MAX)
            used.stops[stop - 1] = stationaryTime.display;
      }
      this.version++;
    }
  }

  /** In the order of the race. */
  strategies(): readonly Strategy[] {
    return this.entrants.inOrder().flatMap((entrant) => {
      const used = this.#byNumber.get(entrant.number);
      if (used === undefined || used.stints.length === 0) return [];
      const stints = used.stints.map(({ compound, isNew, totalLaps, startLaps }) => ({
        compound,
        isNew,
        laps: Math.max(0, totalLaps - startLaps),
      }));
      if (stints.length > 1 && stints.at(-1)!.laps === 0 && this.#isAfterFinish(entrant)) stints.pop();
      return [{ entrant, stints, stops: used.stops.filter((time) => time !== undefined) }];
    });
  }

  /** Whether tires on which a car has driven no lap were fitted after the flag: it would be a stop too many. */
  #isAfterFinish({ number }: Entrant): boolean {
    // Only a race counts laps; qualifying is finished after each part.
    return this.#isOver && this.totalLaps !== null && !this.#out.has(number);
  }

  #usedBy(number: string): Used | null {
    const known = this.#byNumber.get(number);
    if (known !== undefined) return known;
    if (this.#byNumber.size === DRIVERS_MAX) return null;
    const used = { stints: [], stops: [] };
    this.#byNumber.set(number, used);
    return used;
  }
}

function compoundOf(name: string | null): Compound {
  const lower = name?.toLowerCase().replace('_', '') ?? '';
  return COMPOUNDS.find((compound) => compound === lower) ?? 'unknown';
}
