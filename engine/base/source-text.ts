// Reads a small foreign text file as a whole. Its errors are meant for the person who provided the file.

import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { SOURCE_FILE_BYTES_MAX } from './limits.ts';
import { SourceError } from './source-error.ts';

const DOWNLOAD_AGAIN = 'Download this file again';

/** Returns the text without a byte order mark. Throws a SourceError when the file cannot be read as UTF-8 text. */
export function readSourceText(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new SourceError(path, 'there is nothing at this path', 'Check the spelling');
  if (!found.isFile()) throw new SourceError(path, 'this is not a file', 'Give a file');
  if (found.size > SOURCE_FILE_BYTES_MAX) {
    throw new SourceError(path, `it has ${found.size} bytes`, `At most ${SOURCE_FILE_BYTES_MAX} are accepted`);
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
      ? new SourceError(path, 'this user may not read it', 'Change its permissions')
      : error;
  }
}
