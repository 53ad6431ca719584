// Opens the recording at a path. Detects its format by its content.

import { readdirSync, statSync } from 'node:fs';
import { SourceError } from '#engine/base/source-error.ts';
import { ArchiveFolder, JSON_STREAM_SUFFIX } from './archive-folder.ts';
import { openDumpFolder } from './dump-folder.ts';
import { dumpKind } from './dump-kind.ts';
import type { RecordingSource } from './recording-source.ts';
import { TextDump } from './text-dump.ts';

const SUPPORTED =
  `Give a folder of the live-timing archive (${JSON_STREAM_SUFFIX} files) or one such file, or a text file, or a folder ` +
  'with one, of FastF1, undercut-f1, SignalR frames or NDJSON lines {"topic","utc","data"}';

/** Throws a SourceError when there is no recording, or none in a supported format. */
export function openSource(path: string): RecordingSource {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new SourceError(path, 'there is nothing at this path', 'Check the spelling');
  try {
    if (found.isDirectory()) return openFolder(path);
    if (found.isFile()) return openFile(path);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EACCES'
      ? new SourceError(path, 'this user may not read it', 'Change its permissions')
      : error;
  }
  throw new SourceError(path, 'this is neither a file nor a folder', SUPPORTED);
}

function openFolder(path: string): RecordingSource {
  if (readdirSync(path).some((name) => name.endsWith(JSON_STREAM_SUFFIX))) return new ArchiveFolder(path);
  const dump = openDumpFolder(path);
  if (dump === null) throw new SourceError(path, 'there is no recording in this folder', SUPPORTED);
  return dump;
}

function openFile(path: string): RecordingSource {
  if (path.endsWith(JSON_STREAM_SUFFIX)) return new ArchiveFolder(path);
  const kind = dumpKind(path);
  if ('format' in kind) return new TextDump(path, kind.format);
  throw new SourceError(path, `this kind of recording is not supported: ${kind.problem}`, SUPPORTED);
}
