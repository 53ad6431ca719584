// A file that only grows. What is written is handed to the operating system at once, so it survives the death of the
// process. It survives a power cut once it is synced.

import { closeSync, fdatasync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { fileError } from '#engine/base/recording-error.ts';

const datasync = promisify(fdatasync);

export class AppendedFile {
  readonly file: string;
  readonly #descriptor: number;
  #bytes: number;
  #closed = false;

  private constructor(file: string, descriptor: number, bytes: number) {
    this.file = file;
    this.#descriptor = descriptor;
    this.#bytes = bytes;
  }

  /**
   * `wx` creates a file that does not exist yet, `w` one in the place of any other, `r+` opens one whose first `bytes`
   * stay as they are. Throws a RecordingError.
   */
  static open(file: string, flags: 'wx' | 'w' | 'r+', bytes = 0): AppendedFile {
    try {
      return new AppendedFile(file, openSync(file, flags), bytes);
    } catch (error) {
      throw fileError(error, `writing ${file}`);
    }
  }

  /** Its size without the remains of a write that failed. */
  get bytes(): number {
    return this.#bytes;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Throws a RecordingError if it cannot write all; the next try overwrites the remains. */
  write(bytes: Uint8Array): void {
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

  /** Makes what is written durable, on another thread. Rejects with a RecordingError. */
  async syncWritten(): Promise<void> {
    try {
      await datasync(this.#descriptor);
    } catch (error) {
      throw fileError(error, `writing ${this.file}`);
    }
  }

  /** Makes what is written durable. Throws a RecordingError. */
  sync(): void {
    try {
      fdatasyncSync(this.#descriptor);
    } catch (error) {
      throw fileError(error, `writing ${this.file}`);
    }
  }

  /** Safe to call again. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    closeSync(this.#descriptor);
  }
}
