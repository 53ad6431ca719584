// Moves recordings when the kind of the service has changed. A service that becomes a cluster puts its files into the
// database; one that is alone again takes the rows of its database into files.

import { existsSync } from 'node:fs';
import type { Log } from '#engine/base/log.ts';
import { RecordingError } from '#engine/base/recording-error.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import { recordingRows, removeRecording } from './postgres-recording-rows.ts';
import type { PostgresRecordings } from './postgres-recordings.ts';
import { recordingFile } from './recording-import.ts';
import type { SessionCatalogue } from './session-catalogue.ts';
import { parseSessionId } from './session-id.ts';

export interface RecordingMoves {
  readonly sql: Sql;
  readonly dataDir: string;
  readonly recordings: PostgresRecordings;
  readonly catalogue: Pick<SessionCatalogue, 'list'>;
  readonly log: Log;
}

/** Publishes the recordings of this DATA_DIR whose sessions have none in the database. Call at the start of a node. */
export async function moveIntoRows({ sql, dataDir, recordings, catalogue, log }: RecordingMoves): Promise<void> {
  const present = new Set((await recordingRows(sql)).map(({ sessionId }) => sessionId));
  for (const entry of await catalogue.list()) {
    const { sessionId } = entry;
    const file = recordingFile(dataDir, parseSessionId(sessionId)!);
    if (present.has(sessionId) || !existsSync(file)) continue;
    await recordings.publish(entry, { file, place() {} });
    log.info({ sessionId }, 'moved a recording into the database');
  }
}

/**
 * Takes the recordings of the database into DATA_DIR and removes their rows, but those that are damaged. Call at the start
 * of a service that is alone: without room for them it does not start.
 */
export async function moveIntoFiles({ sql, recordings, log }: RecordingMoves): Promise<void> {
  for (const row of await recordingRows(sql)) {
    const { sessionId } = row;
    try {
      await recordings.fetch(parseSessionId(sessionId)!);
    } catch (error) {
      if (!(error instanceof RecordingError) || error.code !== 'damaged') throw error;
      log.error({ sessionId, reason: error.message }, 'could not take a recording out of the database');
      continue;
    }
    await removeRecording(sql, row);
    log.info({ sessionId }, 'took a recording out of the database');
  }
}
