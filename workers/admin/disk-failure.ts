// Turns an error of the file system into one line with the next step.

import { errorCode, StorageError } from '#engine/storage/storage-error.ts';

/** Returns a StorageError for an error of the file system at `path`, and any other error unchanged. */
export function diskFailure(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  const say = (text: string): StorageError => new StorageError(`${path}: ${text}`, { cause: error });
  switch (errorCode(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return say('no space is left on the disk. Make room, or choose another place.');
    case 'EACCES':
    case 'EPERM':
      return say('this user may not read or write there. Change the owner, or choose another place.');
    case 'EROFS':
      return say('the disk is read-only. Choose another place.');
    case 'ELOOP':
      return say(`a symbolic link is in the way (${error.message}). Links are not followed.`);
    case 'ENOENT':
      return say(`a file or folder is missing (${error.message}).`);
    default:
      return say(error.message);
  }
}
