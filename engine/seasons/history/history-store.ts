// The store of the history. `postgres-history-store.ts` implements it.

import type { History, HistoryConstructor, HistoryDriver, RaceWeekend } from './history.ts';

/** A weekend with the drivers and constructors that its ids refer to. */
export interface NamedWeekend {
  readonly weekend: RaceWeekend;
  /** All drivers of the history: those who took part in a session, and those who are entered. */
  readonly drivers: ReadonlyMap<string, HistoryDriver>;
  readonly constructors: ReadonlyMap<string, HistoryConstructor>;
}

export interface HistoryStore {
  /**
   * Replaces the stored history atomically. Concurrent readers see the old history or the new one, never a mix.
   */
  replace(history: History, digest: string): Promise<void>;
  /** Null: nothing has been imported yet. */
  load(): Promise<History | null>;
  /**
   * The digest of the stored history; it changes with the content. Cheap enough to check before each use of a cached
   * copy.
   */
  digest(): Promise<string | null>;
  weekend(eventId: string): Promise<NamedWeekend | null>;
}
