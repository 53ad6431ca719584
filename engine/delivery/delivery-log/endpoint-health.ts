// How an endpoint fares, in counts between two commits: attempts, successes, latencies, and the last failure. A shard
// owns the endpoint, so nobody else counts it. Of the counts, a crash loses those since the last commit with health;
// attempts and usage are exact without them.

import { type AttemptResult, type FailureCode, isDelivered } from '#engine/delivery/attempt-result.ts';

/** Bounds of the latency buckets grow by this ratio from 1 ms, so that a quantile is within 12 % of the exact one. */
const RATIO = 1.25;
const PER_LOG = 1 / Math.log(RATIO);
/** The last bucket has the deadline of an attempt. */
export const HEALTH_BUCKETS = 43;

/** What a commit adds to the health of an endpoint. */
export interface HealthDelta {
  readonly webhookNo: number;
  /** Unix epoch milliseconds at which it was counted up. */
  readonly atMs: number;
  readonly attempts: number;
  readonly delivered: number;
  /** Latencies of delivered attempts, by bucket, without the empty buckets at the end. */
  readonly counts: readonly number[];
  /** Failed attempts since the last success; all of them if there was none. */
  readonly failuresInRow: number;
  /** Unix epoch milliseconds at which the last failed attempt started; null without one. */
  readonly failedAtMs: number | null;
  /** Why it failed; null if it was answered. */
  readonly failureCode: FailureCode | null;
  /** With which status; null if it was not answered. */
  readonly statusCode: number | null;
}

class HealthCounts implements HealthDelta {
  readonly webhookNo: number;
  atMs = 0;
  attempts = 0;
  delivered = 0;
  failuresInRow = 0;
  failedAtMs: number | null = null;
  failureCode: FailureCode | null = null;
  statusCode: number | null = null;
  readonly counts: number[] = [];

  constructor(webhookNo: number) {
    this.webhookNo = webhookNo;
  }
}

export class HealthLedger {
  readonly #endpoints = new Map<number, HealthCounts>();

  /** Endpoints with counts. */
  get size(): number {
    return this.#endpoints.size;
  }

  attempt(webhookNo: number, result: AttemptResult, latencyMs: number, atMs: number): void {
    let endpoint = this.#endpoints.get(webhookNo);
    if (endpoint === undefined) {
      endpoint = new HealthCounts(webhookNo);
      this.#endpoints.set(webhookNo, endpoint);
    }
    endpoint.attempts++;
    if (isDelivered(result)) {
      endpoint.delivered++;
      endpoint.failuresInRow = 0;
      const { counts } = endpoint;
      const bucket = bucketOf(latencyMs);
      while (counts.length <= bucket) counts.push(0);
      counts[bucket]!++;
    } else {
      endpoint.failuresInRow++;
      endpoint.failedAtMs = atMs;
      endpoint.failureCode = result.kind === 'failed' ? result.code : null;
      endpoint.statusCode = result.kind === 'failed' ? null : result.statusCode;
    }
  }

  /** Moves the counts of so many endpoints to a list, those first that have waited for longest. */
  take(atMs: number, endpoints = this.#endpoints.size): HealthDelta[] {
    const deltas: HealthDelta[] = [];
    for (const counts of this.#endpoints.values()) {
      if (deltas.length === endpoints) break;
      counts.atMs = atMs;
      deltas.push(counts);
      this.#endpoints.delete(counts.webhookNo);
    }
    return deltas;
  }
}

/** Returns the smallest latency (ms) that at least this part did not exceed; null without any. */
export function latencyQuantile(counts: readonly number[], part: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const rank = Math.max(1, Math.ceil(part * total));
  let seen = 0;
  const bucket = counts.findIndex((count) => {
    seen += count;
    return seen >= rank;
  });
  // The value with the same ratio to both bounds.
  return bucket === 0 ? 1 : Math.round(RATIO ** (bucket - 0.5) * 10) / 10;
}

function bucketOf(latencyMs: number): number {
  if (!(latencyMs > 1)) return 0;
  return Math.min(HEALTH_BUCKETS - 1, Math.ceil(Math.log(latencyMs) * PER_LOG));
}
