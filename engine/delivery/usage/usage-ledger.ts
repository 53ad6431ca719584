// An account's attempts and latencies between two group commits, by feed. Typed arrays hold the counts, so counting
// allocates nothing. The sums are recorded in the same batch as the attempts themselves (I10).

import { FEEDS } from '#schemas/webhook/feeds.ts';
import type { Day } from './day.ts';
import { LatencySketch } from './latency-sketch.ts';
import type { LatencyDelta, UsageDelta } from './usage-delta.ts';

const ATTEMPTS = 0;
const SUCCEEDED = 1;
const FAILED = 2;
const SKIPPED = 3;
const DEMO = 4;
const STREAMED = 5;
const DEMO_STREAMED = 6;
const FIELDS = 7;

export class UsageLedger {
  readonly accountId: string;
  /** How many actors and tests use it. */
  holders = 0;
  readonly #counts = new Uint32Array(FEEDS.length * FIELDS);
  /** By feed number; made for a feed's first delivery. */
  readonly #latency: (LatencySketch | undefined)[] = [];
  #dirty = false;

  constructor(accountId: string) {
    this.accountId = accountId;
  }

  get dirty(): boolean {
    return this.#dirty;
  }

  /**
   * Counts an attempt that has ended. `deliveredAfterMs`: how long its update took; null if not delivered. `isDemo`: it
   * was of the demo session.
   */
  attempt(feed: number, deliveredAfterMs: number | null, isDemo = false): void {
    this.#counts[feed * FIELDS + ATTEMPTS]!++;
    if (isDemo) this.#counts[feed * FIELDS + DEMO]!++;
    this.#counts[feed * FIELDS + (deliveredAfterMs === null ? FAILED : SUCCEEDED)]!++;
    if (deliveredAfterMs !== null) {
      this.#latency[feed] ??= new LatencySketch();
      this.#latency[feed].add(deliveredAfterMs);
    }
    this.#dirty = true;
  }

  /** Counts updates that streams have sent. */
  streamed(feed: number, isDemo: boolean, updates: number): void {
    this.#counts[feed * FIELDS + STREAMED]! += updates;
    if (isDemo) this.#counts[feed * FIELDS + DEMO_STREAMED]! += updates;
    this.#dirty = true;
  }

  skipped(feed: number): void {
    this.#counts[feed * FIELDS + SKIPPED]!++;
    this.#dirty = true;
  }

  /** Moves the sums since the last call to these lists, one entry for each feed that has any. */
  take({ month, day }: Day, usage: UsageDelta[], latency: LatencyDelta[]): void {
    const { accountId } = this;
    FEEDS.forEach(({ feedId }, feed) => {
      const base = feed * FIELDS;
      const counted = this.#counts.subarray(base, base + FIELDS) as unknown as number[];
      const [attempts, succeeded, failed, skipped, demo, streamed, demoStreamed] = counted;
      if (attempts === 0 && skipped === 0 && streamed === 0) return;
      usage.push({
        accountId,
        month,
        day,
        feedId,
        attempts: attempts!,
        demo: demo!,
        ...(streamed! > 0 && { streamed: streamed!, demoStreamed: demoStreamed! }),
        succeeded: succeeded!,
        failed: failed!,
        skipped: skipped!,
      });
      const counts = this.#latency[feed]?.take();
      if (counts !== undefined && counts.length > 0) latency.push({ accountId, month, feedId, counts });
    });
    this.#counts.fill(0);
    this.#dirty = false;
  }
}
