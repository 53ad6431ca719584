// Reads a journal from its beginning up to its last intact entry, with bounded memory.

import { closeSync, fstatSync, openSync } from 'node:fs';
import { JOURNAL_BYTES_MAX, JOURNAL_WINDOW_BYTES } from '#engine/base/limits.ts';
import { fileError } from '#engine/base/recording-error.ts';
import { readAt } from '#engine/intake/recording/read-at.ts';
import { updatesIn } from '#engine/timeline/timeline-block.ts';
import {
  decodeJournalEntry,
  decodeJournalHead,
  isIntactRecord,
  JOURNAL_HEADER_BYTES,
  JOURNAL_RECORD_HEADER_BYTES,
  type JournalEntry,
  type JournalHead,
  journalProblem,
} from './journal-format.ts';

export class JournalReader {
  readonly head: JournalHead;
  /** Size of the file when it was opened. */
  readonly bytes: number;
  readonly #file: string;
  readonly #descriptor: number;
  /** Where the intact entries end that were read so far. */
  #intactBytes = 0;
  #windowStart = 0;
  #window: Buffer = Buffer.alloc(0);

  private constructor(file: string, descriptor: number, bytes: number) {
    this.#file = file;
    this.#descriptor = descriptor;
    this.bytes = bytes;
    if (bytes > JOURNAL_BYTES_MAX) throw new Unusable(`it has ${bytes} bytes, more than ${JOURNAL_BYTES_MAX}`);
    const problem = journalProblem(this.#read(0, JOURNAL_HEADER_BYTES) ?? Buffer.alloc(0));
    if (problem !== null) throw new Unusable(problem);
    const head = this.#record(JOURNAL_HEADER_BYTES);
    if (head === null) throw new Unusable('it ends within its head');
    this.head = decodeJournalHead(head);
    this.#intactBytes = JOURNAL_HEADER_BYTES + JOURNAL_RECORD_HEADER_BYTES + head.length;
  }

  /**
   * Returns null if there is no journal or an empty one, or why it cannot be used, as a phrase. Throws a RecordingError
   * when the file cannot be read.
   */
  static open(file: string): JournalReader | { readonly unusable: string } | null {
    let descriptor: number;
    try {
      descriptor = openSync(file, 'r');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw fileError(error, `reading ${file}`);
    }
    let reader: JournalReader | null = null;
    try {
      const { size } = fstatSync(descriptor);
      if (size > 0) reader = new JournalReader(file, descriptor, size);
      return reader;
    } catch (error) {
      if (error instanceof Unusable) return { unusable: error.message };
      throw fileError(error, `reading ${file}`);
    } finally {
      if (reader === null) closeSync(descriptor);
    }
  }

  get intactBytes(): number {
    return this.#intactBytes;
  }

  /** All intact entries in order. Ends at the first broken one, or one that does not follow those before it. */
  *entries(): Generator<JournalEntry, void, undefined> {
    let position = 0;
    for (;;) {
      const payload = this.#record(this.#intactBytes);
      const entry = payload === null ? null : decodeJournalEntry(payload);
      if (payload === null || entry === null || entry.block.from !== position) return;
      position += updatesIn(entry.block);
      this.#intactBytes += JOURNAL_RECORD_HEADER_BYTES + payload.length;
      yield entry;
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  /** The payload of the record at `offset`; null if there is no intact one. */
  #record(offset: number): Buffer | null {
    const header = this.#read(offset, JOURNAL_RECORD_HEADER_BYTES);
    if (header === null) return null;
    const payload = this.#read(offset + JOURNAL_RECORD_HEADER_BYTES, header.readUInt32LE(0));
    return payload === null || !isIntactRecord(header, payload) ? null : payload;
  }

  /** These bytes of the file; null if it has fewer. */
  #read(offset: number, length: number): Buffer | null {
    if (offset + length > this.bytes) return null;
    const start = offset - this.#windowStart;
    if (start + length <= this.#window.length) return this.#window.subarray(start, start + length);
    try {
      this.#window = readAt(
        this.#descriptor,
        offset,
        Math.min(this.bytes - offset, Math.max(length, JOURNAL_WINDOW_BYTES)),
      );
    } catch (error) {
      throw fileError(error, `reading ${this.#file}`);
    }
    this.#windowStart = offset;
    return this.#window.length < length ? null : this.#window.subarray(0, length);
  }
}

class Unusable extends Error {}
