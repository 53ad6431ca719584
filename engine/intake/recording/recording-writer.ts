// Appends frames to a recording. A batch of frames is one write. `sync` makes all appended frames durable, so the
// caller decides how many frames a power cut may cost.

import { assert } from '#engine/base/assert.ts';
import { RECORDING_BATCH_BYTES, RECORDING_BYTES_MAX, RECORDING_FRAMES_MAX } from '#engine/base/limits.ts';
import { RecordingError } from '#engine/base/recording-error.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { AppendedFile } from './appended-file.ts';
import { encodeHeader, encodeRecord, type RecordingHead } from './recording-format.ts';

export class RecordingWriter {
  readonly #file: AppendedFile;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #frames: number;

  private constructor(file: AppendedFile, frames: number) {
    this.#file = file;
    this.#frames = frames;
  }

  /** Creates a recording in a file that does not exist yet. */
  static create(file: string, head: RecordingHead): RecordingWriter {
    const writer = new RecordingWriter(AppendedFile.open(file, 'wx'), 0);
    writer.#add(encodeHeader(head));
    return writer;
  }

  /**
   * Opens an intact recording to append to it. `bytes` and `frames` are its size, as `recoverRecording` returns them.
   */
  static append(file: string, bytes: number, frames: number): RecordingWriter {
    return new RecordingWriter(AppendedFile.open(file, 'r+', bytes), frames);
  }

  get file(): string {
    return this.#file.file;
  }

  get frames(): number {
    return this.#frames;
  }

  /** Size of the recording, including frames that wait for the next write. */
  get bytes(): number {
    return this.#file.bytes + this.#pendingBytes;
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
  syncFlushed(): Promise<void> {
    return this.#file.syncWritten();
  }

  /** Writes pending frames and makes everything durable. */
  sync(): void {
    this.#write();
    this.#file.sync();
  }

  /** Closes the file. Frames that were not flushed are lost. */
  close(): void {
    this.#file.close();
  }

  #add(record: Buffer): void {
    this.#pending.push(record);
    this.#pendingBytes += record.length;
  }

  /** If a write fails, the next try overwrites its remains; otherwise they are the torn tail that recovery cuts off. */
  #write(): void {
    if (this.#pendingBytes === 0) return;
    assert(!this.#file.closed, 'a closed recording takes no frames');
    this.#file.write(Buffer.concat(this.#pending, this.#pendingBytes));
    this.#pending = [];
    this.#pendingBytes = 0;
  }
}
