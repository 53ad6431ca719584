// What the file system refuses a command, as one line with the next step.

import { errorCode, StorageError } from '#engine/storage/storage-error.ts';

/** `error` as it is unless the system refused something at `path`. */
export function diskFailure(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  const say = (text: string): StorageError => new StorageError(`${path}: ${text}`, { cause: error });
  switch (errorCode(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return say('no space is left on the disk. Make room, or choose another place.');
    case 'EACCES':
    case 'EPERM':
      return say('this user may not write or read there. Change the owner, or choose another place.');
    case 'EROFS':
      return say('the disk can only be read. Choose another place.');
    case 'ELOOP':
      return say(`a symbolic link is in the way (${error.message}). Links are not followed.`);
    case 'ENOENT':
      return say(`a file or folder is missing (${error.message}).`);
    default:
      return say(error.message);
  }
}
