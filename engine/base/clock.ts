// Time as a parameter: of the engine, only this file reads the machine's clock and sets its timers.

import { setTimeout as sleep } from 'node:timers/promises';

export interface Clock {
  /** Monotonic milliseconds with a fraction, the same on every thread; differences only, never shown to anyone. */
  nowMs(): number;
  /** Unix epoch milliseconds, for records and headers. */
  wallMs(): number;
}

/** A clock that can be waited on as well. */
export interface TimerClock extends Clock {
  /** Resolves after `delayMs`; rejects with an AbortError once `signal` is aborted. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** Calls back after `delayMs` unless the returned function is called before. */
  schedule(delayMs: number, callback: () => void): () => void;
  /**
   * Does `work` again and again, each time `pauseMs` after the last one was through, until the returned function is called.
   * `work` deals with its own failures. Keeps no process alive.
   */
  every(pauseMs: number, work: () => Promise<void>): () => void;
}

/** What a shard needs besides, because a replay must begin at the same time on every thread. */
export interface ShardClock extends Clock {
  /** As `wallMs`, with a fraction. */
  exactWallMs(): number;
}

/** Each thread counts from its own beginning; the machine's monotonic clock is common to all. */
const ORIGIN_MS = originMs();
const WALL_ORIGIN_MS = performance.timeOrigin;

/** The machine's own; its functions may be handed on one by one. */
export const systemClock: ShardClock & TimerClock = {
  nowMs: () => ORIGIN_MS + performance.now(),
  wallMs: () => Date.now(),
  exactWallMs() {
    const exact = WALL_ORIGIN_MS + performance.now();
    const whole = Date.now();
    // Once the wall clock was put right by more than that, nobody knows the fraction.
    return Math.floor(exact) === whole ? exact : whole;
  },
  sleep: (delayMs, signal) => sleep(delayMs, undefined, signal === undefined ? {} : { signal }),
  schedule(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
  every(pauseMs, work) {
    let over = false;
    const timer = setTimeout(async () => {
      await work();
      if (!over) timer.refresh();
    }, pauseMs).unref();
    return () => {
      over = true;
      clearTimeout(timer);
    };
  },
};

/** The two clocks are read one after the other, and the thread can be interrupted in between: the closest of several counts. */
function originMs(): number {
  let origin = 0;
  let closest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 8; i++) {
    const before = performance.now();
    const common = Number(process.hrtime.bigint()) / 1e6;
    const after = performance.now();
    if (after - before >= closest) continue;
    closest = after - before;
    origin = common - (before + after) / 2;
  }
  return origin;
}
