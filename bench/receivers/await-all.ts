// Waits in a receiver's process until all that the bench expects has arrived.

import { monotonicMs } from '../suite/monotonic.ts';

const POLL_MS = 10;

/** Calls `done` once everything is there, or when the time is up. */
export function awaitAll(isComplete: () => boolean, timeoutMs: number, done: () => void): void {
  const untilMs = monotonicMs() + timeoutMs;
  const poll = setInterval(() => {
    if (!isComplete() && monotonicMs() < untilMs) return;
    clearInterval(poll);
    done();
  }, POLL_MS);
}
