// Follows a live source: which session it is about, when one begins and when it is over.
//
// F1 A session begins with a whole state that describes it and does not call it over; it ends when the upstream goes over to
//    another one, a while after it is called ended, or when nothing was heard of it for hours. One that was before it and
//    is over is none to go over to: servers of live timing are several, and one of them may be behind.
// F2 Before any session, and after one, messages only tell that another one may have begun: then the whole state is asked
//    for again, and decides.
//    A session that was found again is gone on with once the whole state says that it is this one.
// F3 After a gap the whole state is merged into what is known: it changes what is different, and nothing else.

import type { Clock } from '#engine/base/clock.ts';
import { type JsonObject, objectOf, textOf } from '#engine/base/json-value.ts';
import type { Log } from '#engine/base/log.ts';
import { RecordingError } from '#engine/base/recording-error.ts';
import { SourceError } from '#engine/base/source-error.ts';
import { parseSessionId } from '#engine/intake/recording/session-id.ts';
import type { LiveListener, LiveMessage, LiveSource } from '#engine/intake/source/live-source.ts';
import { describeSession } from '#engine/racing/derive/describe-session.ts';
import { F1 } from '#engine/racing/series/f1.ts';
import type { SessionDescription } from '#engine/racing/series/series.ts';
import { upstreamUtcMs } from '#engine/racing/upstream-time.ts';
import { compareTopics } from '#schemas/upstream/topics.ts';
import type { LiveSession } from './live-session.ts';
import type { LiveSessions, NotBegun } from './live-sessions.ts';

export interface F1LiveFollowerParts {
  readonly source: LiveSource;
  readonly sessions: LiveSessions;
  /** Where the frames come from, for whoever looks at the recordings later. */
  readonly origin: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Frames cannot be recorded: whoever runs this begins anew with what was recorded. */
  readonly failed: (error: Error) => void;
}

/** How long a session that the upstream calls ended, or only finalised, is still followed: results may be corrected. */
export const LIVE_ENDS_LINGER_MS = 60_000;
export const LIVE_FINALISED_LINGER_MS = 15 * 60_000;
/** Pause between two questions for the whole state that a change of the session causes. */
export const LIVE_REFRESH_MS = 5_000;

/** The upstream's words for a session that is over but for corrections. */
const { over: OVER } = F1.facts.status;

export class F1LiveFollower implements LiveListener {
  readonly #parts: F1LiveFollowerParts;
  #session: LiveSession | null = null;
  /** Whether the whole state is to be asked for again, because what it said could not be followed, or was asked just before. */
  #waiting = false;
  /** Whether the server tells a session that was before the one that goes on. */
  #behind = false;
  /** Since when the session is called over, on the monotonic clock. */
  #overSinceMs: number | null = null;
  /** The session whose messages were too large, so that it is said once. */
  #complainedOf: LiveSession | null = null;
  #refreshedMs = Number.NEGATIVE_INFINITY;
  #connected = false;

  constructor(parts: F1LiveFollowerParts) {
    this.#parts = parts;
  }

  /** Begins with the sessions that the last process left unfinished, of this source or of one before it: the latest goes on. */
  start(left: Iterable<LiveSession>): void {
    const [latest, ...others] = [...left].sort((a, b) => b.lastUtcMs - a.lastUtcMs);
    for (const session of others) this.#leave(session);
    this.#session = latest ?? null;
    this.#parts.source.start(this);
  }

  /** Whether live timing is connected, as far as it has told. */
  get connected(): boolean {
    return this.#connected;
  }

  snapshot(topics: readonly LiveMessage[], receivedMs: number): void {
    const info = topics.find(({ topic }) => topic === 'SessionInfo');
    const description = info === undefined ? null : described(info);
    this.#waiting = false;
    this.#connected = true;
    if (description === null) {
      this.#parts.log.warn({}, 'the whole state does not say which session this is; waiting for one that does');
      return;
    }
    const session = this.#session;
    if (session !== null && this.#goesOn(session)) {
      if (session.head.sessionId === description.sessionId) {
        this.#behind = false;
        this.#takeAll(session, topics, receivedMs);
        return;
      }
      if (description.startUtcMs < session.memory.startUtcMs && isOver(topics)) {
        this.#stayWith(session, description);
        return;
      }
      this.#leave(session);
    }
    this.#behind = false;
    this.#session = null;
    if (isOver(topics)) {
      this.#parts.log.info({ sessionId: description.sessionId }, 'waiting for the next session: this one is over');
      return;
    }
    this.#open(description, topics, receivedMs);
  }

  message(message: LiveMessage, receivedMs: number): void {
    const session = this.#session;
    if (session === null || !this.#goesOn(session) || this.#behind) {
      if (message.topic === 'SessionInfo' || message.topic === 'SessionStatus') this.#refresh();
    } else if (message.topic === 'SessionInfo' && isAnother(message, session)) {
      this.#refresh();
    } else {
      this.#take(session, message, receivedMs);
    }
  }

  lost(reason: string): void {
    this.#connected = false;
    this.#parts.log.warn({ reason }, 'the connection to live timing is lost; connecting again');
  }

