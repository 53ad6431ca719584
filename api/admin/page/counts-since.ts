// What histograms have counted since they were last looked at: the difference of two readings.

import { type Histogram, quantile } from '#engine/delivery/meter/histogram.ts';

export class CountsSince {
  readonly #bounds: readonly number[];
  readonly #histograms: readonly Histogram[];
  #before: number[];

  /** The histograms have the same bounds. Their counts are added up. */
  constructor(histograms: readonly [Histogram, ...Histogram[]]) {
    this.#histograms = histograms;
    this.#bounds = histograms[0].bounds;
    this.#before = this.#counts();
  }

  /** Returns quantiles by share, of what was counted since the last call; null where nothing was. */
  take(): (share: number) => number | null {
    const now = this.#counts();
    const counts = now.map((count, bucket) => count - this.#before[bucket]!);
    this.#before = now;
    return (share) => quantile(this.#bounds, counts, share);
  }

  #counts(): number[] {
    const counts = this.#histograms.map((histogram) => histogram.counts);
    return counts[0]!.map((_, bucket) => counts.reduce((sum, of) => sum + of[bucket]!, 0));
  }
}
