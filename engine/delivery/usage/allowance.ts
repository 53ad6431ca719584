// How many attempts an account may still start this month: one small cell of shared memory that every shard thread and the
// main thread count in, so that the last attempt of a bucket is exactly the last one, without a message or a query for any.
//
// The cell holds the limit and a ring of twelve counts, one for each month of the year. An attempt is counted in the month
// in which it starts, so the turn of the month needs no coordination.
//
// W1 A count is raised by one step that also checks the limit; so however many threads take, no count passes its limit.
// W2 Every attempt is counted, with no limit as well; so a limit that is set later knows what was used before it.
// W3 The months ahead are zero: `clearAhead` is called, by the cell's owner, far more often than months turn, and it leaves
//    the last, the present and the next month alone, in which threads may be counting.

import { ALLOWANCE_COUNTED_MAX } from '#engine/base/limits.ts';
import { isIn, MONTHS_OF_YEAR, monthOf } from './month.ts';

/** The limit's place in the cell; the counts follow. */
const LIMIT = 0;
const COUNTS = 1;
const UNLIMITED = -1;

/** Memory for one account's cell, with no limit and nothing counted. */
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

  /** Attempts that any one month may have; Infinity: no limit. Applies at once, on every thread. */
  limit(attempts: number): void {
    Atomics.store(this.#cell, LIMIT, attempts < ALLOWANCE_COUNTED_MAX ? attempts : UNLIMITED);
  }

  /** What was used of a month before anybody took from this cell. */
  begin(wallMs: number, attempts: number): void {
    Atomics.store(this.#cell, this.#place(wallMs), Math.min(attempts, ALLOWANCE_COUNTED_MAX));
  }

  /** Counts an attempt that starts now; false, and nothing is counted, when the month has none left. */
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

  /** An attempt that was taken at `wallMs` will never be recorded. */
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

  /** Empties the months that come after the next one (W3). */
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
