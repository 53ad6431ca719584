// How late deliveries came: milliseconds, counted in buckets of one millisecond, so that any number of them takes the
// same memory and quantiles are exact to the millisecond.

const BUCKETS = 60_001;

export class LagRecord {
  readonly #counts = new Uint32Array(BUCKETS);
  #total = 0;
  #maxMs = 0;

  /** An early one counts as 0; everything beyond a minute shares one bucket. */
  add(lagMs: number): void {
    const ms = Math.min(BUCKETS - 1, Math.max(0, Math.round(lagMs)));
    this.#counts[ms]!++;
    this.#total++;
    this.#maxMs = Math.max(this.#maxMs, lagMs);
  }

  get maxMs(): number {
    return Math.max(0, Math.round(this.#maxMs));
  }

  /** The smallest value that this share (0 to 1) of all does not exceed; 0 without any. */
  quantileMs(share: number): number {
    const rank = Math.ceil(this.#total * share);
    let seen = 0;
    for (let ms = 0; ms < BUCKETS && rank > 0; ms++) {
      seen += this.#counts[ms]!;
      if (seen >= rank) return ms;
    }
    return 0;
  }

  clear(): void {
    this.#counts.fill(0);
    this.#total = 0;
    this.#maxMs = 0;
  }
}
