// A body received over a port, one part at a time.

import { assert } from '#engine/base/assert.ts';

export class ReceivedBody implements AsyncIterable<Uint8Array> {
  readonly #taken: () => void;
  #part: Uint8Array | null = null;
  #end: 'none' | 'whole' | 'cut' = 'none';
  #wake: () => void = () => {};

  /** Calls `taken` when the consumer has processed a part. */
  constructor(taken: () => void) {
    this.#taken = taken;
  }

  put(part: Uint8Array): void {
    assert(this.#part === null, 'the previous part was taken');
    this.#part = part;
    this.#wake();
  }

  end(): void {
    this.#end = 'whole';
    this.#wake();
  }

  /** Ends the body with an error and discards the part that is waiting. */
  cut(): void {
    this.#part = null;
    this.#end = 'cut';
    this.#wake();
  }

  get isCut(): boolean {
    return this.#end === 'cut';
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      if (this.#part !== null) {
        const part = this.#part;
        this.#part = null;
        yield part;
        this.#taken();
      } else if (this.#end === 'none') {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      } else if (this.#end === 'cut') {
        throw new Error('the client disconnected');
      } else {
        return;
      }
    }
  }
}
