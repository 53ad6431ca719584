// Whether this thread works all the time. Then it is what deliveries wait for: more of them under way make none faster.

import type { LoopClock } from '#engine/base/clock.ts';
import { THREAD_LOAD_MS } from '#engine/base/limits.ts';

/** Of the time. A thread that waits for more can still do more. */
const IDLE_SHARE = 0.05;

export class ThreadLoad {
  readonly #clock: LoopClock;
  #sinceMs: number;
  #idleMs: number;
  #isFull = false;

  constructor(clock: LoopClock) {
    this.#clock = clock;
    this.#sinceMs = clock.nowMs();
    this.#idleMs = clock.idleMs();
  }

  /** Of the last THREAD_LOAD_MS and more: until it is asked again. */
  get isFull(): boolean {
    const nowMs = this.#clock.nowMs();
    const passedMs = nowMs - this.#sinceMs;
    if (passedMs >= THREAD_LOAD_MS) {
      const idleMs = this.#clock.idleMs();
      this.#isFull = idleMs - this.#idleMs <= IDLE_SHARE * passedMs;
      this.#sinceMs = nowMs;
      this.#idleMs = idleMs;
    }
    return this.#isFull;
  }
}
