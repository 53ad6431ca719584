// Opens a session's artifact. Compiles it first if it is missing or outdated for this version of the service.

import type { TimerClock } from '#engine/base/clock.ts';
import { RecordingsUnreachable } from '#engine/intake/recording/recording-store.ts';
import type { OpenArtifact, PlaybackLibrary } from './playback-library.ts';

const POLL_MS = 250;

/**
 * Returns null when the artifact cannot be compiled, or when `cancelled` returns true. While recordings cannot be reached it
 * waits. `holder`: see PlaybackLibrary.
 */
export async function openPrepared(
  library: PlaybackLibrary,
  sessionId: string,
  clock: TimerClock,
  cancelled: () => boolean,
  holder?: string,
): Promise<OpenArtifact | null> {
  for (;;) {
    try {
      return await openOnce(library, sessionId, clock, cancelled, holder);
    } catch (error) {
      if (!(error instanceof RecordingsUnreachable)) throw error;
      if (cancelled()) return null;
      await clock.sleep(POLL_MS);
    }
  }
}

async function openOnce(
  library: PlaybackLibrary,
  sessionId: string,
  clock: TimerClock,
  cancelled: () => boolean,
  holder: string | undefined,
): Promise<OpenArtifact | null> {
  const opened = await library.open(sessionId);
  if (opened !== null) return opened;
  let preparation = await library.prepare(sessionId, holder);
  while (preparation.status === 'preparing' && !cancelled()) {
    await clock.sleep(POLL_MS);
    preparation = await library.status(sessionId);
  }
  return preparation.status === 'ready' ? library.open(sessionId) : null;
}
