// The positions of a timeline that a run sends. Asked for every position of it, so it is a set of bits.

import { assert } from '#engine/base/assert.ts';

export class Selection {
  /** Positions from this one on are not in it. */
  readonly end: number;
  readonly #bits: Uint8Array;

  /** `positions` must rise. */
  constructor(positions: Uint32Array) {
    this.end = positions.length === 0 ? 0 : positions.at(-1)! + 1;
    this.#bits = new Uint8Array((this.end + 7) >>> 3);
    let before = -1;
    for (const position of positions) {
      assert(position > before, 'the positions of a selection rise');
      before = position;
      this.#bits[position >>> 3]! |= 1 << (position & 7);
    }
  }

  has(position: number): boolean {
    return position < this.end && (this.#bits[position >>> 3]! & (1 << (position & 7))) !== 0;
  }
}
