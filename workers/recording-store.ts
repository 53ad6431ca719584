// How the service keeps recordings: alone as files of DATA_DIR, in a cluster as rows that every node fetches.

import { systemClock } from '#engine/base/clock.ts';
import type { Log } from '#engine/base/log.ts';
import { giveJournals, takeLiveSessions } from '#engine/intake/live/live-moves.ts';
import { FileRecordings } from '#engine/intake/recording/file-recordings.ts';
import { PostgresRecordings } from '#engine/intake/recording/postgres-recordings.ts';
import { PostgresSessionCatalogue } from '#engine/intake/recording/postgres-session-catalogue.ts';
import { moveIntoFiles, moveIntoRows } from '#engine/intake/recording/recording-moves.ts';
import type { RecordingStore } from '#engine/intake/recording/recording-store.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';

export interface RecordingStoreParts {
  readonly inCluster: boolean;
  readonly dataDir: string;
  readonly sql: Sql;
  readonly log: Log;
}

export function recordingStore(parts: RecordingStoreParts): RecordingStore {
  const { inCluster, dataDir, sql } = parts;
  return inCluster ? rowsOf(parts) : new FileRecordings(dataDir, new PostgresSessionCatalogue(sql));
}

/** Call once at the start of the service: it may have been of the other kind before. */
export async function settleRecordings(parts: RecordingStoreParts): Promise<void> {
  const { inCluster, sql, dataDir, log } = parts;
  const moves = { sql, dataDir, recordings: rowsOf(parts), catalogue: new PostgresSessionCatalogue(sql), log };
  if (inCluster) {
    giveJournals(moves);
    return moveIntoRows(moves);
  }
  await moveIntoFiles(moves);
  await takeLiveSessions(moves);
}

function rowsOf({ sql, dataDir, log }: RecordingStoreParts): PostgresRecordings {
  return new PostgresRecordings({ sql, dataDir, clock: systemClock, log });
}
