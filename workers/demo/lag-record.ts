// A histogram of delivery lags with buckets of one millisecond: constant memory, and quantiles that are exact to the
// millisecond.

const BUCKETS = 60_001;

export class LagRecord {
  readonly #counts = new Uint32Array(BUCKETS);
  #total = 0;
  #maxMs = 0;

  /** A negative lag counts as 0. All lags above a minute share one bucket. */
  add(lagMs: number): void {
    const ms = Math.min(BUCKETS - 1, Math.max(0, Math.round(lagMs)));
    this.#counts[ms]!++;
    this.#total++;
    this.#maxMs = Math.max(this.#maxMs, lagMs);
  }

  get maxMs(): number {
    return Math.max(0, Math.round(this.#maxMs));
  }

  /** The smallest lag that this share of all lags (0 to 1) does not exceed; 0 when there are none. */
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
