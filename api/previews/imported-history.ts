// A race history together with its digest.

import type { History } from '#engine/seasons/history/history.ts';
import type { HistoryStore } from '#engine/seasons/history/history-store.ts';

export interface ImportedHistory {
  readonly release: string;
  readonly history: History;
}

/** Resolves with null if no history has been imported. */
export async function readImportedHistory(store: HistoryStore): Promise<ImportedHistory | null> {
  let release = await store.digest();
  while (release !== null) {
    const history = await store.load();
    const stillThere = await store.digest();
    if (history !== null && release === stillThere) return { release, history };
    // Another history was imported meanwhile. Imports are manual and rare, so this loop ends.
    release = stillThere;
  }
  return null;
}
