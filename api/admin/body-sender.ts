// Forwards a body as it arrives, one part at a time. Bytes that arrive while a part is under way go into the next part:
// a lone line does not wait, and fast lines share few messages. It stops reading once a window of bytes is waiting.

import type { Readable } from 'node:stream';
import { INGEST_WINDOW_BYTES } from '#engine/base/limits.ts';

export interface BodyReceiver {
  readonly part: (bytes: Uint8Array<ArrayBuffer>) => void;
  readonly end: () => void;
  /** The client disconnected before the end of the body. */
  readonly cut: () => void;
}

export class BodySender {
  readonly #body: Readable;
  readonly #receiver: BodyReceiver;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #isPartUnderWay = false;
  #hasEnded = false;

  constructor(body: Readable, receiver: BodyReceiver) {
    this.#body = body;
    this.#receiver = receiver;
    body.on('data', this.#read).on('end', this.#ended).on('close', this.#closed);
  }

  /** The receiver has processed the part under way. */
  taken(): void {
    this.#isPartUnderWay = false;
    if (this.#waitingBytes > 0) this.#sendPart();
    else if (this.#hasEnded) this.#receiver.end();
  }

  /** Stops reading. The rest of the body is left to the caller. */
  stop(): void {
    this.#body.off('data', this.#read).off('end', this.#ended).off('close', this.#closed);
  }

  readonly #read = (bytes: Uint8Array): void => {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (!this.#isPartUnderWay) this.#sendPart();
    else if (this.#waitingBytes >= INGEST_WINDOW_BYTES) this.#body.pause();
  };

  readonly #ended = (): void => {
    this.#hasEnded = true;
    if (!this.#isPartUnderWay) this.#receiver.end();
  };

  readonly #closed = (): void => {
    if (!this.#hasEnded) this.#receiver.cut();
  };

  #sendPart(): void {
    // A copy, because chunks share pooled memory, which cannot be transferred to another thread.
    const part = new Uint8Array(this.#waitingBytes);
    let end = 0;
    for (const bytes of this.#waiting) {
      part.set(bytes, end);
      end += bytes.length;
    }
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#isPartUnderWay = true;
    this.#receiver.part(part);
    this.#body.resume();
  }
}
