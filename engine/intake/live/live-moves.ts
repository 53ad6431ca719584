// Moves live sessions that a cluster did not finish to a service that runs alone now. It continues them as if it had followed
// them from the beginning. Journals move into a cluster, too, and those of sessions that are over move with them: deliveries
// may be left, and another version may derive other updates from the recordings (live-journals.ts).

import { closeSync, existsSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FRAME_BATCHES_READ_MAX } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import { fileError } from '#engine/base/recording-error.ts';
import { framesIn } from '#engine/intake/recording/recording-format.ts';
import { RecordingWriter } from '#engine/intake/recording/recording-writer.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import { copiesFolder, JOURNAL_SUFFIX } from './live-journals.ts';
import { framesAfter, type LiveSessionRow, liveSessionRows, removeLiveSession } from './postgres-frame-rows.ts';

export interface LiveMoves {
  readonly sql: Sql;
  readonly dataDir: string;
  readonly log: Log;
}

/** Call before the live sessions are recovered. Rejects if there is no room for them. */
export async function takeLiveSessions({ sql, dataDir, log }: LiveMoves): Promise<void> {
  for (const row of await liveSessionRows(sql)) {
    const { sessionId } = row;
    if (!row.recorded && row.frames > 0) {
      await takeFrames(sql, row, dataDir);
      log.info({ sessionId, frames: row.frames }, 'took a live session out of the database');
    }
    await removeLiveSession(sql, row.sessionNo);
  }
  moveJournals(copiesFolder(dataDir), dataDir);
  rmSync(copiesFolder(dataDir), { recursive: true, force: true });
}

/** Call when a service joins a cluster, before its live sessions are opened. */
export function giveJournals({ dataDir }: Pick<LiveMoves, 'dataDir'>): void {
  moveJournals(dataDir, copiesFolder(dataDir));
}

/** What was published stays as it is. LiveJournals sweeps away those that nothing needs. */
function moveJournals(from: string, to: string): void {
  const folder = join(from, 'live');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(JOURNAL_SUFFIX)) : [];
  if (names.length > 0) mkdirSync(join(to, 'live'), { recursive: true });
  for (const name of names) renameSync(join(folder, name), join(to, 'live', name));
}

async function takeFrames(sql: Sql, row: LiveSessionRow, dataDir: string): Promise<void> {
  const { sessionId, sessionNo } = row;
  const file = join(dataDir, 'live', `${sessionId}.frames`);
  const unfinished = `${file}.unfinished`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    rmSync(unfinished, { force: true });
    const writer = RecordingWriter.create(unfinished, row);
    try {
      for (;;) {
        const batches = await framesAfter(sql, sessionNo, writer.frames, FRAME_BATCHES_READ_MAX);
        if (batches.length === 0) break;
        for (const { data } of batches) for (const frame of framesIn(data)) writer.append(frame);
      }
      writer.sync();
    } finally {
      writer.close();
    }
    if (row.over) closeSync(openSync(join(dataDir, 'live', `${sessionId}.over`), 'w'));
    renameSync(unfinished, file);
  } catch (error) {
    throw fileError(error, `writing ${file}`);
  }
}
