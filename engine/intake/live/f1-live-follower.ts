// Follows a live source: decides which session its messages belong to, when a session begins and when it ends.
//
// F1 A session begins with a snapshot that describes it and does not say that it is over. It ends when the upstream
//    switches to another session, a while after the upstream calls it ended, or after hours of silence. An earlier
//    session that has ended is never resumed: live timing has several servers, and one of them may lag behind.
// F2 Without a session, messages only hint that one may have begun. The follower then requests a new snapshot, and the
//    snapshot decides. A recovered session resumes once a snapshot names it.
// F3 After a gap the snapshot is merged into the session state: only what differs changes.

import type { Clock } from '#engine/base/clock.ts';
import { type JsonObject, objectOf, textOf } from '#engine/base/json-value.ts';
import { HEARTBEAT_STALE_MS } from '#engine/base/limits.ts';
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
import { type FrameLog, FramesRefused } from './frame-log.ts';
import type { LiveSession } from './live-session.ts';
import type { BeginRefusal, LiveSessions } from './live-sessions.ts';

export interface F1LiveFollowerParts {
  readonly source: LiveSource;
  readonly sessions: Pick<LiveSessions, 'get'>;
  /** Takes the frames. */
  readonly frames: FrameLog;
  /** Where the frames come from. Recordings keep it for people who read them later. */
  readonly origin: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when frames cannot be recorded. The caller starts a new follower, which resumes from the recording. */
  readonly failed: (error: Error) => void;
}

/**
 * How long to follow a session after the upstream calls it ended, or only finalised: results may still be corrected.
 */
export const LIVE_ENDS_LINGER_MS = 60_000;
export const LIVE_FINALISED_LINGER_MS = 15 * 60_000;
/** Minimum pause between two requests for a snapshot. */
export const LIVE_REFRESH_MS = 5_000;

/** The upstream's words for a session that is over, except for corrections. */
const { over: OVER } = F1.facts.status;

export class F1LiveFollower implements LiveListener {
  readonly #parts: F1LiveFollowerParts;
  #session: LiveSession | null = null;
  /** A snapshot is still needed: the last one could not be used, or the request for it came too soon after another. */
  #needsSnapshot = false;
  /** The server sends an earlier session than the current one. */
  #serverIsBehind = false;
  /** When the upstream first called the session over, on the monotonic clock. */
  #overSinceMs: number | null = null;
  /** A session is being begun. Its first snapshot is taken then, and another one is requested for what came meanwhile. */
  #isOpening = false;
  /** The session whose oversized messages were reported, so that the log has one line for it. */
  #tooLargeReported: LiveSession | null = null;
  #refreshedMs = Number.NEGATIVE_INFINITY;
  #connected = false;

  constructor(parts: F1LiveFollowerParts) {
    this.#parts = parts;
  }

  /**
   * Resumes the latest of the unfinished sessions that the last process left, ends the others and starts the source.
   */
  start(unfinished: Iterable<LiveSession>): void {
    const [latest, ...others] = [...unfinished].sort((a, b) => b.lastUtcMs - a.lastUtcMs);
    for (const session of others) this.#leave(session);
    this.#session = latest ?? null;
    this.#parts.source.start(this);
  }

  /** Whether a snapshot has arrived since the connection was last lost. */
  get connected(): boolean {
    return this.#connected;
  }

  snapshot(topics: readonly LiveMessage[], receivedMs: number): void {
    const info = topics.find(({ topic }) => topic === 'SessionInfo');
    const description = info === undefined ? null : described(info);
    this.#needsSnapshot = false;
    this.#connected = true;
    if (description === null) {
      this.#parts.log.warn({}, 'the snapshot does not name its session; waiting for one that does');
      return;
    }
    const session = this.#session;
    if (session !== null && this.#isLive(session)) {
      if (session.head.sessionId === description.sessionId) {
        this.#serverIsBehind = false;
        this.#takeAll(session, topics, receivedMs);
        return;
      }
      if (description.startUtcMs < session.memory.startUtcMs && isOver(topics)) {
        this.#keep(session, description);
        return;
      }
      this.#leave(session);
    }
    this.#serverIsBehind = false;
    this.#session = null;
    if (isOver(topics)) {
      this.#parts.log.info({ sessionId: description.sessionId }, 'the session is over; waiting for the next one');
      return;
    }
    this.#open(description, topics, receivedMs);
  }

