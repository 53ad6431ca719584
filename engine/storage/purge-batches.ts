// Removes many rows in batches, so that no statement holds locks or the disk for long. After each batch it pauses for
// as long as the batch took: others get at least half of the database's time.

import type { TimerClock } from '#engine/base/clock.ts';
import { PURGE_BATCHES_MAX } from '#engine/base/limits.ts';

export interface Pace {
  readonly clock: TimerClock;
  /** Whether the database is being closed. Then no further batch begins. */
  readonly isClosing: () => boolean;
}

/**
 * Repeats `batch`, which returns how many rows it removed, until it removes none. Returns the sum. After
 * PURGE_BATCHES_MAX the rest is left to the next pass.
 */
export async function inBatches(batch: () => Promise<number>, { clock, isClosing }: Pace): Promise<number> {
  let removed = 0;
  for (let made = 0; made < PURGE_BATCHES_MAX && !isClosing(); made++) {
    const beganMs = clock.nowMs();
    const rows = await batch();
    if (rows === 0) break;
    removed += rows;
    await clock.sleep(clock.nowMs() - beganMs);
  }
  return removed;
}
