// A task for a thread: folds the oldest part of the delivery log's journal. The thread keeps its connection for the next
// part.

import { systemClock } from '#engine/base/clock.ts';
import { DATABASE_SILENCE_MS_MAX } from '#engine/base/limits.ts';
import { type Fold, foldJournal } from '#engine/delivery/delivery-log/postgres-journal-folder.ts';
import type { ConnectionSettings } from '#engine/storage/connection-settings.ts';
import { connect, type Sql } from '#engine/storage/postgres-client.ts';

let sql: Sql | null = null;

export async function foldSome(connection: ConnectionSettings): Promise<Fold | null> {
  sql ??= connect(connection, {
    max: 1,
    name: 'slipstream-log',
    clock: systemClock,
    silenceMsMax: DATABASE_SILENCE_MS_MAX,
  });
  return foldJournal(sql);
}
