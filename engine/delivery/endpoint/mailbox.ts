// An actor's mailbox: positions of matching updates that wait for their first attempt, in timeline order (I5).
//
// It holds positions, not payloads, and is bounded (I2). When it is full, the actor stops feeding it and continues from
// its place in the timeline once there is room. The timeline is the overflow: nothing is lost, and a slow endpoint
// costs no more than a cursor.

import { MAILBOX_POSITIONS_MAX } from '#engine/base/limits.ts';
import { RingBuffer } from '#engine/base/ring-buffer.ts';

export type Offered = 'queued' | 'full';

export class Mailbox {
  readonly #positions = new RingBuffer(MAILBOX_POSITIONS_MAX);

  get length(): number {
    return this.#positions.length;
  }

  get full(): boolean {
    return this.#positions.full;
  }

  offer(position: number): Offered {
    if (this.#positions.full) return 'full';
    this.#positions.push(position);
    return 'queued';
  }

  /** Returns the next position without taking it, or null. */
  peek(): number | null {
    return this.#positions.length === 0 ? null : this.#positions.peek();
  }

  /** Takes the next position. The mailbox must not be empty. */
  take(): number {
    return this.#positions.shift();
  }
}
