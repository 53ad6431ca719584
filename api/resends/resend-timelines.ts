// Where the updates of an earlier run still are, with the same bytes under the same sequences.
//
// Of a live session: in the memory of its live delivery, until that has ended. After that in what the same version of
// the deriver makes of its recording (I7). Of a replay: in the artifact that it played.

import { ApiError } from '#api/http/api-error.ts';
import { withRoom } from '#api/simulate/ready-artifact.ts';
import { reopenedTimeline } from '#api/simulate/reopened-timeline.ts';
import type { LiveDeliveries } from '#api/webhooks/live/live-deliveries.ts';
import type { TimerClock } from '#engine/base/clock.ts';
import { openPrepared } from '#engine/intake/playback/open-prepared.ts';
import type { OpenArtifact, PlaybackLibrary } from '#engine/intake/playback/playback-library.ts';
import { parseOrigin } from '#engine/timeline/artifact-name.ts';
import { LiveTimeline } from '#engine/timeline/live-timeline.ts';
import type { SharedTimeline } from '#engine/timeline/shared-timeline.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';

export interface ResendTimeline {
  readonly shared: SharedTimeline;
  readonly timeline: Timeline;
  /** The artifact's origin; null for the memory of a live session. */
  readonly origin: string | null;
  readonly release: () => void;
}

/** What identifies the updates. */
export interface TimelineWanted {
  readonly mode: 'live' | 'replay';
  readonly sessionId: string;
  readonly timelineOrigin: string | null;
  readonly updateCount: number;
  /** Whether the run has ended whose updates they are. */
  readonly ended: boolean;
  /** Of live runs. */
  readonly deriverVersion: number | null;
}

export interface ResendTimelinesParts {
  readonly live: Pick<LiveDeliveries, 'memoryOf'>;
  readonly library: PlaybackLibrary;
}

export class ResendTimelines {
  readonly #parts: ResendTimelinesParts;

  constructor(parts: ResendTimelinesParts) {
    this.#parts = parts;
  }

  /** Rejects with an ApiError that says what to do when the updates cannot be had. */
  open(wanted: TimelineWanted): Promise<ResendTimeline> {
    return withRoom(this.#open(wanted, () => this.#parts.library.open(wanted.sessionId)));
  }

  /** Like `open`, but waits for the artifact to be made again. Rejects with ArtifactsFull if there is no room for it. */
  reopen(wanted: TimelineWanted, clock: TimerClock, cancelled: () => boolean): Promise<ResendTimeline> {
    return this.#open(wanted, () => openPrepared(this.#parts.library, wanted.sessionId, clock, cancelled));
  }

  async #open(wanted: TimelineWanted, prepare: () => Promise<OpenArtifact | null>): Promise<ResendTimeline> {
    const memory = wanted.mode === 'live' ? this.#parts.live.memoryOf(wanted.sessionId) : null;
    if (memory !== null)
      return { shared: memory, timeline: new LiveTimeline(memory).timeline, origin: null, release() {} };
    if (wanted.mode === 'live' && !wanted.ended)
      throw new ApiError('unavailable', 'The live session is being resumed: try again shortly.', {
        'retry-after': '5',
      });
    const opened = await reopenedTimeline(this.#parts.library, wanted, prepare);
    if (opened === null) throw await this.#notReady(wanted.sessionId);
    if (opened === 'other' || !isSame(wanted, opened)) {
      if (opened !== 'other') opened.release();
      throw new ApiError('updates_gone');
    }
    return { shared: opened.artifact, timeline: opened.timeline, origin: opened.origin, release: opened.release };
  }

  async #notReady(sessionId: string): Promise<ApiError> {
    const { status } = await this.#parts.library.status(sessionId);
    if (status === 'preparing') return new ApiError('preparing');
    return new ApiError(
      'not_prepared',
      'The updates are made again from the recording first: send POST /v1/simulate/prepare for the session, then this ' +
        'again. If it is no longer among GET /v1/simulate/sessions, they are gone.',
    );
  }
}

/** Of a live run the deriver is known, and the number of updates, which has been compared. */
function isSame({ mode, timelineOrigin, deriverVersion }: TimelineWanted, { origin }: OpenArtifact): boolean {
  if (mode === 'replay' || timelineOrigin !== null) return true;
  return deriverVersion !== null && parseOrigin(origin)?.deriverVersion === deriverVersion;
}
