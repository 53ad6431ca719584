// How long updates of live sessions took from the receipt of their frame to the start of their first attempt: counts by
// bucket in shared memory, one histogram for each shard thread, read by whoever exports them.

/** Upper bounds of the buckets, milliseconds; one more bucket takes everything above. */
export const LAG_BOUNDS_MS = [
  0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 7.5, 10, 20, 50, 100, 250, 500, 1_000, 5_000, 60_000,
] as const;

const BUCKETS = LAG_BOUNDS_MS.length + 1;

/** The memory of one histogram: a count for each bucket, then the sum of all lags in ms; float64 each. */
export function lagMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(8 * (BUCKETS + 1));
}

export class LagHistogram {
  readonly #cells: Float64Array;

  /** Written by one thread at a time. */
  constructor(memory: SharedArrayBuffer) {
    this.#cells = new Float64Array(memory);
  }

  record(lagMs: number): void {
    let bucket = 0;
    while (bucket < BUCKETS - 1 && lagMs > LAG_BOUNDS_MS[bucket]!) bucket++;
    this.#cells[bucket]!++;
    this.#cells[BUCKETS]! += lagMs;
  }

  /** Lags in each bucket, the last one for those above all bounds. */
  get counts(): readonly number[] {
    return Array.from(this.#cells.subarray(0, BUCKETS));
  }

  /** Milliseconds. */
  get sumMs(): number {
    return this.#cells[BUCKETS]!;
  }
}
