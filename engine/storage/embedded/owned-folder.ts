// Folders that may be trusted with programs and data: real folders, not links, that nobody else can write to. A folder
// that someone else prepared is refused rather than used.

import { chmod, lstat, mkdir } from 'node:fs/promises';
import { errorCode, StorageError } from '#engine/storage/storage-error.ts';

/** Makes the folder with exactly this mode, or checks the one that is there. `owners` are the user ids that may own it. */
export async function ownedFolder(path: string, mode: number, owners: readonly number[]): Promise<void> {
  try {
    await mkdir(path, { mode });
    await chmod(path, mode);
    return;
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  const {
    uid,
    mode: present,
    isFolder,
  } = await lstat(path).then((stat) => ({
    uid: stat.uid,
    mode: stat.mode,
    isFolder: stat.isDirectory(),
  }));
  if (!isFolder) throw new StorageError(`${path} is in the way: a folder of the service's own is needed there.`);
  if (!owners.includes(uid)) {
    throw new StorageError(
      `${path} belongs to user id ${uid}, not to the user that runs the service. ` +
        'Run as that user, or give the folder away with chown -R.',
    );
  }
  if ((present & 0o022) !== 0) {
    throw new StorageError(`${path} can be written to by others. Remove that right: chmod go-w ${path}`);
  }
}
