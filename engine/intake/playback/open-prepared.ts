// A session's artifact, compiled first if it is not there or a newer version of the service finds it outdated.

import type { TimerClock } from '#engine/base/clock.ts';
import type { OpenArtifact, PlaybackLibrary } from './playback-library.ts';

const POLL_MS = 250;

/** Null when it cannot be compiled, or `cancelled` says so. */
export async function openPrepared(
  library: PlaybackLibrary,
  sessionId: string,
  clock: TimerClock,
  cancelled: () => boolean,
): Promise<OpenArtifact | null> {
  const opened = await library.open(sessionId);
  if (opened !== null) return opened;
  let preparation = await library.prepare(sessionId);
  while (preparation.status === 'preparing' && !cancelled()) {
    await clock.sleep(POLL_MS);
    preparation = await library.status(sessionId);
  }
  return preparation.status === 'ready' ? library.open(sessionId) : null;
}
