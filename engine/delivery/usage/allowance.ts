// How many attempts an account may still start this month: one small cell of shared memory in which every shard thread
// and the main thread count. The limit is exact, and an attempt costs no message and no query.
//
// The cell holds the limit and a ring of twelve counts, one for each month of the year. An attempt counts in the month
// in which it starts, so the turn of the month needs no coordination.
//
// W1 One atomic step checks the limit and raises the count. However many threads take attempts, no count exceeds its
//    limit.
// W2 Attempts are counted without a limit too, so a limit that is set later includes them.
// W3 The months ahead are zero. The cell's owner calls `clearAhead` far more often than months turn. It leaves the
//    last, the present and the next month alone, because threads may be counting in them.

import { ALLOWANCE_COUNTED_MAX } from '#engine/base/limits.ts';
import { isIn, MONTHS_OF_YEAR, monthOf } from './month.ts';

/** The limit's index in the cell; the counts follow. */
const LIMIT = 0;
const COUNTS = 1;
const UNLIMITED = -1;

/** Allocates one account's cell, without a limit and with nothing counted. */
export function allowanceCell(): SharedArrayBuffer {
  const cell = new SharedArrayBuffer((COUNTS + MONTHS_OF_YEAR) * Int32Array.BYTES_PER_ELEMENT);
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

  /** Counts an attempt that starts now. Returns false, and counts nothing, if the month has none left. */
  take(wallMs: number): boolean {
    const cell = this.#cell;
    const place = this.#place(wallMs);
    for (let used = Atomics.load(cell, place); ; ) {
      const limit = Atomics.load(cell, LIMIT);
      if (limit !== UNLIMITED && used >= limit) return false;
      if (used >= ALLOWANCE_COUNTED_MAX) return true;
      const found = Atomics.compareExchange(cell, place, used, used + 1);
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

  /** Sets the months after the next one to zero (W3). */
  clearAhead(wallMs: number): void {
    const present = monthOf(wallMs).ofYear;
    for (let ahead = 2; ahead < MONTHS_OF_YEAR - 1; ahead++) {
      Atomics.store(this.#cell, COUNTS + ((present + ahead) % MONTHS_OF_YEAR), 0);
    }
  }

  #place(wallMs: number): number {
    if (!isIn(this.#month, wallMs)) this.#month = monthOf(wallMs);
    return COUNTS + this.#month.ofYear;
  }
}
