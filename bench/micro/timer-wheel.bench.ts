// Timers: started and cancelled, like the deadline of an answered attempt; started and fired, like the delay of a
// retry; and the check for due timers at every turn of the event loop, while many run.

import { DEADLINE_MS, RETRY_DELAYS_MS } from '#engine/base/limits.ts';
import { Timer, TimerWheel } from '#engine/base/timer-wheel.ts';
import type { Operation } from './operation.ts';

const TIMERS = 4_096;
/** Time between two attempts, which spreads the timers over many ticks. */
const APART_MS = 0.03;
const RETRY_MS = RETRY_DELAYS_MS[1]!;
/** All timers of a lap fire within this time. */
const LAP_MS = 2 * RETRY_MS;
const LOOKS = 2_048;

export function prepare(): readonly Operation[] {
  return [startAndCancel(), startAndFire(), lookAt()];
}

function timers(): readonly Timer<number>[] {
  return Array.from({ length: TIMERS }, (_, index) => new Timer(index));
}

function startAndCancel(): Operation {
  const wheel = new TimerWheel<number>(0);
  const all = timers();
  const lap = (): number => {
    for (let i = 0; i < TIMERS; i++) wheel.start(all[i]!, DEADLINE_MS + i * APART_MS);
    const { running } = wheel;
    for (const timer of all) wheel.cancel(timer);
    return running - wheel.running;
  };
  return { name: 'start and cancel a deadline', times: TIMERS, answer: TIMERS, bytes: 0, lap };
}

function startAndFire(): Operation {
  const wheel = new TimerWheel<number>(0);
  const all = timers();
  let sum = 0;
  const fire = (owner: number): void => {
    sum += owner;
  };
  let laps = 0;
  const lap = (): number => {
    sum = 0;
    const fromMs = laps * LAP_MS;
    for (let i = 0; i < TIMERS; i++) wheel.start(all[i]!, fromMs + RETRY_MS + i * APART_MS);
    laps++;
    wheel.advance(laps * LAP_MS, fire);
    return sum;
  };
  return { name: 'start and fire a delay', times: TIMERS, answer: (TIMERS * (TIMERS - 1)) / 2, bytes: 0, lap };
}

function lookAt(): Operation {
  const wheel = new TimerWheel<number>(0);
  for (const [index, timer] of timers().entries()) wheel.start(timer, DEADLINE_MS + index * APART_MS);
  const fire = (): void => {};
  const lap = (): number => {
    let due = 0;
    for (let i = 0; i < LOOKS; i++) {
      wheel.advance(1 + i * 0.001, fire);
      if (wheel.nextDueMs() === DEADLINE_MS) due++;
    }
    return due;
  };
  return { name: 'look at a wheel with nothing due', times: LOOKS, answer: LOOKS, bytes: 0, lap };
}
