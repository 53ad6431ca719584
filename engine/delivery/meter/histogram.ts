// Counts values by bucket in cells of a meter. That is cheap enough for every delivery, and the difference of two
// readings describes the time between them.

/** Returns how many cells a histogram needs: one for each bucket, one for values above all bounds, one for the sum. */
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

  /** The number of values in each bucket; the last one is for values above all bounds. */
  get counts(): readonly number[] {
    return Array.from(this.#cells.subarray(this.#first, this.#first + this.bounds.length + 1));
  }

  get sum(): number {
    return this.#cells[this.#first + this.bounds.length + 1]!;
  }
}

/** Returns the value below which this share lies if values spread evenly in each bucket; null without values. */
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
