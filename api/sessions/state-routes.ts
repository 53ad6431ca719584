// GET /v1/sessions/:sessionId/state: what a receiver that joins a session late begins with.

import type { FeedCatalogue } from '#api/feeds/feed-catalogue.ts';
import { ApiError } from '#api/http/api-error.ts';
import { bearerOperation, type Caller, type Operation } from '#api/http/operation.ts';
import { readyArtifact } from '#api/simulate/ready-artifact.ts';
import type { SessionAccess } from '#api/simulate/session-access.ts';
import { STATE_FOLD_UPDATES_MAX, STATES_ANSWER_BYTES_MAX, STATES_WAITING_MAX } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import type { PlaybackLibrary } from '#engine/intake/playback/playback-library.ts';
import type { LiveMemory } from '#engine/timeline/live-memory.ts';
import { openTimeline, type SharedTimeline } from '#engine/timeline/shared-timeline.ts';
import { StateAnswer, StateQuery } from '#schemas/http/states.ts';
import type { FeedId } from '#schemas/webhook/feeds.ts';
import { stateFeeds } from './state-feeds.ts';
import type { StateFolder, StateQuestion } from './state-folder.ts';

export interface StateRoutesParts {
  readonly catalogue: FeedCatalogue;
  readonly access: Pick<SessionAccess, 'findInSeason'>;
  readonly library: Pick<PlaybackLibrary, 'open' | 'status'>;
  readonly folder: StateFolder;
  /** What a session that the service follows live has published, and whether it is over; null for others. */
  readonly published: (sessionId: string) => { readonly memory: LiveMemory; readonly ended: boolean } | null;
  readonly log: Log;
}

/** How often a part of the work may be done again. */
const SPARE_PARTS = 4;

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
      // What is kept between two parts can be lost to other sessions, so the parts are counted.
      const partsMax = question.position / STATE_FOLD_UPDATES_MAX + SPARE_PARTS;
      for (let part = 0; part < partsMax; part++) {
        const states = await folder.fold(question);
        if (states !== null) return states;
      }
      throw new Error('its parts are lost before they are used');
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
  /** A session that is followed again after its end may have other updates in other memory. */
  readonly #liveKeys = new WeakMap<LiveMemory, string>();
  #liveCount = 0;

  constructor(parts: StateRoutesParts) {
    this.#parts = parts;
  }

  /** Opens a live session, or a recorded one that the plan may replay and that is prepared. Rejects with an ApiError. */
  async open(sessionId: string, caller: Caller): Promise<SeenSession> {
    const { published, access, library } = this.#parts;
    const followed = published(sessionId);
    if (followed !== null) {
      const { memory, ended } = followed;
      return { live: !ended, demo: false, timeline: memory, key: this.#liveKey(memory), release: () => {} };
    }
    const { demo } = await access.findInSeason(sessionId, caller);
    const { artifact, origin, release } = await readyArtifact(library, sessionId);
    return { live: false, demo, timeline: artifact, key: `${sessionId} ${origin}`, release };
  }

  #liveKey(memory: LiveMemory): string {
    const key = this.#liveKeys.get(memory) ?? `${memory.head.sessionId} live ${++this.#liveCount}`;
    this.#liveKeys.set(memory, key);
    return key;
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
