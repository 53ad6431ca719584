// The bodies of logged attempts. They are not stored: they are read from where the updates of the run still are.
//
// Of a replay, that is the artifact that it played. Of a live session, it is the memory of its live delivery, until that
// has ended; then what today's service makes of the recording, which is the same unless its deriver is another (I7).

import { ApiError } from '#api/http/api-error.ts';
import type { SnapshotMaker } from '#api/states/snapshot-maker.ts';
import type { LiveDeliveries } from '#api/webhooks/live/live-deliveries.ts';
import { ArtifactsFull } from '#engine/intake/playback/open-artifacts.ts';
import type { OpenArtifact, PlaybackLibrary } from '#engine/intake/playback/playback-library.ts';
import { openTimeline, type SharedTimeline } from '#engine/timeline/shared-timeline.ts';
import { placeOf, SNAPSHOTS_FROM, snapshotFeed } from '#engine/timeline/snapshot-number.ts';
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
  readonly snapshots: Pick<SnapshotMaker, 'body'>;
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
    if (memory !== null) return this.#bodyIn(memory, attempt, true);
    const opened = await this.#open(run).catch((error: Error) => {
      if (!(error instanceof ArtifactsFull)) throw error;
      throw new ApiError('unavailable', 'Replays of too many different sessions are running.', { 'retry-after': '60' });
    });
    if (opened === null) return gone('updates_not_at_hand');
    try {
      return await this.#bodyIn(opened.artifact, attempt, run.timelineOrigin !== null);
    } finally {
      opened.release();
    }
  }

  #open({ sessionId, timelineOrigin }: LoggedRun): Promise<OpenArtifact | null> {
    const { library } = this.#parts;
    return timelineOrigin === null ? library.open(sessionId) : library.openOrigin(sessionId, timelineOrigin);
  }

  async #bodyIn(shared: SharedTimeline, { feed, sequence }: LoggedAttempt, isSure: boolean): Promise<LoggedBody> {
    const timeline = openTimeline(shared);
    const position = sequence - 1;
    const place = placeOf(position);
    const isSnapshot = position >= SNAPSHOTS_FROM;
    const feedThere = isSnapshot ? snapshotFeed(position) : timeline.columns.feed[position];
    if (place >= timeline.length || feedThere !== feed) return gone('updates_changed');
    if (isSnapshot) return this.#snapshot(shared, place, feed, isSure);
    // A copy: the memory may be another session's soon.
    return { kind: 'found', bytes: Uint8Array.from(timeline.body(position)), isSure };
  }

  async #snapshot(shared: SharedTimeline, place: number, feed: number, isSure: boolean): Promise<LoggedBody> {
    const bytes = await this.#parts.snapshots.body(shared, place, feed);
    return bytes === null ? gone('updates_changed') : { kind: 'found', bytes, isSure };
  }
}

function gone(why: BodyGone): LoggedBody {
  return { kind: 'gone', why };
}
