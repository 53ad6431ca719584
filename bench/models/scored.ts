// A forecast of one race from a table of laps, with the losses of the model and of its simple rule.

import type { TableRace } from '#bench/laps/lap-tables.ts';

export interface Scored {
  readonly race: TableRace;
  readonly loss: number;
  readonly simple: number;
  /** Null: no chances. */
  readonly told: number | null;
  readonly happened: number | null;
}
