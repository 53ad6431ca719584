// How long deliveries took, as counts by bucket. The buckets are those of DDSketch (Masson, Rim and Lee, 2019): the
// values in each lie within a fixed ratio of each other. So any quantile is exact to within that ratio, whatever the
// distribution, and a few hundred counts can be added up over time, threads and machines.

import { assert } from '#engine/base/assert.ts';

/** The largest relative error of a quantile. */
export const LATENCY_RELATIVE_ERROR = 0.02;
/** Values beyond these count in the end buckets. The longest delivery is four deadlines and three delays. */
export const LATENCY_MS_MIN = 0.1;
export const LATENCY_MS_MAX = 200_000;

/** Buckets are a little finer than promised, which leaves room for rounding to four digits. */
const BUCKET_ERROR = 0.019;
const GAMMA = (1 + BUCKET_ERROR) / (1 - BUCKET_ERROR);
const PER_LOG = 1 / Math.log(GAMMA);
const LOG_MIN = Math.log(LATENCY_MS_MIN);
export const LATENCY_BUCKETS = Math.ceil((Math.log(LATENCY_MS_MAX) - LOG_MIN) * PER_LOG) + 1;

export class LatencySketch {
  readonly #counts = new Uint32Array(LATENCY_BUCKETS);
  /** Buckets from this one on are empty. */
  #end = 0;

  /** Counts one delivery. Allocates nothing. */
  add(latencyMs: number): void {
    const bucket = bucketOf(latencyMs);
    this.#counts[bucket]!++;
    if (bucket >= this.#end) this.#end = bucket + 1;
  }

  /** Adds the counts of another sketch, as if its values had been added here. */
  merge(counts: ArrayLike<number>): void {
    assert(counts.length <= LATENCY_BUCKETS, 'counts of this sketch');
    for (let bucket = 0; bucket < counts.length; bucket++) this.#counts[bucket]! += counts[bucket]!;
    this.#end = Math.max(this.#end, counts.length);
  }

  /** Returns and clears the counts since the last call, without the empty buckets at the end. */
  take(): Uint32Array {
    const counts = this.#counts.slice(0, this.#end);
    this.#counts.fill(0, 0, this.#end);
    this.#end = 0;
    return counts;
  }

  get sampleCount(): number {
    let sum = 0;
    for (let bucket = 0; bucket < this.#end; bucket++) sum += this.#counts[bucket]!;
    return sum;
  }

  /** Returns the smallest latency (ms) that at least this part of the deliveries did not exceed; 0 without any. */
  quantile(part: number): number {
    const rank = Math.max(1, Math.ceil(part * this.sampleCount));
    let seen = 0;
    for (let bucket = 0; bucket < this.#end; bucket++) {
      seen += this.#counts[bucket]!;
      if (seen >= rank) return middleOf(bucket);
    }
    return 0;
  }
}

function bucketOf(latencyMs: number): number {
  if (!(latencyMs > LATENCY_MS_MIN)) return 0;
  return Math.min(LATENCY_BUCKETS - 1, Math.ceil((Math.log(latencyMs) - LOG_MIN) * PER_LOG));
}

/** Returns the value with the same ratio to both bounds of the bucket. */
function middleOf(bucket: number): number {
  const value = (LATENCY_MS_MIN * 2 * GAMMA ** bucket) / (GAMMA + 1);
  return Number(value.toPrecision(4));
}
