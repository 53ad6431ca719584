// The bodies of logged attempts. They are not stored: they are read from where the updates of the run still are.
//
// Of a replay, that is the artifact that it played. Of a live session, it is the memory of its live delivery, until that
// has ended; then what today's service makes of the recording, which is the same unless its deriver is another (I7).

import { ApiError } from '#api/http/api-error.ts';
import type { LiveDeliveries } from '#api/webhooks/live/live-deliveries.ts';
import { ArtifactsFull } from '#engine/intake/playback/open-artifacts.ts';
import type { OpenArtifact, PlaybackLibrary } from '#engine/intake/playback/playback-library.ts';
import { LiveTimeline } from '#engine/timeline/live-timeline.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import type { LoggedAttempt, LoggedRun } from './delivery-log-store.ts';

/** Why a body cannot be made again. */
export type BodyGone = 'test_sample' | 'run_removed' | 'updates_not_at_hand' | 'updates_changed';

export type LoggedBody =
  /** `isSure`: these are the bytes that were sent. Otherwise another version of the service may have sent others. */
  | { readonly kind: 'found'; readonly bytes: Uint8Array; readonly isSure: boolean }
  | { readonly kind: 'gone'; readonly why: BodyGone };

export interface LoggedBodiesParts {
  readonly live: Pick<LiveDeliveries, 'memoryOf'>;
  readonly library: Pick<PlaybackLibrary, 'open' | 'openOrigin'>;
}

export class LoggedBodies {
  readonly #parts: LoggedBodiesParts;

  constructor(parts: LoggedBodiesParts) {
    this.#parts = parts;
  }

  async of(attempt: LoggedAttempt): Promise<LoggedBody> {
    const { run, mode } = attempt;
    if (mode === 'test') return gone('test_sample');
    if (run === null) return gone('run_removed');
    const memory = mode === 'live' ? this.#parts.live.memoryOf(run.sessionId) : null;
    if (memory !== null) return bodyIn(new LiveTimeline(memory).timeline, attempt, true);
    const opened = await this.#open(run).catch((error: Error) => {
      if (!(error instanceof ArtifactsFull)) throw error;
      throw new ApiError('unavailable', 'Replays of too many different sessions are running.', { 'retry-after': '60' });
    });
    if (opened === null) return gone('updates_not_at_hand');
    try {
      return bodyIn(opened.timeline, attempt, run.timelineOrigin !== null);
    } finally {
      opened.release();
    }
  }

  #open({ sessionId, timelineOrigin }: LoggedRun): Promise<OpenArtifact | null> {
    const { library } = this.#parts;
    return timelineOrigin === null ? library.open(sessionId) : library.openOrigin(sessionId, timelineOrigin);
  }
}

function bodyIn(timeline: Timeline, { feed, sequence }: LoggedAttempt, isSure: boolean): LoggedBody {
  const position = sequence - 1;
  if (position >= timeline.length || timeline.columns.feed[position] !== feed) return gone('updates_changed');
  // A copy: the memory may be another session's soon.
  return { kind: 'found', bytes: Uint8Array.from(timeline.body(position)), isSure };
}

function gone(why: BodyGone): LoggedBody {
  return { kind: 'gone', why };
}
