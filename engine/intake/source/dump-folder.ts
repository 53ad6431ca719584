// Opens a folder with one text dump. Other files in the folder are ignored. undercut-f1 keeps two files: `live.jsonl`
// (`live.txt`), and the result of its subscription in `subscribe.json` (`subscribe.txt`).

import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DUMP_SNIFFED_FILES_MAX } from '#engine/base/limits.ts';
import { SourceError } from '#engine/base/source-error.ts';
import { readSourceText } from '#engine/base/source-text.ts';
import type { DumpFormat } from './dump-format.ts';
import { dumpKind } from './dump-kind.ts';
import { snapshotMessages } from './dumped-message.ts';
import { LineProblem } from './line-problem.ts';
import type { LiveMessage } from './live-source.ts';
import { TextDump } from './text-dump.ts';

/** The dump in a folder, or null when there is none. Throws a SourceError when there are several. */
export function openDumpFolder(folder: string): TextDump | null {
  const names = readdirSync(folder).filter((name) => !name.startsWith('.') && isFile(join(folder, name)));
  if (names.length > DUMP_SNIFFED_FILES_MAX) {
    throw new SourceError(folder, `it has ${names.length} files`, 'Give the one that is the recording');
  }
  const live = names.find((name) => /^live\.(jsonl|txt)$/i.test(name));
  const subscription = names.find((name) => /^subscribe\.(json|txt)$/i.test(name));
  if (live !== undefined && subscription !== undefined) {
    const kind = dumpKind(join(folder, live));
    if ('format' in kind)
      return new TextDump(join(folder, live), kind.format, initialSnapshot(join(folder, subscription)));
  }
  const found: { readonly name: string; readonly format: DumpFormat }[] = [];
  for (const name of names.sort()) {
    const kind = dumpKind(join(folder, name));
    if ('format' in kind) found.push({ name, format: kind.format });
  }
  if (found.length > 1) {
    const which = found.map(({ name }) => name).join(', ');
    throw new SourceError(folder, `there are several recordings in this folder: ${which}`, 'Give one of them');
  }
  const only = found[0];
  return only === undefined ? null : new TextDump(join(folder, only.name), only.format);
}

/** False for a dangling link. */
function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function initialSnapshot(path: string): LiveMessage[] {
  try {
    const state: unknown = JSON.parse(readSourceText(path));
    if (typeof state !== 'object' || state === null) throw new LineProblem('it is not an object');
    return snapshotMessages(state);
  } catch (error) {
    if (!(error instanceof LineProblem || error instanceof SyntaxError)) throw error;
    throw new SourceError(basename(path), error.message, 'It should hold a snapshot of each topic as JSON');
  }
}
