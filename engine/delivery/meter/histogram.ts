// Values counted by bucket in cells of a meter: cheap enough for every delivery, and differences of two readings tell of any
// span of time.

/** A cell for each bucket, one for values above all bounds, one for the sum. */
export const histogramCells = (bounds: readonly number[]): number => bounds.length + 2;

export class Histogram {
  /** Upper bounds of the buckets, rising. */
  readonly bounds: readonly number[];
  readonly #cells: Float64Array;
  readonly #first: number;

  constructor(bounds: readonly number[], cells: Float64Array, first: number) {
    this.bounds = bounds;
    this.#cells = cells;
    this.#first = first;
  }

  record(value: number): void {
    const { bounds } = this;
    let bucket = 0;
    while (bucket < bounds.length && value > bounds[bucket]!) bucket++;
    this.#cells[this.#first + bucket]!++;
    this.#cells[this.#first + bounds.length + 1]! += value;
  }

  /** Values in each bucket, the last one for those above all bounds. */
  get counts(): readonly number[] {
    return Array.from(this.#cells.subarray(this.#first, this.#first + this.bounds.length + 1));
  }

  get sum(): number {
    return this.#cells[this.#first + this.bounds.length + 1]!;
  }
}

/** The value below which this share of what is counted lies, as if values were spread evenly in each bucket; null of none. */
export function quantile(bounds: readonly number[], counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let left = share * total;
  for (const [bucket, bound] of bounds.entries()) {
    const count = counts[bucket]!;
    if (left <= count) {
      const from = bounds[bucket - 1] ?? 0;
      return from + (bound - from) * (count === 0 ? 1 : left / count);
    }
    left -= count;
  }
  return bounds.at(-1)!;
}
