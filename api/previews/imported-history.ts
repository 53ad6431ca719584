// A history together with the digest that it is known by.

import type { History } from '#engine/seasons/history/history.ts';
import type { HistoryStore } from '#engine/seasons/history/history-store.ts';

export interface ImportedHistory {
  readonly release: string;
  readonly history: History;
}

/** Null as long as nothing was imported. */
export async function readImportedHistory(store: HistoryStore): Promise<ImportedHistory | null> {
  let release = await store.digest();
  while (release !== null) {
    const history = await store.load();
    const stillThere = await store.digest();
    if (history !== null && release === stillThere) return { release, history };
    // Another was imported meanwhile, by hand; so this ends.
    release = stillThere;
  }
  return null;
}
