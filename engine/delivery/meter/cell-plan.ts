// Assigns the cells of a meter. Cells are numbers in shared memory. One thread writes them with plain stores, any
// thread may read them. A float64 is read and written as a whole; a reader between two stores sees the second one a
// moment later.

export class CellPlan {
  #size = 0;

  /** Reserves `count` cells and returns the index of the first. */
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
