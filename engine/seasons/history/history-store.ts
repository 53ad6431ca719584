// Where the history is kept. The real one is `postgres-history-store.ts`.

import type { History, HistoryConstructor, HistoryDriver, RaceWeekend } from './history.ts';

/** A weekend with what its ids mean. */
export interface NamedWeekend {
  readonly weekend: RaceWeekend;
  /** Those of the whole history: who took part and who is entered. */
  readonly drivers: ReadonlyMap<string, HistoryDriver>;
  readonly constructors: ReadonlyMap<string, HistoryConstructor>;
}

export interface HistoryStore {
  /**
   * Puts a history in the place of the one that is there, all or nothing. Whoever reads meanwhile sees the old or the new
   * one, never a mix.
   */
  replace(history: History, digest: string): Promise<void>;
  /** Null as long as nothing was imported. */
  load(): Promise<History | null>;
  /** Of the history that is there: another digest, another history. Cheap enough to ask before every use of a copy. */
  digest(): Promise<string | null>;
  weekend(eventId: string): Promise<NamedWeekend | null>;
}
