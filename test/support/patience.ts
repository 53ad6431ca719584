// Waits for effects that follow a response of the service. Gives up after a while, so that a failing test ends.

import { setTimeout as pause } from 'node:timers/promises';

const PAUSE_MS = 20;

/** Polls until the value is neither false, null nor undefined, and returns it. Rejects after `withinMs`. */
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
  throw new Error(`did not happen within ${withinMs} ms: ${what}`);
}
