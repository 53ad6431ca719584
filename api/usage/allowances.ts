// The monthly allowances of accounts that are delivering. A run or a test holds its account's cell of shared memory
// (engine/delivery/usage/allowance.ts) until all its attempts are recorded.
//
// M1 While an account is held, it has exactly one cell for its month and one for the demo session. Every attempt of the
//    account takes from the one that is for it.
// M2 A holder releases once each attempt that took from the cell is committed or never will be: a run when it has
//    settled, which implies committed; a test after its commit. So without holders the database is complete, and the
//    first holder reads it while no attempt of the account is under way: every month of it, because a clock that has
//    jumped shows another month, and then the true one again.
// M3 An attempt takes from the cell before it starts, and gives back only if it will never be recorded. So the attempts
//    of a month in the delivery log never exceed the limit. What a dead shard thread took but did not record counts as
//    used until the last holder releases; the next holder reads the database again.
// M4 Counting does not depend on the limit, so a new plan or spend cap only replaces the limit.
// M5 Attempts of the demo session count as usage, and in their own cell only. So they leave the month's as it was.

import { TERMS } from '#api/plans/plan.ts';
import { assert } from '#engine/base/assert.ts';
import type { Clock } from '#engine/base/clock.ts';
import { Allowance, allowanceCell } from '#engine/delivery/usage/allowance.ts';
import { monthOf } from '#engine/delivery/usage/month.ts';
import { type BucketTerms, bucketSize } from './bucket.ts';
import type { UsageStore, UsageTotals } from './usage-store.ts';

/** The bucket of a held account. */
export interface Bucket {
  readonly accountId: string;
  readonly allowance: Allowance;
  readonly terms: BucketTerms;
}

/** What an attempt takes from: the month's bucket, or what the demo session may have beside it (M5). */
export type Purse = 'month' | 'demo';

interface Counted {
  readonly cell: SharedArrayBuffer;
  readonly allowance: Allowance;
}

interface Held extends Record<Purse, Counted> {
  readonly accountId: string;
  /** Null until loaded, and if the account is gone. */
  terms: BucketTerms | null;
  holders: number;
  readonly loaded: Promise<void>;
  /** Reloads run one after the other, so the latest read wins. */
  reloaded: Promise<void>;
}

export class Allowances {
  readonly #store: Pick<UsageStore, 'totals' | 'attemptsByMonth'>;
  readonly #clock: Clock;
  readonly #held = new Map<string, Held>();
  #released: (bucket: Bucket) => void = () => {};

  constructor(store: Pick<UsageStore, 'totals' | 'attemptsByMonth'>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Resolves with a cell of the account. The caller must release it once, unless this rejects. */
  async hold(accountId: string, purse: Purse = 'month'): Promise<SharedArrayBuffer> {
    const held = this.#held.get(accountId) ?? this.#open(accountId);
    held.holders++;
    await held.loaded;
    return held[purse].cell;
  }

  /** The release by the last holder drops the cell. */
  release(accountId: string): void {
    const held = this.#held.get(accountId);
    assert(held !== undefined, 'M1: only a held account is released');
    held.holders--;
    if (held.holders > 0) return;
    this.#held.delete(accountId);
    const bucket = bucketOf(held);
    if (bucket !== null) this.#released(bucket);
  }

  /** Whether any of these accounts is held. */
  holdsAny(isTheirs: (accountId: string) => boolean): boolean {
    for (const accountId of this.#held.keys()) if (isTheirs(accountId)) return true;
    return false;
  }

  isHeld(accountId: string): boolean {
    return this.#held.has(accountId);
  }

  /** Applies a changed plan or spend cap. */
  reload(accountId: string): Promise<void> {
    const held = this.#held.get(accountId);
    if (held === undefined) return Promise.resolve();
    const before = held.reloaded.catch(() => held.loaded);
    held.reloaded = before.then(async () => this.#apply(held, await this.#totals(accountId, this.#clock.wallMs())));
    return held.reloaded;
  }

  /** The held buckets. */
  buckets(): Bucket[] {
    return [...this.#held.values()].flatMap((held) => bucketOf(held) ?? []);
  }

  /** How many attempts a held account has left this month; Infinity if there is no limit. */
  left(accountId: string, purse: Purse): number {
    const held = this.#held.get(accountId);
    assert(held !== undefined, 'M1: what is left is known of held accounts');
    if (held.terms === null) return 0;
    return Math.max(0, limitOf(purse, held.terms) - held[purse].allowance.used(this.#clock.wallMs()));
  }

  /** Calls back with the bucket of each account that its last holder releases. Set once. */
  onReleased(released: (bucket: Bucket) => void): void {
    this.#released = released;
  }

  #open(accountId: string): Held {
    // All months, not only the clock's: it may show another one at any moment.
    const loaded = Promise.all([
      this.#totals(accountId, this.#clock.wallMs()),
      this.#store.attemptsByMonth(accountId),
    ]).then(
      ([totals, months]) => {
        for (const { month, attempts, demoAttempts = 0 } of months) {
          held.month.allowance.begin(Date.parse(month), attempts - demoAttempts);
          held.demo.allowance.begin(Date.parse(month), demoAttempts);
        }
        this.#apply(held, totals);
      },
      (error: Error) => {
        // All waiting holders fail and hold nothing. The next one tries again.
        this.#held.delete(accountId);
        throw error;
      },
    );
    const held: Held = {
      accountId,
      month: counted(),
      demo: counted(),
      terms: null,
      holders: 0,
      loaded,
      reloaded: loaded,
    };
    this.#held.set(accountId, held);
    return held;
  }

  #totals(accountId: string, wallMs: number): Promise<UsageTotals | null> {
    return this.#store.totals(accountId, monthOf(wallMs).firstDay);
  }

  /** An account that is gone gets a limit of 0, so it starts no more attempts. */
  #apply(held: Held, terms: BucketTerms | null): void {
    held.terms = terms;
    for (const purse of ['month', 'demo'] as const)
      held[purse].allowance.limit(terms === null ? 0 : limitOf(purse, terms));
  }
}

function counted(): Counted {
  const cell = allowanceCell();
  return { cell, allowance: new Allowance(cell) };
}

function limitOf(purse: Purse, terms: BucketTerms): number {
  return purse === 'demo' ? TERMS[terms.plan].demoDeliveriesPerMonth : bucketSize(terms).allowed;
}

/** Null for an account that is gone. */
function bucketOf({ accountId, month, terms }: Held): Bucket | null {
  return terms === null ? null : { accountId, allowance: month.allowance, terms };
}
