// The journal of a live session: the updates that it has published, beside its recording. A recording says what the
// upstream sent; only the code that derived the updates knows them as they were. After an upgrade that code is gone, and
// the journal still has them.
//
// An entry is handed to the operating system before its updates are published, so a killed process has published nothing
// that its journal does not have. A power cut can lose the end of the journal, as it can lose that of the recording.

import { truncateSync } from 'node:fs';
import { assert } from '#engine/base/assert.ts';
import { fileError } from '#engine/base/recording-error.ts';
import { AppendedFile } from '#engine/intake/recording/appended-file.ts';
import { encodeJournalEntry, encodeJournalStart, type JournalEntry, type JournalHead } from './journal-format.ts';

export class UpdateJournal {
  readonly #file: AppendedFile;

  private constructor(file: AppendedFile) {
    this.#file = file;
  }

  /** Creates an empty journal, in the place of any earlier one. */
  static create(file: string): UpdateJournal {
    return new UpdateJournal(AppendedFile.open(file, 'w'));
  }

  /** Opens a journal to append to it. What lies behind `bytes` is cut off. */
  static append(file: string, bytes: number): UpdateJournal {
    try {
      truncateSync(file, bytes);
    } catch (error) {
      throw fileError(error, `writing ${file}`);
    }
    return new UpdateJournal(AppendedFile.open(file, 'r+', bytes));
  }

  /**
   * Writes an entry to the operating system. Throws a RecordingError if it cannot; the next try overwrites the remains.
   */
  append(head: JournalHead, entry: JournalEntry): void {
    assert(!this.#file.closed, 'a closed journal takes no entries');
    const record = encodeJournalEntry(entry);
    this.#file.write(this.#file.bytes === 0 ? Buffer.concat([encodeJournalStart(head), record]) : record);
  }

  /** Makes the entries durable, on another thread. */
  syncWritten(): Promise<void> {
    return this.#file.syncWritten();
  }

  /** Makes the entries durable. */
  sync(): void {
    this.#file.sync();
  }

  close(): void {
    this.#file.close();
  }
}
