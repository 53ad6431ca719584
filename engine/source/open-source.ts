// Finds out what kind of recording lies at a path and opens it.

import { statSync } from 'node:fs';
import { ArchiveFolder, JSON_STREAM_SUFFIX } from './archive-folder.ts';
import type { RecordingSource } from './recording-source.ts';
import { SourceError } from './source-error.ts';

const SUPPORTED = `Give a folder of the static archive (${JSON_STREAM_SUFFIX} files), or one such file`;

/** Opens a recording. Throws a SourceError when there is none, or none of a kind that can be read. */
export function openSource(path: string): RecordingSource {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new SourceError(path, 'there is nothing at this path', 'Check how it is spelt');
  if (found.isDirectory() || (found.isFile() && path.endsWith(JSON_STREAM_SUFFIX))) {
    try {
      return new ArchiveFolder(path);
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'EACCES'
        ? new SourceError(path, 'it may not be read by this user', 'Change its permissions')
        : error;
    }
  }
  throw new SourceError(path, 'this kind of recording is not supported', SUPPORTED);
}
