// The position of each driver at the end of each lap; lap 0 is the grid.

import type { ShownUpdate } from '../show/fold.ts';
import { Entrants } from './entrants.ts';
import type { LapChart } from './lap-chart.ts';
import { LapTable } from './lap-table.ts';
import { isOf } from './update-of.ts';

export class PositionsByLap implements LapChart {
  readonly entrants = new Entrants();
  readonly table = new LapTable();
  isRace = true;
  /** Null: not yet. */
  #startedMs: number | null = null;

  reset(): void {
    this.entrants.reset();
    this.table.reset();
    this.isRace = true;
    this.#startedMs = null;
  }

  rewind(toMs: number): void {
    this.table.rewind(toMs);
    if (this.#startedMs !== null && this.#startedMs > toMs) this.#startedMs = null;
  }

  take(update: ShownUpdate): void {
    this.entrants.take(update);
    if (isOf(update, 'session.info')) {
      const { type } = update.payload.data;
      this.isRace = type === null || type === 'Race';
    } else if (isOf(update, 'session.status')) {
      // A session that is joined later may be interrupted, or over.
      if (update.payload.data.status !== 'inactive') this.#startedMs ??= update.atMs;
    } else if (isOf(update, 'timing.data')) {
      for (const { number, position, lapsCompleted } of update.payload.drivers) {
        if (position === null) continue;
        // The state says where the car is now, not where it was at the line.
        if (update.isState && this.table.at(number, lapsCompleted ?? 0) !== null) continue;
        // Until the start, the order on the screen is the grid.
        if (this.#startedMs === null && lapsCompleted === undefined) this.table.set(number, 0, position, update.atMs);
        else if (lapsCompleted !== undefined && lapsCompleted > 0)
          this.table.set(number, lapsCompleted, position, update.atMs);
      }
    } else if (isOf(update, 'timing.lap-series')) {
      // The timing source's own table, where there is one, corrects what the screen showed at that moment.
      for (const { number, lapPositions } of update.payload.drivers)
        for (const { lapsCompleted, position } of lapPositions)
          this.table.set(number, lapsCompleted, position, update.atMs);
    }
  }
}
