// Folds the delivery log's journal on a worker thread, which has nothing else to do and no delivery to hold up.

import { LOG_FOLD_IDLE_MS } from '#engine/base/limits.ts';
import type { Fold } from '#engine/delivery/delivery-log/postgres-journal-folder.ts';
import type { ConnectionSettings } from '#engine/storage/connection-settings.ts';
import { PiscinaThread } from './piscina-thread.ts';

export class PiscinaJournalFolder {
  readonly #connection: ConnectionSettings;
  readonly #thread = new PiscinaThread<ConnectionSettings, Fold | null>(
    new URL('fold-journal.ts', import.meta.url),
    'foldSome',
    LOG_FOLD_IDLE_MS,
  );

  constructor(connection: ConnectionSettings) {
    this.#connection = connection;
  }

  fold(): Promise<Fold | null> {
    return this.#thread.run(this.#connection);
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }
}
