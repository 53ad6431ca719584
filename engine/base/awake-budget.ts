// Decides when a thread may busy-wait, or be held (alarms.ts), instead of waiting for a timer. Platform timers count whole
// milliseconds, so work that is due within one would start late. A busy-waiting thread occupies a core, and one that is held does
// nothing else, so either may be for a small share of the time only.

/** The share of time that may be spent so, and how much unused time can be saved up. */
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
   * Whether the thread may wait so for `delayMs`. A wait stays allowed until its end, so the caller can ask again
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
