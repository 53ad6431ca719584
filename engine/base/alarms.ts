// Calls back at moments, to a fraction of a millisecond. The platform's timers count whole milliseconds, and sleep so many from
// whenever the event loop comes to it: they end 0.7 ms late at p50, and 2 ms at p99.
//
// AL1 A timer ends well before the moment, however far away that is: the platform takes a delay of more than 24 days for none.
//     For the last part of a millisecond the thread is held, without a core.
// AL2 A thread is held for a small share of the time only. Beyond it, a moment is noticed by the next timer after it.
// AL3 No moment is noticed before it has come.

import { AwakeBudget } from './awake-budget.ts';
import type { TimerClock } from './clock.ts';
import { ALARM_SLEEP_MS_MAX } from './limits.ts';

/** A timer that is set after a turn of work may end so much late. */
const TIMER_LATE_MS = 2;

export interface AlarmsParts {
  readonly clock: TimerClock;
  /** Calls back after other work of the thread. */
  readonly later: (work: () => void) => void;
  /** Holds the thread for so many milliseconds, with a fraction. */
  readonly hold: (ms: number) => void;
}

export class Alarms {
  readonly #parts: AlarmsParts;
  readonly #budget: AwakeBudget;

  constructor(parts: AlarmsParts) {
    this.#parts = parts;
    this.#budget = new AwakeBudget(parts.clock.nowMs());
  }

  /** Calls back at this time on the monotonic clock, never before this returns. The returned function cancels it. */
  at(atMs: number, callback: () => void): () => void {
    const { clock, later, hold } = this.#parts;
    let isCancelled = false;
    let cancel = (): void => {};
    const sleep = (leftMs: number): void => {
      const delayMs = Math.min(Math.floor(leftMs) - TIMER_LATE_MS, ALARM_SLEEP_MS_MAX);
      cancel = clock.schedule(Math.max(1, delayMs), look);
    };
    const look = (): void => {
      if (isCancelled) return;
      const nowMs = clock.nowMs();
      const leftMs = atMs - nowMs;
      if (leftMs > 0) {
        if (leftMs > 2 * TIMER_LATE_MS) {
          sleep(leftMs);
          return;
        }
        if (leftMs >= 1 || !this.#budget.allows(leftMs, nowMs)) {
          cancel = clock.schedule(Math.max(1, Math.floor(leftMs)), look);
          return;
        }
        hold(leftMs);
      }
      callback();
    };
    const leftMs = atMs - clock.nowMs();
    if (leftMs < 1) later(look);
    else sleep(leftMs);
    return () => {
      isCancelled = true;
      cancel();
    };
  }
}
