// Paces the refusals of one address, if it gets very many. Nobody who is refused needs a thousand refusals a second, and
// a client that sends its next request after the answer to the last one then costs the others little: their requests wait
// for the same thread and the same cores.
//
// A refusal that waits holds no share of anything. Beyond the bounds refusals are sent at once.

import type { TimerClock } from '#engine/base/clock.ts';
import {
  ADDRESS_REFUSALS_AT_ONCE_MAX,
  ADDRESSES_COUNTED_MAX,
  REFUSAL_EVERY_MS,
  REFUSAL_WAIT_MS_MAX,
  REFUSALS_WAITING_MAX,
} from '#engine/base/limits.ts';
import { growingCache } from './growing-cache.ts';

interface Held {
  readonly send: () => void;
  readonly cancel: () => void;
}

export class RefusalPace {
  readonly #clock: Pick<TimerClock, 'nowMs' | 'schedule'>;
  /** When the next refusal of an address is due. */
  readonly #due = growingCache<{ ms: number }>(ADDRESSES_COUNTED_MAX);
  readonly #waiting = new Set<Held>();
  #hurries = false;

  constructor(clock: Pick<TimerClock, 'nowMs' | 'schedule'>) {
    this.#clock = clock;
  }

  /** Sends a refusal, or waits until it is due. */
  answer(address: string, send: () => void): void {
    const waitMs = this.#waitMs(address);
    if (waitMs <= 0) {
      send();
      return;
    }
    const cancel = this.#clock.schedule(waitMs, () => {
      this.#waiting.delete(held);
      send();
    });
    const held: Held = { send, cancel };
    this.#waiting.add(held);
  }

  /** Sends all that wait, and lets none wait from now on. */
  hurry(): void {
    this.#hurries = true;
    for (const { send, cancel } of this.#waiting) {
      cancel();
      send();
    }
    this.#waiting.clear();
  }

  #waitMs(address: string): number {
    if (this.#hurries) return 0;
    const nowMs = this.#clock.nowMs();
    let due = this.#due.get(address);
    if (due === undefined) {
      due = { ms: Number.NEGATIVE_INFINITY };
      this.#due.set(address, due);
    }
    const dueMs = Math.max(due.ms, nowMs - ADDRESS_REFUSALS_AT_ONCE_MAX * REFUSAL_EVERY_MS) + REFUSAL_EVERY_MS;
    if (dueMs - nowMs > REFUSAL_WAIT_MS_MAX || this.#waiting.size >= REFUSALS_WAITING_MAX) return 0;
    due.ms = dueMs;
    return dueMs - nowMs;
  }
}
