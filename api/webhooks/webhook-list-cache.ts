// Lists of endpoints as they were answered last: clients look at them far more often than they change. An entry is forgotten
// with every change in this process at once, with changes in another one when the database tells of them, and in any case
// after a while.

import { LRUCache } from 'lru-cache';
import type { Page } from '#api/http/page.ts';
import { accountTtlMs } from '#api/tokens/account-ttl.ts';
import type { Clock } from '#engine/base/clock.ts';
import { ACCOUNT_TTL_MAX_MS, WEBHOOK_LIST_PAGES_MAX, WEBHOOK_LISTS_CACHED_BYTES_MAX } from '#engine/base/limits.ts';

export class WebhookListCache {
  /** By account; by page within. */
  readonly #lists: LRUCache<string, Map<string, string>>;
  #forgotten = 0;

  constructor(clock: Clock) {
    this.#lists = new LRUCache({
      maxSize: WEBHOOK_LISTS_CACHED_BYTES_MAX,
      sizeCalculation: (pages) => [...pages.values()].reduce((sum, text) => sum + 2 * text.length, 64),
      ttl: ACCOUNT_TTL_MAX_MS,
      ttlResolution: 0,
      perf: { now: () => clock.nowMs() },
    });
  }

  /** The answer's text, from `make` unless it is remembered. */
  get(accountId: string, { limit, offset }: Page, make: () => Promise<string>): string | Promise<string> {
    const page = `${limit} ${offset}`;
    return this.#lists.get(accountId)?.get(page) ?? this.#make(accountId, page, make);
  }

  forget(accountId: string): void {
    this.#forgotten++;
    this.#lists.delete(accountId);
  }

  forgetAll(): void {
    this.#forgotten++;
    this.#lists.clear();
  }

  async #make(accountId: string, page: string, make: () => Promise<string>): Promise<string> {
    const forgottenBefore = this.#forgotten;
    const text = await make();
    // What was read before a change must not be remembered after it.
    if (forgottenBefore === this.#forgotten) {
      const pages = this.#lists.get(accountId);
      const kept = pages === undefined || pages.size >= WEBHOOK_LIST_PAGES_MAX ? [] : pages;
      // Set anew, so that its size is counted anew; its age is that of its first page.
      this.#lists.set(accountId, new Map(kept).set(page, text), { ttl: accountTtlMs(accountId), noUpdateTTL: true });
    }
    return text;
  }
}
