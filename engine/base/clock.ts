// Time as a parameter. This is the only file in the engine that reads the machine's clock and sets timers.

import { setTimeout as sleep } from 'node:timers/promises';

export interface Clock {
  /** Monotonic milliseconds with a fraction, the same on all threads. For differences only; never shown. */
  nowMs(): number;
  /** Unix epoch milliseconds, for records and headers. */
  wallMs(): number;
}

/** A clock with timers. */
export interface TimerClock extends Clock {
  /** Resolves after `delayMs`; rejects with an AbortError once `signal` is aborted. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** Calls back after `delayMs`. The returned function cancels this. */
  schedule(delayMs: number, callback: () => void): () => void;
  /**
   * Repeats `work`, each time `pauseMs` after the last run has ended, until the returned function is called. `work`
   * must handle its own failures. Does not keep the process alive.
   */
  every(pauseMs: number, work: () => Promise<void>): () => void;
}

/** A clock that knows the event loop. */
export interface LoopClock extends Clock {
  /** Calls back once the event loop has received what has arrived on its sockets by now. */
  afterPoll(callback: () => void): void;
  /** For how many milliseconds the event loop has waited, not worked, since the thread started. */
  idleMs(): number;
}

/**
 * `performance.now()` counts from the start of each thread. This is the offset to the machine's monotonic clock, which
 * all share.
 */
const ORIGIN_MS = originMs();

/** What waits for a poll together; null: nothing yet. Thousands of requests may, and each alone would take two immediates. */
let joining: (() => void)[] | null = null;

function runAll(callbacks: readonly (() => void)[]): void {
  for (const callback of callbacks) callback();
}

/** The machine's clock. Its functions do not use `this`, so they can be passed on individually. */
export const systemClock: TimerClock & LoopClock = {
  nowMs: () => ORIGIN_MS + performance.now(),
  wallMs: () => Date.now(),
  sleep: (delayMs, signal) => sleep(delayMs, undefined, signal === undefined ? {} : { signal }),
  schedule(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
  afterPoll(callback) {
    if (joining === null) {
      const batch: (() => void)[] = [];
      joining = batch;
      // This one may run before the loop polls again. What comes after it waits for a later poll.
      setImmediate(() => {
        joining = null;
        setImmediate(runAll, batch);
      });
    }
    joining.push(callback);
  },
  idleMs: () => performance.nodeTiming.idleTime,
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

const NEVER_NOTIFIED = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/** Holds the thread for `ms`, to a small part of one: it sleeps, and nothing else runs on it. */
export function holdThread(ms: number): void {
  Atomics.wait(NEVER_NOTIFIED, 0, 0, ms);
}

/**
 * Reads both clocks several times and uses the closest pair of readings, because the thread can be interrupted in
 * between.
 */
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
