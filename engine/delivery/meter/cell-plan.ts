// Which cells of a meter are for what. Cells are numbers in shared memory, written by one thread with plain stores and read by
// any other: a float64 is read and written whole, and who reads between two stores sees the second a moment later.

export class CellPlan {
  #size = 0;

  /** The first of `count` cells that are for nothing else. */
  take(count: number): number {
    const first = this.#size;
    this.#size += count;
    return first;
  }

  get size(): number {
    return this.#size;
  }

  memory(): SharedArrayBuffer {
    return new SharedArrayBuffer(this.#size * Float64Array.BYTES_PER_ELEMENT);
  }
}
