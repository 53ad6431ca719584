// The files that a backup holds: finished recordings, which a cluster has as rows, live ones with their journals, what the
// database did not take when the service was stopped, and the artifacts of unfinished replays, which another version of the
// service cannot compile again. It leaves out all other artifacts, mails and downloads, and the key, which must be kept apart
// from the secrets that it opens.

import { mkdir, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { type FileIdentity, fileIdentity } from '#engine/base/file-identity.ts';
import { type RecordingRow, recordingPieces } from '#engine/intake/recording/postgres-recording-rows.ts';
import type { TransactionSql } from '#engine/storage/postgres-client.ts';
import { errorCode, StorageError } from '#engine/storage/storage-error.ts';
import type { BackupFile } from '#schemas/backup/manifest.ts';
import { PRIVATE_FOLDER } from './backup-folder.ts';
import { copyMeasured, writeMeasured } from './measured-copy.ts';

export const DATA_FOLDERS = ['recordings', 'live', 'unrecorded'] as const;
export const ARTIFACT_FOLDER = 'playback';
const KEPT: Readonly<Record<(typeof DATA_FOLDERS)[number], RegExp>> = {
  recordings: /^[A-Za-z0-9][A-Za-z0-9._-]*\.frames$/,
  live: /^[A-Za-z0-9][A-Za-z0-9._-]*\.(frames|over|updates)$/,
  unrecorded: /^[\w-]+\.batches$/,
};

/** Names of the plain files of a folder; none when there is no such folder. */
export async function plainFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

/** Paths below DATA_DIR, each with the present identity of its file. */
export async function listDataFiles(dataDir: string): Promise<Map<string, FileIdentity | null>> {
  const found = new Map<string, FileIdentity | null>();
  for (const folder of DATA_FOLDERS) {
    for (const name of (await plainFiles(join(dataDir, folder))).sort()) {
      if (!KEPT[folder].test(name)) continue;
      found.set(`${folder}/${name}`, await fileIdentity(join(dataDir, folder, name)));
    }
  }
  return found;
}

/**
 * Copies one file. Returns null when a live recording has no file any more. A live recording only grows, so a later
 * copy holds all that the database refers to; the session may have ended meanwhile and its file moved. Throws a
 * StorageError when a finished recording was replaced during the backup, because the database refers to the earlier
 * one.
 */
export async function copyDataFile(
  dataDir: string,
  path: string,
  before: FileIdentity | null,
  folder: string,
  signal: AbortSignal,
): Promise<BackupFile | null> {
  const to = join(folder, path);
  await mkdir(dirname(to), { recursive: true, mode: PRIVATE_FOLDER });
  if (path.startsWith('live/')) return copyLive(dataDir, path, to, signal);
  const measured = await copyMeasured(join(dataDir, path), to, signal).catch((error) => {
    // A start of the service has recorded it since, but perhaps after the moment of the backup.
    if (errorCode(error) !== 'ENOENT') throw error;
    throw new StorageError(`${path} was removed during the backup. Start the backup again.`);
  });
  if ((await fileIdentity(join(dataDir, path))) !== before) {
    throw new StorageError(`${path} was imported again during the backup. Start the backup again.`);
  }
  return { path, ...measured };
}

/** Copies an artifact. Returns null when it is gone: its run has ended meanwhile, or it was not compiled yet. */
export async function copyArtifact(
  dataDir: string,
  name: string,
  folder: string,
  signal: AbortSignal,
): Promise<BackupFile | null> {
  const path = `${ARTIFACT_FOLDER}/${name}`;
  const to = join(folder, path);
  await mkdir(dirname(to), { recursive: true, mode: PRIVATE_FOLDER });
  try {
    return { path, ...(await copyMeasured(join(dataDir, path), to, signal)) };
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return null;
  }
}

/** Writes a recording that the nodes of a cluster share as the file that it is for a service alone. */
export async function copyRecording(
  transaction: TransactionSql,
  row: RecordingRow,
  folder: string,
  signal: AbortSignal,
): Promise<BackupFile> {
  const path = `recordings/${row.sessionId}.frames`;
  const to = join(folder, path);
  await mkdir(dirname(to), { recursive: true, mode: PRIVATE_FOLDER });
  const pieces = Readable.from(recordingPieces(transaction, row), { highWaterMark: 1 });
  return { path, ...(await writeMeasured(pieces, [], to, signal)) };
}

async function copyLive(dataDir: string, path: string, to: string, signal: AbortSignal): Promise<BackupFile | null> {
  for (const from of [path, `recordings/${basename(path)}`]) {
    try {
      return { path, ...(await copyMeasured(join(dataDir, from), to, signal)) };
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }
  // Either the end mark of a session that is in the catalogue by now, or a session without a frame.
  return null;
}
