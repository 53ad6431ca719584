// Caches lists of endpoints, which clients read far more often than they change. A change in this process removes an
// entry at once, a change in another process when the database reports it, and the TTL in any case.

import { LRUCache } from 'lru-cache';
import type { Page } from '#api/http/page.ts';
import { accountTtlMs } from '#api/tokens/account-ttl.ts';
import type { Clock } from '#engine/base/clock.ts';
import {
  ACCOUNT_TTL_MAX_MS,
  HEALTH_TTL_MS,
  WEBHOOK_LIST_PAGES_MAX,
  WEBHOOK_LISTS_CACHED_BYTES_MAX,
} from '#engine/base/limits.ts';

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

  /** The response text, from the cache or from `make`. */
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
    // A list read before a change must not be cached after it.
    if (forgottenBefore === this.#forgotten) {
      const pages = this.#lists.get(accountId);
      const kept = pages === undefined || pages.size >= WEBHOOK_LIST_PAGES_MAX ? [] : pages;
      // The health of endpoints changes without a notice.
      const ttl = Math.min(accountTtlMs(accountId), HEALTH_TTL_MS);
      // Set anew, so that its size is counted anew; its age is that of its first page.
      this.#lists.set(accountId, new Map(kept).set(page, text), { ttl, noUpdateTTL: true });
    }
    return text;
  }
}
