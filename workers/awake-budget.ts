// Decides when a thread may busy-wait instead of sleep. Platform timers count whole milliseconds, so work that is due
// within one would start late. A busy-waiting thread occupies a core, so it may do so for a small share of the time
// only.

/** The share of time that may be spent busy-waiting, and how much unused time can be saved up. */
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

  /**
   * Whether the thread may busy-wait for `delayMs`. A wait stays allowed until its end, so the caller can ask again
   * meanwhile.
   */
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
