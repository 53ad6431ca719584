// The files of DATA_DIR that a backup holds: recordings, and what is recorded at the moment. Playback artifacts are made
// again, mails and downloads are nobody's memory, and the key is kept apart from what it opens.

import { mkdir, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type FileIdentity, fileIdentity } from '#engine/base/file-identity.ts';
import { errorCode, StorageError } from '#engine/storage/storage-error.ts';
import type { BackupFile } from '#schemas/backup/manifest.ts';
import { PRIVATE_FOLDER } from './backup-folder.ts';
import { copyMeasured } from './measured-copy.ts';

export const DATA_FOLDERS = ['recordings', 'live'] as const;
const KEPT: Readonly<Record<(typeof DATA_FOLDERS)[number], RegExp>> = {
  recordings: /^[A-Za-z0-9][A-Za-z0-9._-]*\.frames$/,
  live: /^[A-Za-z0-9][A-Za-z0-9._-]*\.(frames|over)$/,
};

/** Names of the plain files of a folder; none when there is no such folder. */
export async function plainFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

/** Paths below DATA_DIR with what each is now. */
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
 * Copies one file. What is recorded live only grows, so that a copy made later holds all that the database knew of; it may
 * have become a recording meanwhile. A recording that was replaced meanwhile is another than the database knew.
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
  const measured = await copyMeasured(join(dataDir, path), to, signal);
  if ((await fileIdentity(join(dataDir, path))) !== before) {
    throw new StorageError(`${path} was imported again during the backup. Start the backup again.`);
  }
  return { path, ...measured };
}

async function copyLive(dataDir: string, path: string, to: string, signal: AbortSignal): Promise<BackupFile | null> {
  for (const from of [path, `recordings/${basename(path)}`]) {
    try {
      return { path, ...(await copyMeasured(join(dataDir, from), to, signal)) };
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }
  // The mark of a session that has ended, whose session the catalogue knows by now; or a session without a frame.
  return null;
}
