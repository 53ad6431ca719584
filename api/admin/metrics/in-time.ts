// Waits for the database briefly, so that what is known without it is shown while it is away.

import { METRICS_WAIT_MS } from '#engine/base/limits.ts';

/** Resolves with null if the work takes too long; its result is then ignored. */
export async function inTime<Value>(work: Promise<Value | null>): Promise<Value | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), METRICS_WAIT_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
