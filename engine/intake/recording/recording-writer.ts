// Appends frames to a recording. A batch of frames is one write. `sync` makes all appended frames durable, so the
// caller decides how many frames a power cut may cost.

import { closeSync, fdatasync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { assert } from '#engine/base/assert.ts';
import { RECORDING_BATCH_BYTES, RECORDING_BYTES_MAX, RECORDING_FRAMES_MAX } from '#engine/base/limits.ts';
import { fileError, RecordingError } from '#engine/base/recording-error.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { encodeHeader, encodeRecord, type RecordingHead } from './recording-format.ts';

const datasync = promisify(fdatasync);

export class RecordingWriter {
  readonly file: string;
  readonly #descriptor: number;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #frames: number;
  #bytes: number;
  #closed = false;

  private constructor(file: string, descriptor: number, bytes: number, frames: number) {
    this.file = file;
    this.#descriptor = descriptor;
    this.#bytes = bytes;
    this.#frames = frames;
  }

  /** Creates a recording in a file that does not exist yet. */
  static create(file: string, head: RecordingHead): RecordingWriter {
    try {
      const writer = new RecordingWriter(file, openSync(file, 'wx'), 0, 0);
      writer.#add(encodeHeader(head));
      return writer;
    } catch (error) {
      throw fileError(error, `writing ${file}`);
    }
  }

  /**
   * Opens an intact recording to append to it. `bytes` and `frames` are its size, as `recoverRecording` returns them.
   */
  static append(file: string, bytes: number, frames: number): RecordingWriter {
    try {
      return new RecordingWriter(file, openSync(file, 'r+'), bytes, frames);
    } catch (error) {
      throw fileError(error, `writing ${file}`);
    }
  }

  get frames(): number {
    return this.#frames;
  }

  /** Size of the recording, including frames that wait for the next write. */
  get bytes(): number {
    return this.#bytes + this.#pendingBytes;
  }

  append(frame: Frame): void {
    if (this.#frames >= RECORDING_FRAMES_MAX || this.bytes >= RECORDING_BYTES_MAX) {
      throw new RecordingError('too_large', `${this.file} has reached the limit of a recording`);
    }
    this.#add(encodeRecord(frame));
    this.#frames++;
    if (this.#pendingBytes >= RECORDING_BATCH_BYTES) this.#write();
  }

  /** Writes pending frames to the operating system. They survive the death of the process, but not a power cut. */
  flush(): void {
    this.#write();
  }

  /** Makes flushed frames durable, on another thread. */
  async syncFlushed(): Promise<void> {
    try {
      await datasync(this.#descriptor);
    } catch (error) {
      throw fileError(error, `writing ${this.file}`);
    }
  }

  /** Writes pending frames and makes everything durable. */
  sync(): void {
    this.#write();
    try {
      fdatasyncSync(this.#descriptor);
    } catch (error) {
      throw fileError(error, `writing ${this.file}`);
    }
  }

  /** Closes the file. Frames that were not flushed are lost. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    closeSync(this.#descriptor);
  }

  #add(record: Buffer): void {
    this.#pending.push(record);
    this.#pendingBytes += record.length;
  }

  /** If a write fails, the next try overwrites its remains; otherwise they are the torn tail that recovery cuts off. */
  #write(): void {
    if (this.#pendingBytes === 0) return;
    assert(!this.#closed, 'a closed recording takes no frames');
    const batch = Buffer.concat(this.#pending, this.#pendingBytes);
    try {
      let written = 0;
      while (written < batch.length) {
        written += writeSync(this.#descriptor, batch, written, batch.length - written, this.#bytes + written);
      }
    } catch (error) {
      throw fileError(error, `writing ${this.file}`);
    }
    this.#bytes += batch.length;
    this.#pending = [];
    this.#pendingBytes = 0;
  }
}
