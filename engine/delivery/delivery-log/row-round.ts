// A round of rows: what waits at its beginning becomes rows a part at a time, so that no commit writes thousands of them. What comes
// meanwhile waits for the next round.

import { assert } from '#engine/base/assert.ts';
import { RECORD_BATCH_MS, RECORD_ROUND_MS } from '#engine/base/limits.ts';

/** Parts of a round: one with each group commit. */
const PARTS_MAX = RECORD_ROUND_MS / RECORD_BATCH_MS;

export class RowRound {
  readonly #part: number;
  #left: number;

  /** A part has `atOnce` rows, or more if the round would have too many parts. */
  constructor(rows: number, atOnce: number) {
    this.#left = rows;
    this.#part = Math.max(atOnce, Math.ceil(rows / PARTS_MAX));
  }

  get isOver(): boolean {
    return this.#left === 0;
  }

  /** Begins the next part, and returns how many rows it has. */
  nextPart(): number {
    assert(this.#left > 0, 'a round that is over has no further part');
    const rows = Math.min(this.#part, this.#left);
    this.#left -= rows;
    return rows;
  }
}
