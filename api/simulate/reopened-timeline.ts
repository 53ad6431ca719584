// What an unfinished run plays when it is resumed: the timeline that it began with, whatever its session has become
// since. With another one its delivery ids would mean other updates.

import type { OpenArtifact, PlaybackLibrary } from '#engine/intake/playback/playback-library.ts';
import type { RunRecord } from './run-store.ts';

type Began = Pick<RunRecord, 'sessionId' | 'timelineOrigin' | 'updateCount'>;

/**
 * Opens the run's own timeline. If that is gone, opens what `prepare` makes of its session now, which may be the same.
 * Null when there is neither; `other` when the session now has another timeline.
 */
export async function reopenedTimeline(
  library: Pick<PlaybackLibrary, 'openOrigin'>,
  run: Began,
  prepare: () => Promise<OpenArtifact | null>,
): Promise<OpenArtifact | 'other' | null> {
  const { sessionId, timelineOrigin } = run;
  const own = timelineOrigin === null ? null : await library.openOrigin(sessionId, timelineOrigin);
  const opened = own ?? (await prepare());
  if (opened === null || isOf(run, opened)) return opened;
  opened.release();
  return 'other';
}

/** A run that does not know its timeline is judged by the number of updates. */
function isOf({ timelineOrigin, updateCount }: Began, { origin, timeline }: OpenArtifact): boolean {
  return timelineOrigin === null ? timeline.length === updateCount : timelineOrigin === origin;
}
