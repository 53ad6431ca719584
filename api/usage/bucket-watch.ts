// Watches the buckets of accounts that are delivering, and sends each warning once. It reads the counts in shared
// memory every second, and once more when an account is released, so deliveries and emails never wait for each other.
//
// BW1 The service that claims a warning in the database sends it. If sending fails, it returns the claim and retries
//    after a pause, even if the account has been released meanwhile. A change of plan or spend cap returns the claims of the
//    levels that it moves, in its own statement or transaction.
// BW2 The queue is bounded (I2), and checks never overlap.

import { LRUCache } from 'lru-cache';
import type { Mailer } from '#api/mail/mailer.ts';
import type { TimerClock } from '#engine/base/clock.ts';
import {
  BUCKET_WARNING_RETRY_MS,
  BUCKET_WARNINGS_AT_ONCE_MAX,
  BUCKET_WARNINGS_CACHED_MAX,
  BUCKET_WARNINGS_WAITING_MAX,
} from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import { isIn, monthOf } from '#engine/delivery/usage/month.ts';
import type { Allowances, Bucket } from './allowances.ts';
import { type BucketWarning, levelsReached, warningMail } from './bucket-warning.ts';
import type { BucketWarningStore } from './bucket-warning-store.ts';

export interface BucketWatchParts {
  readonly allowances: Allowances;
  readonly store: BucketWarningStore;
  readonly mailer: Mailer;
  readonly clock: TimerClock;
  readonly log: Log;
}

interface Waiting extends BucketWarning {
  /** The recipient, once the warning is claimed. */
  email: string | null;
  /** On the monotonic clock. */
  notBeforeMs: number;
}

/** How often the buckets are checked. */
export const BUCKET_WATCH_MS = 1_000;

export class BucketWatch {
  readonly #parts: BucketWatchParts;
  /** By account, month, level and how many attempts reach it. */
  readonly #waiting = new Map<string, Waiting>();
  /** Warnings that were sent, or that have no recipient. */
  readonly #settled = new LRUCache<string, true>({ max: BUCKET_WARNINGS_CACHED_MAX });
  #cancelLook: () => void = () => {};
  #looking: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(parts: BucketWatchParts) {
    this.#parts = parts;
    parts.allowances.onReleased((bucket) => this.#check(bucket));
  }

  /** Starts to watch. */
  start(): void {
    this.#cancelLook = this.#parts.clock.schedule(BUCKET_WATCH_MS, () => {
      this.#looking = this.#look().then(() => {
        if (!this.#closed) this.start();
      });
    });
  }

  /** Stops, and resolves when the emails under way are done. */
  close(): Promise<void> {
    this.#closed = true;
    this.#cancelLook();
    return this.#looking;
  }

  async #look(): Promise<void> {
    for (const bucket of this.#parts.allowances.buckets()) this.#check(bucket);
    const nowMs = this.#parts.clock.nowMs();
    const due = [...this.#waiting].filter(([, { notBeforeMs }]) => notBeforeMs <= nowMs);
    const next = due.slice(0, BUCKET_WARNINGS_AT_ONCE_MAX);
    const byAccount = Map.groupBy(next, ([, { accountId }]) => accountId);
    await Promise.all(
      [...byAccount.values()].map(async (warnings) => {
        for (const [key, warning] of warnings) await this.#settle(key, warning);
      }),
    );
  }

  #check({ accountId, allowance, terms }: Bucket): void {
    const nowMs = this.#parts.clock.wallMs();
    const month = monthOf(nowMs);
    const used = allowance.used(nowMs);
    for (const { level, at } of levelsReached(terms, used)) {
      const key = `${accountId} ${month.firstDay} ${level} ${at}`;
      if (this.#settled.has(key) || this.#waiting.has(key)) continue;
      if (this.#waiting.size >= BUCKET_WARNINGS_WAITING_MAX) return;
      this.#waiting.set(key, { accountId, month, level, used, terms, email: null, notBeforeMs: 0 });
    }
  }

  async #settle(key: string, warning: Waiting): Promise<void> {
    try {
      // A warning that could not be sent in its month is dropped.
      if (isIn(warning.month, this.#parts.clock.wallMs())) await this.#mail(warning);
      this.#settled.set(key, true);
      this.#waiting.delete(key);
    } catch (error) {
      const { accountId, level } = warning;
      this.#parts.log.warn({ accountId, level, err: error }, 'could not send a bucket warning yet; it is retried');
      warning.notBeforeMs = this.#parts.clock.nowMs() + BUCKET_WARNING_RETRY_MS;
    }
  }

  async #mail(warning: Waiting): Promise<void> {
    const { store, mailer } = this.#parts;
    const { accountId, level, month } = warning;
    warning.email ??= await store.claim(accountId, month.firstDay, level);
    if (warning.email === null) return;
    try {
      const kind = `bucket-${level.replace('_', '-')}`;
      await mailer.send({ kind, to: warning.email, ...warningMail(warning) });
    } catch (error) {
      // If this fails too, this service keeps the claim for its next try.
      await store.giveBack(accountId, month.firstDay, level);
      warning.email = null;
      throw error;
    }
  }
}
