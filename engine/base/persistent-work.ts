// Work that comes once and must be done: what has happened is to be written down, while the database may be away for a while.

import { Backoff } from './backoff.ts';
import { RECORD_RETRY_MS, RECORD_RETRY_MS_MAX } from './limits.ts';

export interface Persistence {
  /** Resolves when the next try is due. May reject while the service closes, which ends the tries. */
  readonly pause: (delayMs: number) => Promise<unknown>;
  /** Whether the service closes: then a failure is the last. */
  readonly isClosing: () => boolean;
  /** A try has failed and another one follows. */
  readonly failed: (error: unknown) => void;
}

const BACKOFF = new Backoff(RECORD_RETRY_MS, RECORD_RETRY_MS_MAX);

/** Tries until it is done. Rejects only while the service closes, with the failure of the last try or of the pause. */
export async function untilDone<Result>(
  work: () => Promise<Result>,
  { pause, isClosing, failed }: Persistence,
): Promise<Result> {
  for (let failures = 0; ; failures++) {
    try {
      return await work();
    } catch (error) {
      if (isClosing()) throw error;
      failed(error);
    }
    await pause(BACKOFF.pauseMs(failures));
  }
}
