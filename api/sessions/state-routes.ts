// GET /v1/sessions/:sessionId/state: what a receiver that joins a session late begins with.

import type { FeedCatalogue } from '#api/feeds/feed-catalogue.ts';
import { ApiError } from '#api/http/api-error.ts';
import { bearerOperation, type Caller, type Operation } from '#api/http/operation.ts';
import { readyArtifact } from '#api/simulate/ready-artifact.ts';
import type { SessionAccess } from '#api/simulate/session-access.ts';
import { inParts, type StateFolder, type StateQuestion } from '#api/states/state-folder.ts';
import type { TimelineKeys } from '#api/states/timeline-keys.ts';
import { STATES_ANSWER_BYTES_MAX, STATES_WAITING_MAX } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import type { PlaybackLibrary } from '#engine/intake/playback/playback-library.ts';
import type { LiveMemory } from '#engine/timeline/live-memory.ts';
import { openTimeline, type SharedTimeline } from '#engine/timeline/shared-timeline.ts';
import { StateAnswer, StateQuery } from '#schemas/http/states.ts';
import type { FeedId } from '#schemas/webhook/feeds.ts';
import { stateFeeds } from './state-feeds.ts';

export interface StateRoutesParts {
  readonly catalogue: FeedCatalogue;
  readonly access: Pick<SessionAccess, 'findInSeason'>;
  readonly library: Pick<PlaybackLibrary, 'open' | 'status'>;
  readonly folder: Pick<StateFolder, 'fold'>;
  readonly keys: TimelineKeys;
  /** What a session that the service follows live has published, and whether it is over; null for others. */
  readonly published: (sessionId: string) => { readonly memory: LiveMemory; readonly ended: boolean } | null;
  readonly log: Log;
}

/** The updates of a session that a request may see. */
interface SeenSession {
  readonly live: boolean;
  readonly demo: boolean;
  readonly timeline: SharedTimeline;
  readonly key: string;
  readonly release: () => void;
}

export function stateRoutes(parts: StateRoutesParts): { readonly get: Operation } {
  const { catalogue, folder, log } = parts;
  const sessions = new SeenSessions(parts);
  let waiting = 0;

  const fold = async (question: StateQuestion): Promise<string[]> => {
    if (waiting >= STATES_WAITING_MAX) throw busy('Too many states are being made: try again shortly.');
    waiting++;
    try {
      return await inParts(question.position, () => folder.fold(question));
    } catch (error) {
      log.error({ session: question.key, err: error as Error }, 'could not make the states of a session');
      throw busy('The states could not be made: try again shortly.');
    } finally {
      waiting--;
    }
  };

  return {
    get: bearerOperation(
      {
        summary: 'Read the state of every feed of a session',
        query: StateQuery,
        answer: StateAnswer,
        takesTurns: true,
        refuses: ['not_found', 'out_of_season', 'not_prepared', 'preparing', 'tier_required', 'insufficient_tier'],
      },
      async ({ params, query, caller }) => {
        const session = await sessions.open(params.sessionId!, caller);
        try {
          const { length, info } = openTimeline(session.timeline);
          const { sessionId, seriesId } = info;
          const position = query.sequence ?? length;
          if (position > length) throw outOfRange(position, length, session.live);
          const feedIds: FeedId[] = stateFeeds(catalogue, query, { seriesId, plan: caller.plan, demo: session.demo });
          const states = await fold({ key: session.key, timeline: session.timeline, position, feedIds });
          const { live } = session;
          const head = JSON.stringify({ sessionId, seriesId, live, sequence: position, updateCount: length });
          const text = `{"data":${head.slice(0, -1)},"states":[${states.join(',')}]}}`;
          if (Buffer.byteLength(text) > STATES_ANSWER_BYTES_MAX) throw tooLarge();
          return { kind: 'text', text };
        } finally {
          session.release();
        }
      },
    ),
  };
}

class SeenSessions {
  readonly #parts: StateRoutesParts;

  constructor(parts: StateRoutesParts) {
    this.#parts = parts;
  }

  /** Opens a live session, or a recorded one that the plan may replay and that is prepared. Rejects with an ApiError. */
  async open(sessionId: string, caller: Caller): Promise<SeenSession> {
    const { published, access, library } = this.#parts;
    const followed = published(sessionId);
    if (followed !== null) {
      const { memory, ended } = followed;
      return { live: !ended, demo: false, timeline: memory, key: this.#parts.keys.of(memory), release: () => {} };
    }
    const { demo } = await access.findInSeason(sessionId, caller);
    const { artifact, origin, release } = await readyArtifact(library, sessionId);
    return { live: false, demo, timeline: artifact, key: `${sessionId} ${origin}`, release };
  }
}

function outOfRange(sequence: number, length: number, live: boolean): ApiError {
  const none = `the session has no update ${sequence}${live ? ' yet' : ''}`;
  return new ApiError('invalid_query', `sequence must be at most ${length}: ${none}`);
}

function tooLarge(): ApiError {
  const most = `${STATES_ANSWER_BYTES_MAX / 1_024 / 1_024} MiB`;
  return new ApiError('invalid_query', `the states of these feeds have more than ${most}: name fewer in feeds`);
}

function busy(message: string): ApiError {
  return new ApiError('unavailable', message, { 'retry-after': '5' });
}
