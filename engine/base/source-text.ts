// Reads a small text file of somebody else's whole, and says what is wrong with it in words for whoever handed it in.

import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { SOURCE_FILE_BYTES_MAX } from './limits.ts';
import { SourceError } from './source-error.ts';

const DOWNLOAD_AGAIN = 'Download this file again';

/** Its text without a byte order mark. Throws a SourceError when there is none. */
export function readSourceText(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new SourceError(path, 'there is nothing at this path', 'Check how it is spelt');
  if (!found.isFile()) throw new SourceError(path, 'this is not a file', 'Give a file');
  if (found.size > SOURCE_FILE_BYTES_MAX) {
    throw new SourceError(path, `it has ${found.size} bytes`, `At most ${SOURCE_FILE_BYTES_MAX} are read`);
  }
  const bytes = readBytes(path);
  if (!isUtf8(bytes)) throw new SourceError(basename(path), 'it is not UTF-8 text', DOWNLOAD_AGAIN);
  const text = bytes.toString('utf8');
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EACCES'
      ? new SourceError(path, 'it may not be read by this user', 'Change its permissions')
      : error;
  }
}
