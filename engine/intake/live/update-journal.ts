// The journal of a live session: the updates that it has published, beside its recording. A recording says what the
// upstream sent; only the code that derived the updates knows them as they were. After an upgrade that code is gone, and
// the journal still has them.
//
// An entry is handed to the operating system before its updates are published, so a killed process has published nothing
// that its journal does not have. A power cut can lose the end of the journal, as it can lose that of the recording.

import { closeSync, fdatasync, fdatasyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { assert } from '#engine/base/assert.ts';
import { fileError } from '#engine/base/recording-error.ts';
import { encodeJournalEntry, encodeJournalStart, type JournalEntry, type JournalHead } from './journal-format.ts';

const datasync = promisify(fdatasync);

export class UpdateJournal {
  readonly file: string;
  readonly #descriptor: number;
  #bytes: number;
  #closed = false;

  private constructor(file: string, descriptor: number, bytes: number) {
    this.file = file;
    this.#descriptor = descriptor;
    this.#bytes = bytes;
  }

  /** Creates an empty journal, in the place of any earlier one. */
  static create(file: string): UpdateJournal {
    try {
      return new UpdateJournal(file, openSync(file, 'w'), 0);
    } catch (error) {
      throw fileError(error, `writing ${file}`);
    }
  }

  /** Opens a journal to append to it. What lies behind `bytes` is cut off. */
  static append(file: string, bytes: number): UpdateJournal {
    try {
      const descriptor = openSync(file, 'r+');
      ftruncateSync(descriptor, bytes);
      return new UpdateJournal(file, descriptor, bytes);
    } catch (error) {
      throw fileError(error, `writing ${file}`);
    }
  }

  /**
   * Writes an entry to the operating system. Throws a RecordingError if it cannot; the next try overwrites the remains.
   */
  append(head: JournalHead, entry: JournalEntry): void {
    assert(!this.#closed, 'a closed journal takes no entries');
    const record = encodeJournalEntry(entry);
    const bytes = this.#bytes === 0 ? Buffer.concat([encodeJournalStart(head), record]) : record;
    try {
      let written = 0;
      while (written < bytes.length) {
        written += writeSync(this.#descriptor, bytes, written, bytes.length - written, this.#bytes + written);
      }
    } catch (error) {
      throw fileError(error, `writing ${this.file}`);
    }
    this.#bytes += bytes.length;
  }

  /** Makes the entries durable, on another thread. */
  async syncWritten(): Promise<void> {
    try {
      await datasync(this.#descriptor);
    } catch (error) {
      throw fileError(error, `writing ${this.file}`);
    }
  }

  /** Makes the entries durable. */
  sync(): void {
    try {
      fdatasyncSync(this.#descriptor);
    } catch (error) {
      throw fileError(error, `writing ${this.file}`);
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    closeSync(this.#descriptor);
  }
}
