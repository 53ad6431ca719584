// How the chances of a win went: one row for each update of the model.

import type { Fold, ShownUpdate } from '../show/fold.ts';
import { type Entrant, Entrants } from './entrants.ts';
import { isOf } from './update-of.ts';

/** Two for each lap of the longest race and more; beyond them the oldest go. */
const ROWS_MAX = 500;

export interface ChanceRow {
  readonly atMs: number;
  /** The leader's lap; null: not counted. */
  readonly lap: number | null;
  /** By racing number. */
  readonly chances: ReadonlyMap<string, number>;
}

export class WinChances implements Fold {
  readonly entrants = new Entrants();
  /** Counts changes. */
  version = 0;
  /** False once the session is known to be no race: the model is silent then. */
  isRace = true;
  #rows: ChanceRow[] = [];

  reset(): void {
    this.entrants.reset();
    this.#rows = [];
    this.isRace = true;
    this.version++;
  }

  rewind(toMs: number): void {
    this.#rows = this.#rows.filter(({ atMs }) => atMs <= toMs);
    this.version++;
  }

  take(update: ShownUpdate): void {
    this.entrants.take(update);
    if (isOf(update, 'session.info')) {
      const { type } = update.payload.data;
      this.isRace = type === null || type === 'Race';
      this.version++;
    }
    if (!isOf(update, 'analytics.race-odds')) return;
    // The state of a place is the last row before it.
    if (update.atMs <= (this.#rows.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY)) return;
    const { drivers, lap } = update.payload;
    const chances = new Map(drivers.map(({ number, winProbability }) => [number, winProbability]));
    this.#rows.push({ atMs: update.atMs, lap: lap ?? null, chances });
    if (this.#rows.length > ROWS_MAX) this.#rows.shift();
    this.version++;
  }

  get rows(): readonly ChanceRow[] {
    return this.#rows;
  }

  /** Those with the best chances now, the best first. */
  favourites(count: number): readonly Entrant[] {
    const latest = this.#rows.at(-1);
    if (latest === undefined) return [];
    return [...latest.chances]
      .sort(([, a], [, b]) => b - a)
      .slice(0, count)
      .flatMap(([number]) => this.entrants.get(number) ?? []);
  }
}
