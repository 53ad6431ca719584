// Folders that are safe for programs and data: real folders, not links, that no other user can write to. A folder that
// another user has prepared is refused.

import { chmod, lstat, mkdir } from 'node:fs/promises';
import { errorCode, StorageError } from '#engine/storage/storage-error.ts';

/** Makes the folder with exactly this mode, or checks an existing one. `owners` are the user ids that may own it. */
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
  if (!isFolder)
    throw new StorageError(`${path} is in the way: the service needs a folder of its own there. Remove it.`);
  if (!owners.includes(uid)) {
    throw new StorageError(
      `${path} belongs to user id ${uid}, not to the user that runs the service. ` +
        'Run as that user, or change the owner with chown -R.',
    );
  }
  if ((present & 0o022) !== 0) {
    throw new StorageError(`Other users can write to ${path}. Remove that permission: chmod go-w ${path}`);
  }
}
