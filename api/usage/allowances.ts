// The monthly allowances of accounts that deliver at the moment: who starts attempts holds the account's cell of shared
// memory (engine/delivery/usage/allowance.ts) for as long as any of them may still be recorded.
//
// M1 While anybody holds an account there is one cell of it, and every attempt of the account takes from that cell.
// M2 A holder releases when each attempt that took from the cell is written down or never will be: a run when it has
//    settled, which implies written, and a test delivery after its commit. So when nobody holds, the database is the whole
//    truth, and the first holder reads it while nothing of the account is under way.
// M3 Taken comes before started, and only what will never be recorded is given back. So the attempts of a month in the
//    delivery log never pass the limit. What a dead shard thread took and did not record counts as used until the last
//    holder releases; the next one reads the truth again.
// M4 The count goes on under any limit, so a new plan or spend cap only replaces the limit.

import { assert } from '#engine/base/assert.ts';
import type { Clock } from '#engine/base/clock.ts';
import { Allowance, allowanceCell } from '#engine/delivery/usage/allowance.ts';
import { monthOf } from '#engine/delivery/usage/month.ts';
import { type BucketTerms, bucketSize } from './bucket.ts';
import type { UsageStore, UsageTotals } from './usage-store.ts';

/** The bucket of an account that is held. */
export interface Bucket {
  readonly accountId: string;
  readonly allowance: Allowance;
  readonly terms: BucketTerms;
}

interface Held {
  readonly accountId: string;
  readonly cell: SharedArrayBuffer;
  readonly allowance: Allowance;
  /** Null until they are loaded, and when the account is gone. */
  terms: BucketTerms | null;
  holders: number;
  readonly loaded: Promise<void>;
  /** Terms are read again one after the other, so that what was read last is what counts. */
  reloaded: Promise<void>;
}

export class Allowances {
  readonly #store: Pick<UsageStore, 'totals'>;
  readonly #clock: Clock;
  readonly #held = new Map<string, Held>();
  #released: (bucket: Bucket) => void = () => {};

  constructor(store: Pick<UsageStore, 'totals'>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The account's cell; to be released once unless this rejects. */
  async hold(accountId: string): Promise<SharedArrayBuffer> {
    const held = this.#held.get(accountId) ?? this.#open(accountId);
    held.holders++;
    await held.loaded;
    return held.cell;
  }

  /** The last holder drops the cell. */
  release(accountId: string): void {
    const held = this.#held.get(accountId);
    assert(held !== undefined, 'M1: what is released is held');
    held.holders--;
    if (held.holders > 0) return;
    this.#held.delete(accountId);
    if (held.terms !== null) this.#released({ ...held, terms: held.terms });
  }

  isHeld(accountId: string): boolean {
    return this.#held.has(accountId);
  }

  /** Puts a changed plan or spend cap into force. */
  reload(accountId: string): Promise<void> {
    const held = this.#held.get(accountId);
    if (held === undefined) return Promise.resolve();
    const before = held.reloaded.catch(() => held.loaded);
    held.reloaded = before.then(async () => this.#apply(held, await this.#totals(accountId, this.#clock.wallMs())));
    return held.reloaded;
  }

  /** The buckets that are held. Also empties the months ahead (W3), so it is to be called more often than months turn. */
  buckets(): Bucket[] {
    const nowMs = this.#clock.wallMs();
    const buckets: Bucket[] = [];
    for (const held of this.#held.values()) {
      held.allowance.clearAhead(nowMs);
      if (held.terms !== null) buckets.push({ ...held, terms: held.terms });
    }
    return buckets;
  }

  /** Calls back with the bucket of every account whose last holder has released it; set once. */
  onReleased(released: (bucket: Bucket) => void): void {
    this.#released = released;
  }

  #open(accountId: string): Held {
    const cell = allowanceCell();
    // Should the month turn while this is read, the new one begins with nothing.
    const nowMs = this.#clock.wallMs();
    const loaded = this.#totals(accountId, nowMs).then(
      (totals) => {
        held.allowance.begin(nowMs, totals?.attempts ?? 0);
        this.#apply(held, totals);
      },
      (error: Error) => {
        // Who waits for it is refused and holds nothing; the next one tries again.
        this.#held.delete(accountId);
        throw error;
      },
    );
    const allowance = new Allowance(cell);
    const held: Held = { accountId, cell, allowance, terms: null, holders: 0, loaded, reloaded: loaded };
    this.#held.set(accountId, held);
    return held;
  }

  #totals(accountId: string, wallMs: number): Promise<UsageTotals | null> {
    return this.#store.totals(accountId, monthOf(wallMs).firstDay);
  }

  /** An account that is gone starts nothing more. */
  #apply(held: Held, terms: BucketTerms | null): void {
    held.terms = terms;
    held.allowance.limit(terms === null ? 0 : bucketSize(terms).allowed);
  }
}
