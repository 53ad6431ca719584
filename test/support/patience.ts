// Waits for what a service does after it has answered, and gives up after a while, so that a test that fails also ends.

import { setTimeout as pause } from 'node:timers/promises';

const PAUSE_MS = 20;

/** Asks until the answer is neither false, null nor undefined, and returns it; rejects after `withinMs`. */
export async function eventually<Value>(
  what: string,
  ask: () => Value | Promise<Value>,
  withinMs = 20_000,
  pauseMs = PAUSE_MS,
): Promise<Exclude<Value, false | null | undefined>> {
  const endMs = performance.now() + withinMs;
  while (performance.now() < endMs) {
    const value = await ask();
    if (value !== false && value !== null && value !== undefined) {
      return value as Exclude<Value, false | null | undefined>;
    }
    await pause(pauseMs);
  }
  throw new Error(`in vain after ${withinMs} ms: ${what}`);
}
