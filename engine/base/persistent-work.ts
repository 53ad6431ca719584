// Work that must be done although the database may be unreachable for a while, such as recording what has happened: it
// is retried until it succeeds.

import { Backoff } from './backoff.ts';
import { RECORD_RETRY_MS, RECORD_RETRY_MS_MAX } from './limits.ts';

export interface Persistence {
  /** Resolves when the next try is due. May reject while the service is closing, which ends the retries. */
  readonly pause: (delayMs: number) => Promise<unknown>;
  /** Whether the service is closing. Then a failed try is not repeated. */
  readonly isClosing: () => boolean;
  /** Called when a try has failed and another one follows. */
  readonly failed: (error: unknown) => void;
}

const BACKOFF = new Backoff(RECORD_RETRY_MS, RECORD_RETRY_MS_MAX);

/**
 * Repeats `work` until it succeeds. Rejects only while the service is closing, with the error of the last try or of the
 * pause.
 */
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
