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
  #hasStarted = false;

  reset(): void {
    this.entrants.reset();
    this.table.reset();
    this.isRace = true;
    this.#hasStarted = false;
  }

  take(update: ShownUpdate): void {
    this.entrants.take(update);
    if (isOf(update, 'session.info')) {
      const { type } = update.payload.data;
      this.isRace = type === null || type === 'Race';
    } else if (isOf(update, 'session.status')) {
      this.#hasStarted ||= update.payload.data.status === 'started';
    } else if (isOf(update, 'timing.data')) {
      for (const { number, position, lapsCompleted } of update.payload.drivers) {
        if (position === null) continue;
        // Until the start, the order on the screen is the grid.
        if (!this.#hasStarted && lapsCompleted === undefined) this.table.set(number, 0, position);
        else if (lapsCompleted !== undefined && lapsCompleted > 0) this.table.set(number, lapsCompleted, position);
      }
    } else if (isOf(update, 'timing.lap-series')) {
      // The timing source's own table, where there is one, corrects what the screen showed at that moment.
      for (const { number, lapPositions } of update.payload.drivers)
        for (const { lapsCompleted, position } of lapPositions) this.table.set(number, lapsCompleted, position);
    }
  }
}
