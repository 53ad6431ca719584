// Reads one `.jsonStream` file of the upstream's static archive line by line, holding one chunk of it at a time.
//
// The format: UTF-8 with a byte order mark, lines that end in CR LF, each one `HH:MM:SS.mmm` since the start of the stream
// and then, without a separator, a JSON object, or for a compressed topic a JSON string of base64.

import { isUtf8 } from 'node:buffer';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { FRAME_BYTES_MAX, SOURCE_CHUNK_BYTES } from '#engine/limits.ts';
import { isUpstreamTopic } from '#schemas/upstream/topics.ts';
import { SourceError } from './source-error.ts';

export interface StreamLine {
  /** Milliseconds since the start of the stream. */
  readonly offsetMs: number;
  readonly json: string;
}

const TIME_BYTES = 12;
const TIME = /^(\d\d):(\d\d):(\d\d)\.(\d\d\d)/;
const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const DOWNLOAD_AGAIN = 'Download this file again, then import once more; nothing was imported';

export class JsonStreamFile {
  readonly #name: string;
  readonly #file: number;
  /** Whether its messages are compressed; null for a topic that nobody knows. */
  readonly #compressed: boolean | null;
  readonly bytesTotal: number;
  /** What was read from disk and not yet handed out. */
  #rest: Buffer = Buffer.alloc(0);
  #bytesRead = 0;
  #lineNumber = 0;

  constructor(path: string) {
    this.#name = basename(path);
    const topic = basename(path, '.jsonStream');
    this.#compressed = isUpstreamTopic(topic) ? topic.endsWith('.z') : null;
    this.#file = openSync(path, 'r');
    this.bytesTotal = fstatSync(this.#file).size;
  }

  get bytesDone(): number {
    return this.#bytesRead - this.#rest.length;
  }

  /** The next line, or null at the end of the file. */
  next(): StreamLine | null {
    for (;;) {
      const end = this.#lineEnd();
      const ended = end !== -1;
      if (!ended && this.#rest.length === 0) return null;
      const line = this.#rest.subarray(0, ended ? end : this.#rest.length);
      this.#rest = this.#rest.subarray(ended ? end + 1 : this.#rest.length);
      this.#lineNumber++;
      const text = this.#text(line);
      if (text !== '') return this.#parse(text, ended);
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Index of the next line's end in `#rest`, reading on as needed, or -1 when the file ends without one. */
  #lineEnd(): number {
    let searched = 0;
    for (;;) {
      const end = this.#rest.indexOf(NEWLINE, searched);
      const length = end === -1 ? this.#rest.length : end;
      if (length > FRAME_BYTES_MAX + TIME_BYTES) {
        this.#lineNumber++;
        throw this.#error(
          `the line is longer than ${FRAME_BYTES_MAX} bytes`,
          'No message of the upstream is that long: check that this is a .jsonStream file',
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
    if (!isUtf8(line)) throw this.#error('the line is not UTF-8 text', DOWNLOAD_AGAIN);
    const end = line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length;
    const text = line.toString('utf8', 0, end);
    return this.#lineNumber === 1 && text.startsWith('\ufeff') ? text.slice(1) : text;
  }

  #parse(text: string, ended: boolean): StreamLine {
    const time = TIME.exec(text);
    if (time === null) {
      if (!ended && text.length < TIME_BYTES) throw this.#error('the last line is cut off', DOWNLOAD_AGAIN);
      throw this.#error(
        `${JSON.stringify(text.slice(0, 20))} does not begin with a time`,
        'Each line is HH:MM:SS.mmm and then JSON: check that this is a .jsonStream file, or download it again',
      );
    }
    const [, hours, minutes, seconds, milliseconds] = time.map(Number) as [number, number, number, number, number];
    if (minutes > 59 || seconds > 59) {
      throw this.#error(`${text.slice(0, TIME_BYTES)} is not a time`, DOWNLOAD_AGAIN);
    }
    const json = text.slice(TIME_BYTES);
    let value: unknown;
    try {
      value = JSON.parse(json);
    } catch (error) {
      if (!ended) throw this.#error('the last line is cut off', DOWNLOAD_AGAIN);
      throw this.#error(`what follows the time is not JSON (${(error as Error).message})`, DOWNLOAD_AGAIN);
    }
    if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) {
      throw this.#error('what follows the time is neither a JSON object nor a JSON string', DOWNLOAD_AGAIN);
    }
    if (this.#compressed !== null && this.#compressed !== (typeof value === 'string')) {
      const found = this.#compressed
        ? 'a JSON object in a compressed topic'
        : 'a JSON string in a topic of JSON objects';
      throw this.#error(`what follows the time is ${found}`, DOWNLOAD_AGAIN);
    }
    return { offsetMs: ((hours * 60 + minutes) * 60 + seconds) * 1000 + milliseconds, json };
  }

  #error(problem: string, advice: string): SourceError {
    return new SourceError(`${this.#name}:${this.#lineNumber}`, problem, advice);
  }
}
