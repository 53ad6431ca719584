// The refusal of a request beyond a limit. It says what is limited, and when to try again.

import { ApiError } from './api-error.ts';
import type { Rate } from './recent-events.ts';

/** `what`: what the limit counts, such as `such requests per address`. */
export function rateExceeded({ requests, windowMs }: Rate, what: string, waitMs: number): ApiError {
  const retryAfterS = Math.max(1, Math.ceil(waitMs / 1_000));
  const limit = `The limit is ${requests} ${what} in ${windowMs / 60_000} minutes`;
  return new ApiError('rate_limit_exceeded', `${limit}: try again in ${retryAfterS} seconds.`, {
    'retry-after': String(retryAfterS),
  });
}