  message(message: LiveMessage, receivedMs: number): void {
    const session = this.#session;
    if (session === null || !this.#isLive(session) || this.#serverIsBehind) {
      if (message.topic === 'SessionInfo' || message.topic === 'SessionStatus') this.#refresh();
    } else if (message.topic === 'SessionInfo' && isAnother(message, session)) {
      this.#refresh();
    } else {
      this.#take(session, message, receivedMs);
    }
  }

  lost(reason: string): void {
    this.#connected = false;
    this.#parts.log.warn({ reason }, 'lost the connection to live timing; reconnecting');
  }

  /** Ends the session when it is over. The caller calls this every few seconds. */
  tick(): void {
    if (this.#needsSnapshot) this.#refresh();
    const session = this.#session;
    if (session === null || !this.#isLive(session)) {
      this.#session = null;
      return;
    }
    const nowMs = this.#parts.clock.nowMs();
    if (!OVER.includes(session.status ?? '')) this.#overSinceMs = null;
    else this.#overSinceMs ??= nowMs;
    const lingerMs = session.status === 'Ends' ? LIVE_ENDS_LINGER_MS : LIVE_FINALISED_LINGER_MS;
    if (this.#overSinceMs !== null && nowMs - this.#overSinceMs >= lingerMs) this.#leave(session);
  }

  /** False when the session was ended elsewhere, such as after hours of silence. */
  #isLive(session: LiveSession): boolean {
    return this.#parts.sessions.get(session.head.sessionId) === session;
  }

  /**
   * Keeps the current session although the server reports an earlier one: ending a session cannot be undone. Messages
   * are ignored until the server is back at this session or at a later one.
   */
  #keep({ head: { sessionId } }: LiveSession, reported: SessionDescription): void {
    if (!this.#serverIsBehind) {
      this.#parts.log.warn(
        { sessionId, reported: reported.sessionId },
        'live timing reports an earlier session; ignoring it until this session is back',
      );
    }
    this.#serverIsBehind = true;
    this.#needsSnapshot = true;
  }

  #open(description: SessionDescription, topics: readonly LiveMessage[], receivedMs: number): void {
    const { sessions, frames, origin, clock, log, failed } = this.#parts;
    const { sessionId, seriesId } = description;
    if (this.#isOpening) return;
    if (parseSessionId(sessionId) === null) {
      log.error({ sessionId }, 'cannot follow this session: its name makes no valid session id');
      return;
    }
    const known = sessions.get(sessionId);
    if (known !== null && known.head.origin !== origin) {
      log.error({ sessionId }, 'cannot follow this session: another source already feeds it');
      return;
    }
    let begun: ReturnType<FrameLog['begin']>;
    try {
      begun =
        known === null
          ? frames.begin({ sessionId, seriesId, origin }, beginUtcMs(topics, description.startUtcMs, clock.wallMs()))
          : this.#claimed(known);
    } catch (error) {
      failed(error as Error);
      return;
    }
    if (!(begun instanceof Promise)) {
      this.#begun(begun, sessionId, topics, receivedMs);
      return;
    }
    this.#isOpening = true;
    begun
      .then(
        (session) => this.#begun(session, sessionId, topics, receivedMs),
        (error: Error) => log.warn({ sessionId, err: error }, 'cannot begin this session yet; trying again'),
      )
      .finally(() => {
        this.#isOpening = false;
        this.#needsSnapshot = true;
      });
  }

  /** It began, but the answer was lost on its way from the database. */
  async #claimed(session: LiveSession): Promise<LiveSession | BeginRefusal> {
    const claim = await this.#parts.frames.claim(session.head.sessionId);
    if (claim === 'claimed') return session;
    return claim === 'unknown' ? 'ending' : claim;
  }

  #begun(
    begun: LiveSession | BeginRefusal,
    sessionId: string,
    topics: readonly LiveMessage[],
    receivedMs: number,
  ): void {
    const { log } = this.#parts;
    if (typeof begun !== 'string') {
      this.#session = begun;
      this.#takeAll(begun, topics, receivedMs);
      return;
    }
    log.error({ sessionId, reason: begun }, 'cannot follow this session');
    // Only these can pass without help.
    this.#needsSnapshot = begun === 'ending' || begun === 'too_many' || begun === 'busy';
  }

  /** Takes the topics of a snapshot in their fixed order, all with the time of the snapshot. */
  #takeAll(session: LiveSession, topics: readonly LiveMessage[], receivedMs: number): void {
    // A heartbeat's time can lie ahead of when it was sent. Unchecked, the messages after it would all get its time.
    const sinceMs = Math.max(0, receivedMs - session.lastFrameMs);
    const utcMs = Math.min(snapshotUtcMs(topics) ?? Number.POSITIVE_INFINITY, session.lastUtcMs + sinceMs);
    const ordered = [...topics].sort((a, b) => compareTopics(a.topic, b.topic));
    for (const message of ordered) this.#take(session, { ...message, utcMs }, receivedMs);
  }

  #take(session: LiveSession, message: LiveMessage, receivedMs: number): void {
    try {
      // Live timing does not wait: what finds no room is refused.
      this.#parts.frames.offer(session, message, receivedMs)?.catch(() => {});
    } catch (error) {
      if (error instanceof FramesRefused) {
        this.#needsSnapshot = true;
        return;
      }
      // A restart would not make room.
      if (error instanceof RecordingError && error.code === 'too_large') this.#reportTooLarge(session, error);
      else this.#parts.failed(error as Error);
    }
  }

  #reportTooLarge(session: LiveSession, error: RecordingError): void {
    if (this.#tooLargeReported === session) return;
    this.#tooLargeReported = session;
    this.#parts.log.error(
      { err: error },
      'cannot record a message of a live session; the session continues without it',
    );
  }

  #leave(session: LiveSession): void {
    this.#session = null;
    this.#overSinceMs = null;
    const { frames, log } = this.#parts;
    frames.end(session).catch((error: Error) => {
      const { sessionId } = session.head;
      log.error({ sessionId, err: error }, 'could not end a live session; the next start tries again');
    });
  }

  #refresh(): void {
    const nowMs = this.#parts.clock.nowMs();
    // Too soon after the last request: `tick` tries again.
    this.#needsSnapshot = nowMs - this.#refreshedMs < LIVE_REFRESH_MS;
    if (this.#needsSnapshot) return;
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

/** Unix epoch milliseconds of a snapshot by the upstream's own clock, its heartbeat. */
function snapshotUtcMs(topics: readonly LiveMessage[]): number | null {
  const heartbeat = topics.find(({ topic }) => topic === 'Heartbeat');
  return heartbeat === undefined ? null : upstreamUtcMs(parsed(heartbeat).Utc);
}

/**
 * Unix epoch milliseconds of a session's first snapshot. The machine's clock dates it if the heartbeat is that of an earlier
 * session: it is far behind, and the scheduled start does not say that the machine's clock is wrong.
 */
function beginUtcMs(topics: readonly LiveMessage[], scheduledUtcMs: number, wallMs: number): number {
  const heartbeatMs = snapshotUtcMs(topics);
  if (heartbeatMs === null) return wallMs;
  const isStale = Math.abs(heartbeatMs - scheduledUtcMs) > Math.abs(wallMs - scheduledUtcMs) + HEARTBEAT_STALE_MS;
  return isStale ? wallMs : heartbeatMs;
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
