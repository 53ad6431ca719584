// Finds out of what kind a text file is by its first lines, whatever its name.

import { DUMP_LINE_BYTES_MAX, DUMP_SNIFFED_LINES_MAX } from '#engine/base/limits.ts';
import { SourceError } from '#engine/base/source-error.ts';
import type { DumpFormat } from './dump-format.ts';
import { fastf1Text } from './fastf1-text.ts';
import { ingestText } from './ingest-text.ts';
import { LineFile } from './line-file.ts';
import { isSignalrLine, signalrText } from './signalr-text.ts';
import { undercutText } from './undercut-text.ts';

/** A format, or why there is none, worded to follow "it is not supported". */
export type DumpKind = { readonly format: DumpFormat } | { readonly problem: string };

const PYTHON_LIST = /^\s*\[\s*['"]/;
const STREAM_LINE = /^\d\d:\d\d:\d\d\.\d\d\d/;

export function dumpKind(path: string): DumpKind {
  const file = new LineFile(path, DUMP_LINE_BYTES_MAX);
  try {
    for (let lines = 0; lines < DUMP_SNIFFED_LINES_MAX; lines++) {
      const line = file.next();
      if (line === null) return { problem: lines === 0 ? 'it is empty' : 'none of its lines holds anything' };
      const kind = lineKind(line.text);
      if (kind !== null) return kind;
    }
    return { problem: `none of its first ${DUMP_SNIFFED_LINES_MAX} lines holds anything` };
  } catch (error) {
    if (error instanceof SourceError) return { problem: 'it is no text of that kind' };
    throw error;
  } finally {
    file.close();
  }
}

/** Null when the line does not tell. */
function lineKind(line: string): DumpKind | null {
  if (line.trim() === '') return null;
  if (PYTHON_LIST.test(line)) return { format: fastf1Text };
  if (STREAM_LINE.test(line)) return { problem: 'its lines are those of a .jsonStream file: name it TOPIC.jsonStream' };
  let fields: unknown;
  try {
    const signalr = isSignalrLine(line);
    if (signalr === null) return null;
    if (signalr) return { format: signalrText };
    fields = JSON.parse(line);
  } catch {
    return { problem: 'its first line is neither JSON nor a Python list' };
  }
  if (typeof fields === 'object' && fields !== null) {
    if ('topic' in fields) return { format: ingestText };
    if ('Type' in fields && 'Json' in fields) return { format: undercutText };
  }
  return { problem: 'its first line is of none of the known kinds' };
}
