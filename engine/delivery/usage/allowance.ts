// How many attempts an account may still start this month: one small cell of shared memory in which every shard thread
// and the main thread count. The limit is exact, and an attempt costs no message and no query.
//
// The cell holds the limit and a count for each month. An attempt counts in the month in which it starts, so neither the
// turn of the month nor a clock that jumps into another month and comes back needs any coordination.
//
// W1 One atomic step checks the limit and raises the count. However many threads take attempts, no count exceeds its
//    limit.
// W2 Attempts are counted without a limit too, so a limit that is set later includes them.
// W3 Every month that a clock may show has a place of its own, which begins with what the database holds of it and is
//    never cleared.

import { ALLOWANCE_COUNTED_MAX, ALLOWANCE_MONTHS_MAX } from '#engine/base/limits.ts';
import { isIn, monthOf } from './month.ts';

/** The limit's index in the cell; the counts follow. */
const LIMIT = 0;
const COUNTS = 1;
const UNLIMITED = -1;

/** Allocates one account's cell, without a limit and with nothing counted. */
export function allowanceCell(): SharedArrayBuffer {
  const cell = new SharedArrayBuffer((COUNTS + ALLOWANCE_MONTHS_MAX) * Int32Array.BYTES_PER_ELEMENT);
  new Int32Array(cell)[LIMIT] = UNLIMITED;
  return cell;
}

export class Allowance {
  readonly #cell: Int32Array;
  #month = monthOf(0);

  constructor(cell: SharedArrayBuffer) {
    this.#cell = new Int32Array(cell);
  }

  /** Sets how many attempts each month may have; Infinity for no limit. Applies at once, on every thread. */
  limit(attempts: number): void {
    Atomics.store(this.#cell, LIMIT, attempts < ALLOWANCE_COUNTED_MAX ? attempts : UNLIMITED);
  }

  /** Sets a month's count before any thread takes from this cell. */
  begin(wallMs: number, attempts: number): void {
    Atomics.store(this.#cell, this.#place(wallMs), Math.min(attempts, ALLOWANCE_COUNTED_MAX));
  }

  /** Counts an attempt that starts now, or several. Returns false, and counts nothing, if the month has fewer left. */
  take(wallMs: number, attempts = 1): boolean {
    const cell = this.#cell;
    const place = this.#place(wallMs);
    for (let used = Atomics.load(cell, place); ; ) {
      const limit = Atomics.load(cell, LIMIT);
      if (limit !== UNLIMITED && used + attempts > limit) return false;
      if (used + attempts > ALLOWANCE_COUNTED_MAX) return true;
      const found = Atomics.compareExchange(cell, place, used, used + attempts);
      if (found === used) return true;
      used = found;
    }
  }

  /** Gives back an attempt that was taken at `wallMs` and will never be recorded. */
  giveBack(wallMs: number): void {
    Atomics.sub(this.#cell, this.#place(wallMs), 1);
  }

  /** Whether the month has none left. */
  exhausted(wallMs: number): boolean {
    const limit = Atomics.load(this.#cell, LIMIT);
    return limit !== UNLIMITED && Atomics.load(this.#cell, this.#place(wallMs)) >= limit;
  }

  used(wallMs: number): number {
    return Atomics.load(this.#cell, this.#place(wallMs));
  }

  #place(wallMs: number): number {
    if (!isIn(this.#month, wallMs)) this.#month = monthOf(wallMs);
    return COUNTS + (this.#month.number & (ALLOWANCE_MONTHS_MAX - 1));
  }
}
