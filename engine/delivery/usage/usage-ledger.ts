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
  /** The numbers of the feeds that have counts: a few of all. */
  readonly #counted: number[] = [];

  constructor(accountId: string) {
    this.accountId = accountId;
  }

  get dirty(): boolean {
    return this.#counted.length > 0;
  }

  /**
   * Counts an attempt that has ended. `deliveredAfterMs`: how long its update took; null if not delivered. `isDemo`: it
   * was of the demo session.
   */
  attempt(feed: number, deliveredAfterMs: number | null, isDemo = false): void {
    const base = this.#baseOf(feed);
    this.#counts[base + ATTEMPTS]!++;
    if (isDemo) this.#counts[base + DEMO]!++;
    this.#counts[base + (deliveredAfterMs === null ? FAILED : SUCCEEDED)]!++;
    if (deliveredAfterMs !== null) {
      this.#latency[feed] ??= new LatencySketch();
      this.#latency[feed].add(deliveredAfterMs);
    }
  }

  /** Counts updates that streams have sent. */
  streamed(feed: number, isDemo: boolean, updates: number): void {
    if (updates === 0) return;
    const base = this.#baseOf(feed);
    this.#counts[base + STREAMED]! += updates;
    if (isDemo) this.#counts[base + DEMO_STREAMED]! += updates;
  }

  skipped(feed: number): void {
    this.#counts[this.#baseOf(feed) + SKIPPED]!++;
  }

  /** Moves the sums since the last call to these lists, one entry for each feed that has any. */
  take({ month, day }: Day, usage: UsageDelta[], latency: LatencyDelta[]): void {
    const { accountId } = this;
    const counts = this.#counts;
    for (const feed of this.#counted.sort((a, b) => a - b)) {
      const base = feed * FIELDS;
      const { feedId } = FEEDS[feed]!;
      const streamed = counts[base + STREAMED]!;
      usage.push({
        accountId,
        month,
        day,
        feedId,
        attempts: counts[base + ATTEMPTS]!,
        demo: counts[base + DEMO]!,
        ...(streamed > 0 && { streamed, demoStreamed: counts[base + DEMO_STREAMED]! }),
        succeeded: counts[base + SUCCEEDED]!,
        failed: counts[base + FAILED]!,
        skipped: counts[base + SKIPPED]!,
      });
      counts.fill(0, base, base + FIELDS);
      const latencies = this.#latency[feed]?.take();
      if (latencies !== undefined && latencies.length > 0)
        latency.push({ accountId, month, feedId, counts: latencies });
    }
    this.#counted.length = 0;
  }

  /** Where the counts of a feed begin, which is counted now. */
  #baseOf(feed: number): number {
    const base = feed * FIELDS;
    const counts = this.#counts;
    if (counts[base + ATTEMPTS] === 0 && counts[base + SKIPPED] === 0 && counts[base + STREAMED] === 0)
      this.#counted.push(feed);
    return base;
  }
}
