// Closes connections that were idle for too long, some after each poll of the event loop. What thousands of endpoints used
// at one moment is idle for too long at one moment, and closing one takes up to 15 us of the thread: all at once would hold
// deliveries up for longer than a slice of turns may take.

import type { LoopClock } from '#engine/base/clock.ts';
import { CLOSED_AT_ONCE_MAX } from '#engine/base/limits.ts';

interface IdleConnection {
  /** Closes it, unless it was used meanwhile. */
  closeIfIdle(): void;
}

export class IdleCloser {
  readonly #clock: Pick<LoopClock, 'afterPoll'>;
  /** Those that are to be closed: each once for every time that it was idle for too long or is to be looked at again. */
  #connections: IdleConnection[] = [];
  #closed = 0;

  constructor(clock: Pick<LoopClock, 'afterPoll'>) {
    this.#clock = clock;
  }

  add(connection: IdleConnection): void {
    this.#connections.push(connection);
    if (this.#connections.length === 1) this.#clock.afterPoll(this.#closeSome);
  }

  readonly #closeSome = (): void => {
    const until = Math.min(this.#closed + CLOSED_AT_ONCE_MAX, this.#connections.length);
    while (this.#closed < until) this.#connections[this.#closed++]!.closeIfIdle();
    if (this.#closed < this.#connections.length) {
      this.#clock.afterPoll(this.#closeSome);
      return;
    }
    this.#connections = [];
    this.#closed = 0;
  };
}
