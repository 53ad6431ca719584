// Deletes recordings: their sessions from the database, and what was made of them from the disk of each machine.
//
// RD1 A recording that a run uses stays. No run begins or ends while that is looked at.
// RD2 Rows go first: a session without a recording can be asked for by nobody, while files without a session are only
//     rubbish. A node of a cluster removes those that it has, whoever deleted the session.

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sql } from '#engine/storage/postgres-client.ts';
import { errorCode } from '#engine/storage/storage-error.ts';
import { recordingFile } from './recording-import.ts';
import { parseSessionId, type SessionId } from './session-id.ts';

export type Deletion =
  | { readonly kind: 'deleted' }
  | { readonly kind: 'unknown' }
  /** Ids of runs that are not over. */
  | { readonly kind: 'used'; readonly runIds: readonly string[] };

const FRAMES = '.frames';

/** Deletes the session with its recording for all nodes (RD1). */
export function deleteSession(sql: Sql, sessionId: SessionId): Promise<Deletion> {
  return sql.begin(async (transaction): Promise<Deletion> => {
    await transaction`lock table run in share mode`;
    const runs = await transaction<{ runId: string }[]>`
      select run_id as "runId" from run
      where session_id = ${sessionId} and state in ('running', 'stopping') order by run_id`;
    if (runs.length > 0) return { kind: 'used', runIds: runs.map(({ runId }) => runId) };
    const deleted = await transaction`delete from session where session_id = ${sessionId} returning 1`;
    return { kind: deleted.length === 0 ? 'unknown' : 'deleted' };
  });
}

/** Removes the recording's file and artifacts from this DATA_DIR. Resolves with whether there was any. */
export async function removeSessionFiles(dataDir: string, sessionId: SessionId): Promise<boolean> {
  const artifacts = (await namesIn(join(dataDir, 'playback'))).filter((name) => name.startsWith(`${sessionId}.`));
  const recordings = (await namesIn(join(dataDir, 'recordings'))).filter((name) => name === `${sessionId}${FRAMES}`);
  for (const name of artifacts) await rm(join(dataDir, 'playback', name), { force: true });
  if (recordings.length > 0) await rm(recordingFile(dataDir, sessionId), { force: true });
  return artifacts.length + recordings.length > 0;
}

/**
 * Removes from the disk of a node what belongs to sessions that were deleted (RD2). Resolves with their ids. In a cluster a
 * recording's rows are committed before its file gets its name, so a file of no session is one of the past.
 */
export async function removeDeleted(sql: Sql, dataDir: string): Promise<SessionId[]> {
  const here = new Set<SessionId>();
  for (const name of [...(await namesIn(join(dataDir, 'recordings'))), ...(await namesIn(join(dataDir, 'playback')))]) {
    const sessionId = /\.(frames|playback)$/.test(name) ? parseSessionId(name.slice(0, name.indexOf('.'))) : null;
    if (sessionId !== null) here.add(sessionId);
  }
  if (here.size === 0) return [];
  const rows = await sql<{ sessionId: SessionId }[]>`
    select id as "sessionId" from unnest(${`{${[...here].join(',')}}`}::text::text[]) as id
    where not exists (select from session where session_id = id)
      -- Of a live session; or a run began with it, and goes on from what is on this disk.
      and not exists (select from run where session_id = id and state in ('running', 'stopping'))`;
  for (const { sessionId } of rows) await removeSessionFiles(dataDir, sessionId);
  return rows.map(({ sessionId }) => sessionId);
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
}
