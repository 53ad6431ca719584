// What a deriver needs of a timeline.

import type { RosterDriver } from './roster.ts';
import type { Update } from './update.ts';

export interface UpdateSink {
  /** Sets the time from which the timeline counts. Comes before the first update. */
  start(utcMs: number): void;
  /** Sets the drivers known from the next update on. */
  roster(drivers: Iterable<RosterDriver>): void;
  append(update: Update): void;
}
