// The positions of a timeline that a run sends. Asked for every position of it, so it is a set of bits. The snapshots that it
// sends are a list.

import { assert } from '#engine/base/assert.ts';
import { placeOf, SNAPSHOTS_FROM } from '#engine/timeline/snapshot-number.ts';

export class Selection {
  /** Positions from this one on are not in it. */
  readonly end: number;
  /** Their numbers, in the order of the timeline. */
  readonly snapshots: readonly number[];
  readonly #bits: Uint8Array;

  /** `chosen`, positions and numbers of snapshots, must rise. */
  constructor(chosen: Uint32Array) {
    const positions = chosen.filter((position) => position < SNAPSHOTS_FROM);
    this.snapshots = Array.from(chosen.subarray(positions.length)).sort((a, b) => placeOf(a) - placeOf(b) || a - b);
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
