// What a chart by laps is made of: the positions, or the gaps, at the end of each lap.

import type { Fold } from '../show/fold.ts';
import type { Entrant, Entrants } from './entrants.ts';
import type { LapTable } from './lap-table.ts';

export interface LapChart extends Fold {
  readonly entrants: Entrants;
  readonly table: LapTable;
  /** False once the session is known to be no race: laps have no common order then. */
  readonly isRace: boolean;
}

/** The drivers with a line, in their order at the end of the last lap. */
export function drawnEntrants({ entrants, table }: LapChart): readonly Entrant[] {
  return entrants.inOrder().filter(({ number }) => table.has(number));
}
