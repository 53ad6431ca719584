// Weekends of the race history, cached until another history is imported.

import { LRUCache } from 'lru-cache';
import { WEEKENDS_CACHED_MAX } from '#engine/base/limits.ts';
import type { HistoryStore, NamedWeekend } from '#engine/seasons/history/history-store.ts';

interface CachedWeekend {
  readonly weekend: NamedWeekend | null;
}

export class WeekendCache {
  readonly #store: Pick<HistoryStore, 'digest' | 'weekend'>;
  readonly #weekends = new LRUCache<string, CachedWeekend>({ max: WEEKENDS_CACHED_MAX });

  constructor(store: Pick<HistoryStore, 'digest' | 'weekend'>) {
    this.#store = store;
  }

  /** Null if the history does not have it. */
  async of(eventId: string): Promise<NamedWeekend | null> {
    const digest = await this.#store.digest();
    if (digest === null) return null;
    const key = `${digest}/${eventId}`;
    const cached = this.#weekends.get(key);
    if (cached !== undefined) return cached.weekend;
    const weekend = await this.#store.weekend(eventId);
    // If another history was imported meanwhile, the weekend may come from either one.
    if ((await this.#store.digest()) === digest) this.#weekends.set(key, { weekend });
    return weekend;
  }
}
