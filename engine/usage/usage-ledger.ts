// What an account's attempts add up to between two group commits, by feed. Whole numbers in a typed array: counting costs
// no allocation, and the sums leave with the same batch as the attempts themselves (I10).

import type { UsageDelta } from '#engine/record/record-store.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';

const ATTEMPTS = 0;
const SUCCEEDED = 1;
const FAILED = 2;
const SKIPPED = 3;
const FIELDS = 4;

export class UsageLedger {
  readonly accountId: string;
  /** Who counts on it. */
  holders = 0;
  readonly #counts = new Uint32Array(FEEDS.length * FIELDS);
  #dirty = false;

  constructor(accountId: string) {
    this.accountId = accountId;
  }

  get dirty(): boolean {
    return this.#dirty;
  }

  attempt(feed: number, succeeded: boolean): void {
    this.#counts[feed * FIELDS + ATTEMPTS]!++;
    this.#counts[feed * FIELDS + (succeeded ? SUCCEEDED : FAILED)]!++;
    this.#dirty = true;
  }

  skipped(feed: number): void {
    this.#counts[feed * FIELDS + SKIPPED]!++;
    this.#dirty = true;
  }

  /** The sums since the last call, one entry for each feed that has any. `month` is its first day. */
  take(month: string): UsageDelta[] {
    const deltas: UsageDelta[] = [];
    FEEDS.forEach(({ feedId }, feed) => {
      const base = feed * FIELDS;
      const [attempts, succeeded, failed, skipped] = this.#counts.subarray(base, base + FIELDS) as unknown as number[];
      if (attempts === 0 && skipped === 0) return;
      deltas.push({
        accountId: this.accountId,
        month,
        feedId,
        attempts: attempts!,
        succeeded: succeeded!,
        failed: failed!,
        skipped: skipped!,
      });
    });
    this.#counts.fill(0);
    this.#dirty = false;
    return deltas;
  }
}
