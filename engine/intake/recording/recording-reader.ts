// Reads a recording from its beginning with bounded memory: a window slides over the records of the file.

import { closeSync, fstatSync, openSync } from 'node:fs';
import { RECORDING_BYTES_MAX, RECORDING_WINDOW_BYTES } from '#engine/base/limits.ts';
import { fileError, RecordingError } from '#engine/base/recording-error.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { readAt } from './read-at.ts';
import {
  damaged,
  decodeFrame,
  decodeHead,
  HEADER_FIXED_BYTES,
  headLength,
  isIntact,
  PAYLOAD_BYTES_MAX,
  RECORD_HEADER_BYTES,
  type RecordingHead,
  recordLength,
} from './recording-format.ts';

/** Bytes between two reports of progress. */
const PROGRESS_BYTES = 64 * 1024;

export class RecordingReader {
  readonly file: string;
  readonly head: RecordingHead;
  /** Size of the file when it was opened. Frames appended later are not read. */
  readonly bytes: number;
  readonly #descriptor: number;
  readonly #headerBytes: number;
  #closed = false;

  private constructor(file: string, descriptor: number, bytes: number, head: RecordingHead, headerBytes: number) {
    this.file = file;
    this.head = head;
    this.bytes = bytes;
    this.#descriptor = descriptor;
    this.#headerBytes = headerBytes;
  }

  static open(file: string): RecordingReader {
    let descriptor: number;
    try {
      descriptor = openSync(file, 'r');
    } catch (error) {
      throw fileError(error, `reading ${file}`);
    }
    try {
      const bytes = fstatSync(descriptor).size;
      if (bytes > RECORDING_BYTES_MAX) {
        throw new RecordingError(
          'too_large',
          `${file} has ${bytes} bytes, more than the limit of ${RECORDING_BYTES_MAX}`,
        );
      }
      const fixed = readAt(descriptor, 0, HEADER_FIXED_BYTES);
      const length = headLength(file, fixed);
      const head = decodeHead(file, fixed, readAt(descriptor, HEADER_FIXED_BYTES, length));
      return new RecordingReader(file, descriptor, bytes, head, HEADER_FIXED_BYTES + length);
    } catch (error) {
      closeSync(descriptor);
      throw fileError(error, `reading ${file}`);
    }
  }

  /** All frames in order. Throws a RecordingError at any damage. `onProgress` gets the bytes read so far. */
  *frames(onProgress?: (bytesDone: number, bytesTotal: number) => void): Generator<Frame, void, undefined> {
    for (const { bytes, start, offset, length } of this.#records(onProgress)) {
      if (length === null) throw damaged(this.file, start + offset, 'an incomplete record');
      yield decodeFrame(bytes, offset, length);
    }
  }

  /**
   * The end of the intact records that start the file, in bytes, and their number. Stops at the first broken record.
   */
  intactEnd(): { readonly offset: number; readonly frames: number } {
    let end = this.#headerBytes;
    let frames = 0;
    for (const { start, offset, length } of this.#records()) {
      if (length === null) break;
      end = start + offset + RECORD_HEADER_BYTES + length;
      frames++;
    }
    return { offset: end, frames };
  }

  /** Whether any intact record lies behind byte `from`. If so, the broken one at `from` is damage, not a torn write. */
  hasRecordAfter(from: number): boolean {
    const lookAhead = RECORD_HEADER_BYTES + PAYLOAD_BYTES_MAX;
    for (let start = from + 1; start < this.bytes; start += RECORDING_WINDOW_BYTES) {
      const bytes = readAt(this.#descriptor, start, Math.min(this.bytes - start, RECORDING_WINDOW_BYTES + lookAhead));
      const last = Math.min(RECORDING_WINDOW_BYTES - 1, bytes.length - RECORD_HEADER_BYTES);
      for (let offset = 0; offset <= last; offset++) {
        const length = recordLength(bytes, offset);
        if (length !== null && isIntact(bytes, offset, length)) return true;
      }
    }
    return false;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    closeSync(this.#descriptor);
  }

  /** The place of each record in the window. Ends after the first broken record, whose `length` is null. */
  *#records(
    onProgress?: (bytesDone: number, bytesTotal: number) => void,
  ): Generator<{ bytes: Buffer; start: number; offset: number; length: number | null }, void, undefined> {
    let start = this.#headerBytes;
    let reported = 0;
    while (start < this.bytes) {
      let bytes = readAt(this.#descriptor, start, Math.min(RECORDING_WINDOW_BYTES, this.bytes - start));
      let offset = 0;
      while (offset < bytes.length) {
        const headerWhole = offset + RECORD_HEADER_BYTES <= bytes.length;
        const length = headerWhole ? recordLength(bytes, offset) : null;
        const end = length === null ? offset + RECORD_HEADER_BYTES : offset + RECORD_HEADER_BYTES + length;
        const more = start + bytes.length < this.bytes;
        if (end > bytes.length && more) {
          if (offset > 0) break;
          bytes = readAt(this.#descriptor, start, Math.min(end, this.bytes - start));
          continue;
        }
        if (length === null || !isIntact(bytes, offset, length)) {
          yield { bytes, start, offset, length: null };
          return;
        }
        yield { bytes, start, offset, length };
        offset = end;
        if (start + offset - reported < PROGRESS_BYTES) continue;
        reported = start + offset;
        onProgress?.(reported, this.bytes);
      }
      start += offset;
    }
  }
}
