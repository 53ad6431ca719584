// Reads a foreign text file line by line, one chunk at a time: UTF-8 with or without a byte order mark, lines that end
// in LF or CR LF. Blank lines are skipped.

import { isUtf8 } from 'node:buffer';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { SOURCE_CHUNK_BYTES } from '#engine/base/limits.ts';
import { SourceError } from '#engine/base/source-error.ts';

export interface TextLine {
  readonly text: string;
  /** False only for a last line without a line end: it may have been cut off. */
  readonly ended: boolean;
}

export const GET_AGAIN = 'Download this file again, then import once more; nothing was imported';

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = '\ufeff';

export class LineFile {
  readonly #name: string;
  readonly #file: number;
  readonly #lineBytesMax: number;
  readonly bytesTotal: number;
  /** Bytes that were read from disk but not returned yet. */
  #rest: Buffer = Buffer.alloc(0);
  #bytesRead = 0;
  #lineNumber = 0;

  /** A line longer than `lineBytesMax`, without its line end, is refused before all of it is read. */
  constructor(path: string, lineBytesMax: number) {
    this.#name = basename(path);
    this.#lineBytesMax = lineBytesMax;
    this.#file = openSync(path, 'r');
    this.bytesTotal = fstatSync(this.#file).size;
  }

  get bytesDone(): number {
    return this.#bytesRead - this.#rest.length;
  }

  /** The next line that is not blank, or null at the end of the file. */
  next(): TextLine | null {
    for (;;) {
      const end = this.#lineEnd();
      const ended = end !== -1;
      if (!ended && this.#rest.length === 0) return null;
      const line = this.#rest.subarray(0, ended ? end : this.#rest.length);
      this.#rest = this.#rest.subarray(ended ? end + 1 : this.#rest.length);
      this.#lineNumber++;
      const text = this.#text(line);
      if (text !== '') return { text, ended };
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  /** An error about the line returned last, such as `TimingData.jsonStream:17`, followed by a column if it is known. */
  error(problem: string, advice: string, column?: number): SourceError {
    const place = column === undefined ? '' : `:${column}`;
    return new SourceError(`${this.#name}:${this.#lineNumber}${place}`, problem, advice);
  }

  /** Index of the next line end in `#rest`, or -1 when the file ends without one. Reads more as needed. */
  #lineEnd(): number {
    let searched = 0;
    for (;;) {
      const end = this.#rest.indexOf(NEWLINE, searched);
      const length = end === -1 ? this.#rest.length : end;
      if (length > this.#lineBytesMax) {
        this.#lineNumber++;
        throw this.error(
          `the line is longer than ${this.#lineBytesMax} bytes`,
          'No message of the upstream is that long: check that this is a recording',
        );
      }
      if (end !== -1) return end;
      searched = this.#rest.length;
      const chunk = Buffer.allocUnsafe(SOURCE_CHUNK_BYTES);
      const bytes = readSync(this.#file, chunk, 0, chunk.length, null);
      if (bytes === 0) return -1;
      this.#bytesRead += bytes;
      const fresh = chunk.subarray(0, bytes);
      this.#rest = this.#rest.length === 0 ? fresh : Buffer.concat([this.#rest, fresh]);
    }
  }

  #text(line: Buffer): string {
    if (!isUtf8(line)) throw this.error('the line is not UTF-8 text', GET_AGAIN);
    const end = line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length;
    const text = line.toString('utf8', 0, end);
    return this.#lineNumber === 1 && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  }
}
