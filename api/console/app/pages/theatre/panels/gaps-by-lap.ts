// The gap of each driver to the leader at the end of each lap, in seconds.

import type { ShownUpdate } from '../show/fold.ts';
import { Entrants } from './entrants.ts';
import type { LapChart } from './lap-chart.ts';
import { LapTable } from './lap-table.ts';
import { isOf } from './update-of.ts';

const GAPS_MAX = 60;

export class GapsByLap implements LapChart {
  readonly entrants = new Entrants();
  readonly table = new LapTable();
  isRace = true;
  /** The latest gap of each driver; null: lapped, or not known. */
  #gaps = new Map<string, number | null>();

  reset(): void {
    this.entrants.reset();
    this.table.reset();
    this.isRace = true;
    this.#gaps = new Map();
  }

  rewind(toMs: number): void {
    this.table.rewind(toMs);
    this.#gaps = new Map();
  }

  take(update: ShownUpdate): void {
    this.entrants.take(update);
    if (isOf(update, 'session.info')) {
      const { type } = update.payload.data;
      this.isRace = type === null || type === 'Race';
    }
    if (!isOf(update, 'timing.data')) return;
    for (const { number, position, gapToLeader, lapsCompleted } of update.payload.drivers) {
      if (gapToLeader !== undefined && (this.#gaps.has(number) || this.#gaps.size < GAPS_MAX))
        this.#gaps.set(number, gapToLeader?.seconds ?? null);
      // A leader's gap is not always sent.
      const gap = position === 1 ? 0 : (this.#gaps.get(number) ?? null);
      // The state says how far behind the car is now, not how far it was at the line.
      if (update.isState && this.table.at(number, lapsCompleted ?? 0) !== null) continue;
      if (lapsCompleted !== undefined && lapsCompleted > 0) this.table.set(number, lapsCompleted, gap, update.atMs);
    }
  }
}
