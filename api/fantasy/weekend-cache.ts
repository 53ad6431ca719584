// Weekends of the history, kept as long as the history is the same.

import { LRUCache } from 'lru-cache';
import { WEEKENDS_CACHED_MAX } from '#engine/base/limits.ts';
import type { HistoryStore, NamedWeekend } from '#engine/seasons/history/history-store.ts';

interface Remembered {
  readonly weekend: NamedWeekend | null;
}

export class WeekendCache {
  readonly #store: Pick<HistoryStore, 'digest' | 'weekend'>;
  readonly #weekends = new LRUCache<string, Remembered>({ max: WEEKENDS_CACHED_MAX });

  constructor(store: Pick<HistoryStore, 'digest' | 'weekend'>) {
    this.#store = store;
  }

  /** Null when the history does not know it. */
  async of(eventId: string): Promise<NamedWeekend | null> {
    const digest = await this.#store.digest();
    if (digest === null) return null;
    const key = `${digest}/${eventId}`;
    const remembered = this.#weekends.get(key);
    if (remembered !== undefined) return remembered.weekend;
    const weekend = await this.#store.weekend(eventId);
    // Another history may have been imported meanwhile: then it is of neither for certain.
    if ((await this.#store.digest()) === digest) this.#weekends.set(key, { weekend });
    return weekend;
  }
}
