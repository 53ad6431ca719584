// Reads one `.jsonStream` file of the upstream's static archive line by line.
//
// The format is UTF-8 with a byte order mark. Lines end in CR LF. A line is the time since the start of the stream,
// `HH:MM:SS.mmm`, followed without a separator by a JSON object, or by a base64 JSON string for a compressed topic.

import { basename } from 'node:path';
import { FRAME_BYTES_MAX } from '#engine/base/limits.ts';
import { GET_AGAIN, LineFile, type TextLine } from './line-file.ts';
import { dataProblem } from './message-data.ts';

export interface StreamLine {
  /** Milliseconds since the start of the stream. */
  readonly offsetMs: number;
  readonly json: string;
}

const TIME_BYTES = 12;
const TIME = /^(\d\d):(\d\d):(\d\d)\.(\d\d\d)/;

export class JsonStreamFile {
  readonly #topic: string;
  readonly #lines: LineFile;

  constructor(path: string) {
    this.#topic = basename(path, '.jsonStream');
    this.#lines = new LineFile(path, FRAME_BYTES_MAX + TIME_BYTES);
  }

  get bytesDone(): number {
    return this.#lines.bytesDone;
  }

  get bytesTotal(): number {
    return this.#lines.bytesTotal;
  }

  /** The next line, or null at the end of the file. */
  next(): StreamLine | null {
    const line = this.#lines.next();
    return line === null ? null : this.#parse(line);
  }

  close(): void {
    this.#lines.close();
  }

  #parse({ text, ended }: TextLine): StreamLine {
    const lines = this.#lines;
    const time = TIME.exec(text);
    if (time === null) {
      if (!ended && text.length < TIME_BYTES) throw lines.error('the last line is cut off', GET_AGAIN);
      throw lines.error(
        `${JSON.stringify(text.slice(0, 20))} does not begin with a time`,
        'Each line is HH:MM:SS.mmm and then JSON: check that this is a .jsonStream file, or download it again',
      );
    }
    const [, hours, minutes, seconds, milliseconds] = time.map(Number) as [number, number, number, number, number];
    if (minutes > 59 || seconds > 59) throw lines.error(`${text.slice(0, TIME_BYTES)} is not a time`, GET_AGAIN);
    const json = text.slice(TIME_BYTES);
    let value: unknown;
    try {
      value = JSON.parse(json);
    } catch (error) {
      if (!ended) throw lines.error('the last line is cut off', GET_AGAIN);
      throw lines.error(`what follows the time is not JSON (${(error as Error).message})`, GET_AGAIN);
    }
    const problem = dataProblem(this.#topic, value);
    if (problem !== null) throw lines.error(`what follows the time is ${problem}`, GET_AGAIN);
    return { offsetMs: ((hours * 60 + minutes) * 60 + seconds) * 1000 + milliseconds, json };
  }
}
