// The frame log of a cluster: rows that every node follows, whichever node feeds them. Each node has a copy of every live
// session, derives it, and delivers to the accounts that are at home there.
//
// FL1 A node takes the frames in the order of the log, each once. What is in its copy is in the log.
// FL2 One node at a time feeds a session: it holds the claim that an append names. While its lease holds, nobody else gets it.
//     So a node gives back every claim that nothing feeds with, also one of which the database's answer was lost.
// FL3 A batch says what its node had published before it. A node that has published something else stops following that
//     session: its deliveries rest, and its copy goes. Its next start makes a new one.
// FL4 The node that keeps house publishes the recording of a session that is over, and then says so in the log. If it dies in
//     between, the next one does it again, which changes nothing. Only then can the session be replayed anywhere.
// FL5 Notifications only save time: a node also looks at intervals.

import { mkdirSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import type { TimerClock } from '#engine/base/clock.ts';
import { KeyedMutex } from '#engine/base/keyed-mutex.ts';
import { FRAME_BATCHES_READ_MAX, FRAMES_KEPT_MS, FRAMES_LOOK_MS, LIVE_SESSIONS_MAX } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import { untilDone } from '#engine/base/persistent-work.ts';
import { fileError } from '#engine/base/recording-error.ts';
import { framesIn, type RecordingHead } from '#engine/intake/recording/recording-format.ts';
import { recordingFile } from '#engine/intake/recording/recording-import.ts';
import type { RecordingStore } from '#engine/intake/recording/recording-store.ts';
import { parseSessionId } from '#engine/intake/recording/session-id.ts';
import type { LiveMessage } from '#engine/intake/source/live-source.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import { type Claim, type End, type FrameLog, FramesRefused } from './frame-log.ts';
import type { LiveSession } from './live-session.ts';
import type { BeginRefusal, LiveSessions } from './live-sessions.ts';
import {
  appendFrames,
  beginLiveSession,
  claimLiveSession,
  endLiveSession,
  FRAMES_CHANNEL,
  type FramesClaim,
  type FramesRow,
  framesAfter,
  type LiveSessionRow,
  leaveLiveSession,
  liveSessionRecorded,
  liveSessionRows,
  purgeLiveSessions,
  releaseLiveSession,
  releaseLiveSessions,
  releaseUnusedClaim,
} from './postgres-frame-rows.ts';
import { SessionFeed } from './session-feed.ts';

export interface PostgresFrameLogParts {
  readonly sql: Sql;
  readonly nodeNo: number;
  /** The copies. */
  readonly sessions: LiveSessions;
  readonly recordings: Pick<RecordingStore, 'publish'>;
  /** Where recordings are, as files. */
  readonly dataDir: string;
  /** Whether this node does what one node does for all. */
  readonly keepsHouse: () => boolean;
  readonly clock: TimerClock;
  readonly log: Log;
  /** A frame that the log has cannot be recorded here. */
  readonly failed: (error: Error) => void;
  /** This node follows the session no more (FL3). */
  readonly differs: (sessionId: string) => void;
}

/** A session of the log as this node has it. */
interface Followed {
  readonly sessionNo: number;
  readonly session: LiveSession;
  state: 'following' | 'publishing' | 'differs' | 'over';
  /** Resolves when it can be replayed, or when this node has left it (FL3). */
  readonly ended: PromiseWithResolvers<'ended' | 'left'>;
  /** Those who end it share one try. */
  ending: Promise<End> | null;
  finishing: Promise<void> | null;
}

/** Why a session that is followed does not begin. */
const NOT_BEGUN = { following: 'busy', differs: 'left', publishing: 'ending', over: 'over' } as const;

interface Feeding {
  readonly claim: FramesClaim;
  readonly feed: SessionFeed;
}

export class PostgresFrameLog implements FrameLog {
  readonly #parts: PostgresFrameLogParts;
  readonly #followed = new Map<string, Followed>();
  readonly #feeding = new Map<string, Feeding>();
  /** By session: claims are made, and looked for, one after the other. */
  readonly #claims = new KeyedMutex();
  readonly #closing = new AbortController();
  /** One look at a time. */
  #looking: Promise<void> = Promise.resolve();
  #looksWaiting = 0;
  #publishing: Promise<void> = Promise.resolve();
  #isBehind = false;
  #stop: () => void = () => {};

  constructor(parts: PostgresFrameLogParts) {
    this.#parts = parts;
  }

  /** Recovers the copies and brings them up to date, then follows the log. Rejects when the database cannot be read. */
  async start(): Promise<void> {
    const { sql, nodeNo, sessions, clock } = this.#parts;
    // FL2: those of a thread that has died.
    await releaseLiveSessions(sql, nodeNo);
    const rows = new Map((await liveSessionRows(sql)).map((row) => [row.sessionId, row]));
    await sessions.recoverCopies((session) => {
      const row = rows.get(session.head.sessionId);
      return row !== undefined && isCopyOf(session, row) ? row.beganAt.getTime() : null;
    });
    await this.#lookAtAll();
    await sql.listen(
      FRAMES_CHANNEL,
      (payload) => this.#told(payload),
      () => void this.#lookSoon(),
    );
    this.#stop = clock.every(FRAMES_LOOK_MS, () => this.#lookSoon());
  }

  /** Follows and takes nothing more. What waits is refused. */
  async close(): Promise<void> {
    this.#stop();
    this.#closing.abort();
    for (const { feed } of this.#feeding.values()) await feed.settled().catch(() => {});
    await Promise.allSettled([this.#looking, this.#publishing]);
  }

  /** Whether this node feeds the session. */
  feeds(sessionId: string): boolean {
    return this.#feeding.has(sessionId);
  }

  async look(sessionId: string): Promise<'known' | 'left'> {
    await this.#lookNow();
    return this.#followed.get(sessionId)?.state === 'differs' ? 'left' : 'known';
  }

  claim(sessionId: string): Promise<Claim> {
    return this.#claims.run(sessionId, () => this.#claim(sessionId));
  }

  async #claim(sessionId: string): Promise<Claim> {
    const { sql, nodeNo } = this.#parts;
    const claim = await this.#claimed(sessionId, claimLiveSession(sql, sessionId, nodeNo));
    const followed = this.#followed.get(sessionId);
    if (followed?.state !== 'following') {
      if (claim !== null) await this.#give(claim);
      if (followed?.state === 'differs') return 'left';
      return claim === null ? 'unknown' : 'busy';
    }
    if (claim === null) return 'busy';
    this.#feed(followed.session, claim);
    return 'claimed';
  }

  release(sessionId: string): void {
    const feeding = this.#feeding.get(sessionId);
    if (feeding === undefined) return;
    this.#feeding.delete(sessionId);
    this.#givenBack(sessionId, this.#give(feeding.claim));
  }

  async begin(head: RecordingHead, startUtcMs: number): Promise<LiveSession | BeginRefusal> {
    if (this.#closing.signal.aborted) return 'closing';
    return this.#claims.run(head.sessionId, () => this.#begin(head, startUtcMs));
  }

  async #begin(head: RecordingHead, startUtcMs: number): Promise<LiveSession | BeginRefusal> {
    const { sql, nodeNo } = this.#parts;
    const { sessionId } = head;
    const begun = beginLiveSession(sql, head, startUtcMs, nodeNo, LIVE_SESSIONS_MAX);
    const claim = await this.#claimed(sessionId, begun);
    const followed = this.#followed.get(sessionId);
    if (claim === null) {
      if (followed !== undefined) return NOT_BEGUN[followed.state];
      const rows = await liveSessionRows(sql);
      if (rows.some((row) => row.sessionId === sessionId)) return 'over';
      return rows.filter(({ over }) => !over).length >= LIVE_SESSIONS_MAX ? 'too_many' : 'over';
    }
    if (followed === undefined) throw new FramesRefused('the session that has just begun is over already');
    this.#feed(followed.session, claim);
    return followed.session;
  }

  offered({ head: { sessionId }, frames }: LiveSession): number {
    return this.#feeding.get(sessionId)?.feed.offered ?? frames;
  }

  offer({ head: { sessionId } }: LiveSession, message: LiveMessage, receivedMs: number): Promise<void> | null {
    const feeding = this.#feeding.get(sessionId);
    if (feeding === undefined) throw new FramesRefused('this node does not feed the session');
    return feeding.feed.offer(message, receivedMs);
  }

  async settled({ head: { sessionId } }: LiveSession): Promise<void> {
    await this.#feeding.get(sessionId)?.feed.settled();
  }

  async end({ head: { sessionId } }: LiveSession): Promise<End> {
    const followed = this.#followed.get(sessionId);
    if (followed === undefined) return 'ended';
    followed.ending ??= this.#end(sessionId, followed).finally(() => {
      followed.ending = null;
    });
    return followed.ending;
  }

  /** Removes what nobody needs any more. The caller calls this now and then. */
  async purge(): Promise<void> {
    if (this.#parts.keepsHouse()) await purgeLiveSessions(this.#parts.sql, FRAMES_KEPT_MS);
  }

  /** Tries until the database is back: the end is asked for once, and otherwise the session would stay live for hours. */
  async #end(sessionId: string, followed: Followed): Promise<End> {
    const { sql, nodeNo } = this.#parts;
    await this.#feeding.get(sessionId)?.feed.settled();
    const ends = () => endLiveSession(sql, followed.sessionNo, nodeNo);
    if (!(await this.#persist(ends, 'could not end a live session yet'))) return 'busy';
    this.#feeding.delete(sessionId);
    void this.#lookSoon();
    return followed.ended.promise;
  }

  #feed(session: LiveSession, claim: FramesClaim): void {
    const { sql, clock, log, failed } = this.#parts;
    const feed = new SessionFeed({
      session,
      append: (row) => appendFrames(sql, claim, row),
      has: async ({ firstFrame, data }) => {
        const [kept] = await framesAfter(sql, claim.sessionNo, firstFrame - 1, 1);
        return kept?.firstFrame === firstFrame && kept.data.equals(data);
      },
      clock,
      closing: this.#closing.signal,
      log,
      failed,
    });
    this.#feeding.set(session.head.sessionId, { claim, feed });
  }

  /** FL2: the claim, or null, once this node has looked. If there is no answer, it is given back. */
  async #claimed(sessionId: string, asked: Promise<FramesClaim | null>): Promise<FramesClaim | null> {
    try {
      const claim = await asked;
      await this.#lookNow();
      return claim;
    } catch (error) {
      this.#givenBack(sessionId, this.#giveUnused(sessionId));
      throw error;
    }
  }

  #givenBack(sessionId: string, given: Promise<void>): void {
    given.catch((error: Error) =>
      this.#parts.log.warn({ sessionId, err: error }, 'could not release a live session for other nodes'),
    );
  }

  #give(claim: FramesClaim): Promise<void> {
    return this.#persistGiving(() => releaseLiveSession(this.#parts.sql, claim));
  }

  /** Nobody knows its number if the answer was lost. It is not one with which this node feeds the session by then. */
  #giveUnused(sessionId: string): Promise<void> {
    const { sql, nodeNo } = this.#parts;
    const give = (): Promise<void> =>
      releaseUnusedClaim(sql, sessionId, nodeNo, this.#feeding.get(sessionId)?.claim.claim ?? null);
    return this.#persistGiving(() => this.#claims.run(sessionId, give));
  }

  #persistGiving(give: () => Promise<void>): Promise<void> {
    return this.#persist(give, 'could not release a live session yet');
  }

  #told(payload: string): void {
    const [sessionNo, frames] = payload.split(' ').map(Number);
    if (frames !== undefined) {
      for (const [sessionId, followed] of this.#followed) {
        if (followed.sessionNo !== sessionNo) continue;
        if (this.#feeding.has(sessionId) || followed.session.frames >= frames) return;
      }
    }
    void this.#lookSoon();
  }

  /** Never rejects: the next look tries again. */
  async #lookSoon(): Promise<void> {
    // One that has not begun yet sees everything.
    if (this.#looksWaiting > 0) return;
    try {
      await this.#lookNow();
      if (this.#isBehind) this.#parts.log.info({}, 'this node follows the live sessions of its cluster again');
      this.#isBehind = false;
    } catch (error) {
      if (this.#isBehind || this.#closing.signal.aborted) return;
      this.#isBehind = true;
      this.#parts.log.warn(
        { err: error },
        'cannot read the live sessions of the cluster; their deliveries here wait. Trying again',
      );
    }
  }

  #lookNow(): Promise<void> {
    this.#looksWaiting++;
    const look = this.#looking.then(() => {
      this.#looksWaiting--;
      return this.#lookAtAll();
    });
    this.#looking = look.catch(() => {});
    return look;
  }

  async #lookAtAll(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const rows = await liveSessionRows(this.#parts.sql);
    for (const row of rows) await this.#catchUp(row);
    for (const sessionId of this.#followed.keys()) {
      if (!rows.some((row) => row.sessionId === sessionId)) this.#followed.delete(sessionId);
    }
  }

  async #catchUp(row: LiveSessionRow): Promise<void> {
    const followed = this.#followed.get(row.sessionId) ?? this.#follow(row);
    if (followed === null || followed.state !== 'following') {
      if (followed?.state === 'publishing' && row.recorded) await this.#finish(followed);
      // It is over here as everywhere.
      if (followed?.state === 'differs' && row.recorded) followed.state = 'over';
      return;
    }
    const { session } = followed;
    while (session.frames < row.frames) {
      const batches = await framesAfter(this.#parts.sql, row.sessionNo, session.frames, FRAME_BATCHES_READ_MAX);
      if (batches.length === 0 || this.#closing.signal.aborted) return;
      for (const batch of batches) {
        if (this.#differs(session, batch)) return this.#leave(followed);
        this.#take(session, batch);
      }
    }
    if (!row.over || session.frames > row.frames) return;
    if (row.recorded) return this.#finish(followed);
    if (!this.#parts.keepsHouse()) return;
    followed.state = 'publishing';
    this.#publishing = this.#publishing.then(() => this.#publish(followed));
  }

  /** Null: it was over before this node knew it. Whatever is left of it is delivered from its recording. */
  #follow(row: LiveSessionRow): Followed | null {
    const { sessions } = this.#parts;
    let session = sessions.get(row.sessionId);
    if (session === null) {
      if (row.recorded) return null;
      const { sessionId, seriesId, origin } = row;
      session = sessions.beginCopy({ sessionId, seriesId, origin }, row.startUtcMs, row.beganAt.getTime());
    }
    const followed: Followed = {
      sessionNo: row.sessionNo,
      session,
      state: 'following',
      ended: Promise.withResolvers<'ended' | 'left'>(),
      ending: null,
      finishing: null,
    };
    // A failure is for those who wait; without any it is not unhandled.
    followed.ended.promise.catch(() => {});
    this.#followed.set(row.sessionId, followed);
    return followed;
  }

  /** FL3. A copy that ends within a batch has published more than what the batch names. */
  #differs(session: LiveSession, { firstFrame, digest }: FramesRow): boolean {
    return session.frames === firstFrame - 1 && !session.digest().equals(digest);
  }

  /** FL1 */
  #take(session: LiveSession, { firstFrame, data }: FramesRow): void {
    const receivedMs = this.#parts.clock.nowMs();
    let frameNo = firstFrame;
    try {
      for (const frame of framesIn(data)) if (frameNo++ > session.frames) session.take(frame, receivedMs);
    } catch (error) {
      this.#parts.failed(error as Error);
    }
  }

  async #leave(followed: Followed): Promise<void> {
    const { sql, nodeNo, sessions, log, differs } = this.#parts;
    const { sessionId } = followed.session.head;
    followed.state = 'differs';
    followed.ended.resolve('left');
    log.error(
      { sessionId, frames: followed.session.frames },
      'this node has made other updates of a live session than the node that feeds it. It delivers nothing more of the ' +
        'session; start it again to derive the session anew',
    );
    this.#feeding.delete(sessionId);
    await sessions.discardCopy(followed.session);
    differs(sessionId);
    const said = () => leaveLiveSession(sql, followed.sessionNo, nodeNo);
    // The log of frames is read on meanwhile.
    this.#persist(said, 'could not say yet that this node has left a live session').catch(() => {});
  }

  /** FL4. Never rejects. */
  async #publish(followed: Followed): Promise<void> {
    const { recordings, sql, log } = this.#parts;
    const { session, sessionNo } = followed;
    const { sessionId } = session.head;
    const work = async (): Promise<void> => {
      // The log says that it is recorded: an answer was lost, or another node was faster.
      if (followed.state === 'over') return;
      const entry = await session.end();
      await recordings.publish(entry, { file: session.file, place: () => {} });
      await liveSessionRecorded(sql, sessionNo);
    };
    try {
      await this.#persist(work, 'could not add a live session to the catalogue yet');
      log.info({ sessionId, updates: session.updates }, 'a live session has ended and can be replayed');
      await this.#finish(followed);
    } catch (error) {
      if (!this.#closing.signal.aborted)
        log.error({ sessionId, err: error }, 'could not end a live session; the next start tries again');
      followed.ended.reject(error);
    }
  }

  /** The session can be replayed. */
  #finish(followed: Followed): Promise<void> {
    followed.finishing ??= this.#finishOnce(followed).finally(() => {
      followed.finishing = null;
    });
    return followed.finishing;
  }

  async #finishOnce(followed: Followed): Promise<void> {
    const { session } = followed;
    if (followed.state === 'over') return;
    await session.end();
    followed.state = 'over';
    this.#place(session);
    this.#feeding.delete(session.head.sessionId);
    this.#parts.sessions.copyEnded(session);
    followed.ended.resolve('ended');
  }

  /** The copy becomes the file of the session's recording here: otherwise it would be fetched. */
  #place({ file, head }: LiveSession): void {
    const to = recordingFile(this.#parts.dataDir, parseSessionId(head.sessionId)!);
    try {
      mkdirSync(dirname(to), { recursive: true });
      renameSync(file, to);
    } catch (error) {
      this.#parts.log.warn({ err: fileError(error, `writing ${to}`) }, 'cannot keep a recording here; it is fetched');
    }
  }

  #persist<Result>(work: () => Promise<Result>, problem: string): Promise<Result> {
    const { clock, log } = this.#parts;
    const { signal } = this.#closing;
    return untilDone(work, {
      pause: (delayMs) => clock.sleep(delayMs, signal),
      isClosing: () => signal.aborted,
      failed: (error) => log.warn({ err: error }, `${problem}; trying again`),
    });
  }
}

/** Whether what is here can be of this session. The log may have more, never less (FL1). */
function isCopyOf({ head, memory, frames }: LiveSession, row: LiveSessionRow): boolean {
  return head.seriesId === row.seriesId && memory.startUtcMs === row.startUtcMs && frames <= row.frames;
}
