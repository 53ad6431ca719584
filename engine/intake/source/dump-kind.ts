// Detects the format of a text file from its first lines. Its name plays no part.

import { DUMP_LINE_BYTES_MAX, DUMP_SNIFFED_LINES_MAX } from '#engine/base/limits.ts';
import { SourceError } from '#engine/base/source-error.ts';
import type { DumpFormat } from './dump-format.ts';
import { fastf1Text } from './fastf1-text.ts';
import { ingestText } from './ingest-text.ts';
import { LineFile } from './line-file.ts';
import { isSignalrLine, signalrText } from './signalr-text.ts';
import { undercutText } from './undercut-text.ts';

/** The format, or why the file has none of them. The reason follows "this kind of recording is not supported: ". */
export type DumpKind = { readonly format: DumpFormat } | { readonly problem: string };

const PYTHON_LIST = /^\s*\[\s*['"]/;
const STREAM_LINE = /^\d\d:\d\d:\d\d\.\d\d\d/;

export function dumpKind(path: string): DumpKind {
  const file = new LineFile(path, DUMP_LINE_BYTES_MAX);
  try {
    for (let lines = 0; lines < DUMP_SNIFFED_LINES_MAX; lines++) {
      const line = file.next();
      if (line === null) return { problem: lines === 0 ? 'it is empty' : 'all its lines are empty' };
      const kind = lineKind(line.text);
      if (kind !== null) return kind;
    }
    return { problem: `its first ${DUMP_SNIFFED_LINES_MAX} lines are empty` };
  } catch (error) {
    if (error instanceof SourceError) return { problem: 'it is not UTF-8 text, or a line is too long' };
    throw error;
  } finally {
    file.close();
  }
}

/** Null for a blank line or an empty object, which fit several formats. */
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
  return { problem: 'its first line has none of the supported formats' };
}
