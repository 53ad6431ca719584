// Keeps the request quotas of a cluster when accounts get another home. Every two seconds a home saves what it has counted
// since, and before it lets go of an account all of it; the next home reads it. No request waits for the database.
//
// QK1 What is saved is added to what other homes have saved: none overwrites another one's count.
// QK2 A home that dies has not saved its last two seconds: those requests count no more.

import type { TimerClock } from '#engine/base/clock.ts';
import { QUOTA_SAVE_MS, QUOTAS_SAVED_MAX } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import type { IsOurs } from './homes.ts';
import type { RequestCount, RequestQuota } from './request-quota.ts';

export interface RequestCountStore {
  /** Adds these requests (QK1). Returns the counts of these accounts then. */
  add(counts: readonly RequestCount[]): Promise<RequestCount[]>;
  /** All counts of the hour. */
  ofHour(hour: number): Promise<RequestCount[]>;
}

export interface QuotaKeeperParts {
  readonly quota: RequestQuota;
  readonly store: RequestCountStore;
  readonly clock: TimerClock;
  readonly log: Log;
}

export class QuotaKeeper {
  readonly #parts: QuotaKeeperParts;
  #stop: () => void = () => {};
  #isFailing = false;
  /** One after the other: what is saved at a handover follows what was under way. */
  #saving: Promise<void> = Promise.resolve();

  constructor(parts: QuotaKeeperParts) {
    this.#parts = parts;
  }

  /** Begins to save. */
  start(): void {
    this.#stop = this.#parts.clock.every(QUOTA_SAVE_MS, () => this.#saveIfPossible());
  }

  /** Saves the rest. Call when no more requests come. Never rejects. */
  async close(): Promise<void> {
    this.#stop();
    await this.#saveIfPossible();
  }

  /** This node is the home of these accounts now. May be called again. */
  async gain(isOurs: IsOurs): Promise<void> {
    const { quota, store } = this.#parts;
    const counts = await store.ofHour(quota.hour);
    quota.learn(counts.filter(({ accountId }) => isOurs(accountId)));
  }

  /** Saves everything. Call before accounts get another home, when no request of theirs is under way. */
  save(): Promise<void> {
    const saving = this.#saving.then(() => this.#saveAll());
    this.#saving = saving.catch(() => {});
    return saving;
  }

  async #saveAll(): Promise<void> {
    const { quota, store } = this.#parts;
    for (;;) {
      const counts = quota.takeUnsaved(QUOTAS_SAVED_MAX);
      if (counts.length === 0) return;
      const saved = await store.add(counts).catch((error: Error) => {
        quota.giveBack(counts);
        throw error;
      });
      quota.learn(saved);
    }
  }

  async #saveIfPossible(): Promise<void> {
    try {
      await this.save();
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing)
        this.#parts.log.warn({ err: error }, 'could not save counts of requests for the next home; trying again');
      this.#isFailing = true;
    }
  }
}
