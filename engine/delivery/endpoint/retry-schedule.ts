// When an update is retried: attempts 1 to 4 start after 0, 1, 5 and 30 seconds, each counted from the end of the
// attempt before it (I4).

import { ATTEMPTS_MAX, RETRY_DELAYS_MS } from '#engine/base/limits.ts';

/**
 * Returns the milliseconds from the end of the last attempt until the next may start; null if there is no retry left.
 */
export function retryDelayMs(attemptsMade: number): number | null {
  return attemptsMade < ATTEMPTS_MAX ? RETRY_DELAYS_MS[attemptsMade]! : null;
}
