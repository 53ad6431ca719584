// How long a thread may wait awake instead of asleep: timers of the platform know whole milliseconds, and what is due within one
// would start late. Awake, the thread takes a core from others, so it is for a small part of the time only.

/** Of the time, and how much of it can be saved up. */
const AWAKE_SHARE = 0.1;
const SAVED_MS_MAX = 20;

export class AwakeBudget {
  #savedMs = SAVED_MS_MAX;
  #lookedAtMs: number;
  #awakeUntilMs = Number.NEGATIVE_INFINITY;

  /** All times are monotonic milliseconds. */
  constructor(nowMs: number) {
    this.#lookedAtMs = nowMs;
  }

  /** Whether to wait for `delayMs` from now awake; a wait that was allowed is asked for again and again until it is over. */
  allows(delayMs: number, nowMs: number): boolean {
    if (nowMs < this.#awakeUntilMs) return true;
    this.#savedMs = Math.min(SAVED_MS_MAX, this.#savedMs + (nowMs - this.#lookedAtMs) * AWAKE_SHARE);
    this.#lookedAtMs = nowMs;
    if (delayMs > this.#savedMs) return false;
    this.#savedMs -= delayMs;
    this.#awakeUntilMs = nowMs + delayMs;
    return true;
  }
}
