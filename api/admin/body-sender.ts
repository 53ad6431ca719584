// Sends a body on as it comes, one part at a time: what comes while a part is on its way goes with the next one. A lone line
// waits for nothing, and lines that come fast are few messages. Once a window of bytes waits, no more is read.

import type { Readable } from 'node:stream';
import { INGEST_WINDOW_BYTES } from '#engine/base/limits.ts';

export interface BodyReceiver {
  readonly part: (bytes: Uint8Array<ArrayBuffer>) => void;
  readonly end: () => void;
  /** It broke off. */
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

  /** The part that is on its way has been dealt with. */
  taken(): void {
    this.#isPartUnderWay = false;
    if (this.#waitingBytes > 0) this.#sendPart();
    else if (this.#hasEnded) this.#receiver.end();
  }

  /** Leaves the rest of the body to others. */
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
    // A copy of its own: what is read shares its memory with other parts, which therefore cannot change hands.
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
