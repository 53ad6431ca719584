// A moment in which this thread waits for something to do. Deliveries fall due in bursts: work that nobody waits for, begun
// just after one, is over before the next.

import type { LoopClock, TimerClock } from '#engine/base/clock.ts';
import { QUIET_LOOK_MS, QUIET_WAIT_MS_MAX } from '#engine/base/limits.ts';

/** Of the time between two looks. What is left is the looks themselves. */
const QUIET_SHARE = 0.1;

export type QuietClock = Pick<LoopClock, 'nowMs' | 'busyMs'> & Pick<TimerClock, 'schedule'>;

/** Calls back once the thread has waited for QUIET_LOOK_MS, after QUIET_WAIT_MS_MAX in any case. */
export function atQuietMoment(clock: QuietClock, callback: () => void): void {
  const latestMs = clock.nowMs() + QUIET_WAIT_MS_MAX;
  const lookAfter = (sinceMs: number, busyMs: number): void => {
    clock.schedule(QUIET_LOOK_MS, () => {
      const nowMs = clock.nowMs();
      const nowBusyMs = clock.busyMs();
      if (nowBusyMs - busyMs < QUIET_SHARE * (nowMs - sinceMs) || nowMs >= latestMs) callback();
      else lookAfter(nowMs, nowBusyMs);
    });
  };
  lookAfter(clock.nowMs(), clock.busyMs());
}
