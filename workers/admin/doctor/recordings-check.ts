// Checks the recordings that the nodes of a cluster share: reads them and compares their digests. The latest come first,
// for as long as one check may read.

import { DOCTOR_RECORDINGS_MS } from '#engine/base/limits.ts';
import { RecordingError } from '#engine/base/recording-error.ts';
import { RECORDING_TABLES, recordingPieces, recordingRows } from '#engine/intake/recording/postgres-recording-rows.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import { type Found, ok, problem, unknown } from './finding.ts';

const MEBIBYTE = 1024 * 1024;

/** A service alone has no such recordings, and no finding. */
export async function checkRecordings(sql: Sql, nowMs = () => performance.now()): Promise<readonly Found[]> {
  const [table] = await sql<{ present: boolean }[]>`select to_regclass(${RECORDING_TABLES[0]!}) is not null as present`;
  if (!table!.present) return [];
  const rows = (await recordingRows(sql)).sort((a, b) => Number(b.recordingNo - a.recordingNo));
  if (rows.length === 0) return [];
  const endMs = nowMs() + DOCTOR_RECORDINGS_MS;
  const found: Found[] = [];
  let read = 0;
  let bytes = 0;
  reading: for (const row of rows) {
    try {
      for await (const piece of recordingPieces(sql, row)) {
        if (nowMs() > endMs) break reading;
        bytes += piece.length;
      }
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error;
      const [still] = await recordingRows(sql, row.sessionId);
      // Otherwise it was imported again meanwhile.
      if (still?.recordingNo === row.recordingNo) found.push(problem(error.message, 'Import the session again.'));
    }
    read++;
  }
  const left = rows.length - read;
  if (read > found.length) {
    found.push(
      ok(`${read - found.length} recordings in the database are whole (${Math.ceil(bytes / MEBIBYTE)} MiB read)`),
    );
  }
  if (left > 0) found.push(unknown(`${left} more were not read: each is checked when a node fetches it`));
  return found;
}