  /** To be called every few seconds: ends a session that is over. */
  tick(): void {
    if (this.#waiting) this.#refresh();
    const session = this.#session;
    if (session === null || !this.#goesOn(session)) {
      this.#session = null;
      return;
    }
    const nowMs = this.#parts.clock.nowMs();
    if (!OVER.includes(session.status ?? '')) this.#overSinceMs = null;
    else this.#overSinceMs ??= nowMs;
    const lingerMs = session.status === 'Ends' ? LIVE_ENDS_LINGER_MS : LIVE_FINALISED_LINGER_MS;
    if (this.#overSinceMs !== null && nowMs - this.#overSinceMs >= lingerMs) this.#leave(session);
  }

  /** Whether nobody else has ended it, for its silence. */
  #goesOn(session: LiveSession): boolean {
    return this.#parts.sessions.get(session.head.sessionId) === session;
  }

  /** An end cannot be taken back: nothing is taken of what is told until it is about this session again, or a later one. */
  #stayWith({ head: { sessionId } }: LiveSession, told: SessionDescription): void {
    if (!this.#behind) {
      this.#parts.log.warn({ sessionId, told: told.sessionId }, 'live timing tells a session that was before this one');
    }
    this.#behind = true;
    this.#waiting = true;
  }

  #open(description: SessionDescription, topics: readonly LiveMessage[], receivedMs: number): void {
    const { sessions, origin, clock, log, failed } = this.#parts;
    const { sessionId, seriesId } = description;
    if (parseSessionId(sessionId) === null) {
      log.error({ sessionId }, 'this session has a name that makes no id: it is not followed');
      return;
    }
    if (sessions.get(sessionId) !== null) {
      log.error({ sessionId }, 'this session is being fed by somebody else: it is not followed');
      return;
    }
    let begun: LiveSession | NotBegun;
    try {
      begun = sessions.begin({ sessionId, seriesId, origin }, stateUtcMs(topics) ?? clock.wallMs());
    } catch (error) {
      failed(error as Error);
      return;
    }
    if (typeof begun !== 'string') {
      this.#session = begun;
      this.#takeAll(begun, topics, receivedMs);
      return;
    }
    log.error({ sessionId, reason: begun }, 'this session cannot be followed');
    // The others do not go away by themselves.
    this.#waiting = begun === 'ending' || begun === 'too_many';
  }

  /** The parts of a whole state in the order of topics, all at the time of the state. */
  #takeAll(session: LiveSession, topics: readonly LiveMessage[], receivedMs: number): void {
    // A heartbeat can be ahead of its sending, and whatever follows would count as simultaneous with it.
    const sinceMs = Math.max(0, receivedMs - session.lastFrameMs);
    const utcMs = Math.min(stateUtcMs(topics) ?? Number.POSITIVE_INFINITY, session.lastUtcMs + sinceMs);
    const ordered = [...topics].sort((a, b) => compareTopics(a.topic, b.topic));
    for (const message of ordered) this.#take(session, { ...message, utcMs }, receivedMs);
  }

  #take(session: LiveSession, message: LiveMessage, receivedMs: number): void {
    try {
      session.take(message, receivedMs);
    } catch (error) {
      // Beginning anew would not make room.
      if (error instanceof RecordingError && error.code === 'too_large') this.#complainOfSize(session, error);
      else this.#parts.failed(error as Error);
    }
  }

  #complainOfSize(session: LiveSession, error: RecordingError): void {
    if (this.#complainedOf === session) return;
    this.#complainedOf = session;
    this.#parts.log.error(
      { err: error },
      'a message of a live session cannot be recorded; the session goes on without',
    );
  }

  #leave(session: LiveSession): void {
    this.#session = null;
    this.#overSinceMs = null;
    this.#parts.sessions.endInBackground(session);
  }

  #refresh(): void {
    const nowMs = this.#parts.clock.nowMs();
    // Not forgotten, only later.
    this.#waiting = nowMs - this.#refreshedMs < LIVE_REFRESH_MS;
    if (this.#waiting) return;
    this.#refreshedMs = nowMs;
    this.#parts.source.refresh();
  }
}

function described(info: LiveMessage): SessionDescription | null {
  try {
    return describeSession(F1, [{ ...info, utcMs: info.utcMs ?? 0 }]);
  } catch (error) {
    if (error instanceof SourceError) return null;
    throw error;
  }
}

/** Unix epoch milliseconds of a whole state: the upstream's own clock, its heartbeat. */
function stateUtcMs(topics: readonly LiveMessage[]): number | null {
  const heartbeat = topics.find(({ topic }) => topic === 'Heartbeat');
  return heartbeat === undefined ? null : upstreamUtcMs(parsed(heartbeat).Utc);
}

function isOver(topics: readonly LiveMessage[]): boolean {
  return topics.some((message) => {
    if (message.topic === 'SessionStatus') return OVER.includes(textOf(parsed(message).Status) ?? '');
    return message.topic === 'SessionInfo' && objectOf(parsed(message).ArchiveStatus).Status === 'Complete';
  });
}

function isAnother(info: LiveMessage, session: LiveSession): boolean {
  const description = described(info);
  return description !== null && description.sessionId !== session.head.sessionId;
}

function parsed({ json }: LiveMessage): JsonObject {
  return objectOf(JSON.parse(json));
}
