// A moment in which this thread waits for something to do. Deliveries fall due in bursts: work that nobody waits for, begun
// just after one, is over before the next.

import type { LoopClock, TimerClock } from '#engine/base/clock.ts';
import { QUIET_LOOK_MS, QUIET_WAIT_MS_MAX } from '#engine/base/limits.ts';

/** Of the time between two looks. The rest are the looks themselves. */
const QUIET_SHARE = 0.9;

export type QuietClock = Pick<LoopClock, 'nowMs' | 'idleMs'> & Pick<TimerClock, 'schedule'>;

/** Calls back once the thread has waited for QUIET_LOOK_MS, after QUIET_WAIT_MS_MAX in any case. */
export function atQuietMoment(clock: QuietClock, callback: () => void): void {
  const latestMs = clock.nowMs() + QUIET_WAIT_MS_MAX;
  const lookAfter = (sinceMs: number, idleMs: number): void => {
    clock.schedule(QUIET_LOOK_MS, () => {
      const nowMs = clock.nowMs();
      const nowIdleMs = clock.idleMs();
      if (nowIdleMs - idleMs > QUIET_SHARE * (nowMs - sinceMs) || nowMs >= latestMs) callback();
      else lookAfter(nowMs, nowIdleMs);
    });
  };
  lookAfter(clock.nowMs(), clock.idleMs());
}
