// The live sessions by id: begins them, recovers them after a crash, and makes them replayable when they end.
//
// A live recording stays in a folder of its own until the session ends. Then the recording moves to the others and its
// catalogue entry is committed, both together. A mark file beside the recording says that the session is over: if the
// process dies at any step of the end, the next process completes it. The journal stays in that folder for as long as
// deliveries of the session are left (live-journals.ts).

import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { assert } from '#engine/base/assert.ts';
import type { TimerClock } from '#engine/base/clock.ts';
import { LIVE_ABANDONED_MS, LIVE_SESSIONS_MAX } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import { untilDone } from '#engine/base/persistent-work.ts';
import { fileError } from '#engine/base/recording-error.ts';
import { StagedFile } from '#engine/base/staged-file.ts';
import type { RecordingHead } from '#engine/intake/recording/recording-format.ts';
import { recordingFile } from '#engine/intake/recording/recording-import.ts';
import type { RecordingStore } from '#engine/intake/recording/recording-store.ts';
import type { SessionEntry } from '#engine/intake/recording/session-catalogue.ts';
import { parseSessionId } from '#engine/intake/recording/session-id.ts';
import type { Deriver } from '#engine/racing/derive/deriver.ts';
import type { LiveMemory } from '#engine/timeline/live-memory.ts';
import type { GapListener } from './live-gap.ts';
import { journalFile } from './live-journals.ts';
import { LiveSession } from './live-session.ts';

const SUFFIX = '.frames';
const OVER_SUFFIX = '.over';

/**
 * Why a session cannot begin: a session with this id is being added to the catalogue (`ending`) or is in it (`over`);
 * its recording is damaged; there are too many sessions; the service is stopping; another node has just begun it; this
 * node follows it no more.
 */
export type BeginRefusal = 'ending' | 'over' | 'damaged' | 'too_many' | 'closing' | 'busy' | 'left';

export interface LiveSessionsParts {
  readonly dataDir: string;
  readonly recordings: Pick<RecordingStore, 'publish'>;
  readonly clock: TimerClock;
  readonly log: Log;
  /** Memory that other threads already read, by session id, when the last writer has died. */
  readonly knownMemory: ReadonlyMap<string, LiveMemory>;
  /** The present one, unless a test gives another. */
  readonly deriver?: Deriver;
  /** Called when a session has begun or was recovered. `beganAtMs` (Unix epoch): when it began in the cluster. */
  readonly opened: (session: LiveSession, beganAtMs: number | null) => void;
  /** Called when a time in which nothing of a session arrived has ended. */
  readonly gap?: GapListener;
  /** Called when a session has ended and can be replayed. */
  readonly ended: (sessionId: string) => void;
}

/** A session that was silent for hours and has not ended yet. */
interface Abandoned {
  isEnding: boolean;
  /** The end has failed, and that was said. */
  hasFailed: boolean;
}

export class LiveSessions {
  readonly #parts: LiveSessionsParts;
  readonly #sessions = new Map<string, LiveSession>();
  /** Memory that other threads already read, of sessions that have not ended. */
  readonly #knownMemory: Map<string, LiveMemory>;
  /** Ids whose recordings cannot be resumed. */
  readonly #damaged = new Set<string>();
  /** Sessions that are being added to the catalogue. */
  readonly #ending = new Map<string, Promise<void>>();
  readonly #abandoned = new WeakMap<LiveSession, Abandoned>();
  readonly #closing = new AbortController();

  constructor(parts: LiveSessionsParts) {
    this.#parts = parts;
    this.#knownMemory = new Map(parts.knownMemory);
  }

  /**
   * Recovers the sessions that the last process left, and completes the end of those that were over. A recording that
   * cannot be read stays where it is for the operator.
   */
  recover(): void {
    const { dataDir, log } = this.#parts;
    const names = readdirSync(this.#folder()).sort();
    for (const name of names.filter((name) => name.endsWith(SUFFIX))) {
      const sessionId = name.slice(0, -SUFFIX.length);
      const session = this.#recovered(sessionId, this.#file(sessionId));
      if (session === null) continue;
      this.#add(session);
      if (existsSync(this.#overMark(sessionId))) this.endInBackground(session);
    }
    for (const name of names.filter((name) => name.endsWith(OVER_SUFFIX))) {
      const sessionId = parseSessionId(name.slice(0, -OVER_SUFFIX.length));
      if (sessionId === null || this.#ending.has(sessionId) || this.#damaged.has(sessionId)) continue;
      // Its recording was moved already. Its catalogue entry may be missing, so the session ends once more.
      const file = recordingFile(dataDir, sessionId);
      const session = existsSync(file) ? this.#recovered(sessionId, file) : null;
      if (session === null) {
        log.warn({ sessionId }, 'a live session had ended, but its recording is missing');
        rmSync(this.#overMark(sessionId));
        continue;
      }
      this.#add(session);
      this.endInBackground(session);
    }
  }

  get(sessionId: string): LiveSession | null {
    return this.#sessions.get(sessionId) ?? null;
  }

  /** All live sessions in the order in which they began. */
  all(): Iterable<LiveSession> {
    return this.#sessions.values();
  }

  /**
   * Begins a session that is not live yet, or returns why it cannot begin. `startUtcMs` is the time of its first frame.
   * Throws a RecordingError when its files cannot be written.
   */
  begin(head: RecordingHead, startUtcMs: number): LiveSession | BeginRefusal {
    const { sessionId } = head;
    assert(!this.#sessions.has(sessionId), 'a live session does not begin again');
    if (this.#closing.signal.aborted) return 'closing';
    if (this.#ending.has(sessionId)) return 'ending';
    if (this.#damaged.has(sessionId)) return 'damaged';
    if (existsSync(recordingFile(this.#parts.dataDir, parseSessionId(sessionId)!))) return 'over';
    if (this.#sessions.size >= LIVE_SESSIONS_MAX) return 'too_many';
    this.#folder();
    const session = LiveSession.begin(this.#file(sessionId), head, startUtcMs, this.#sessionParts(sessionId));
    this.#add(session);
    return session;
  }

  /** Ends a session. Resolves when the session can be replayed. */
  async end(session: LiveSession): Promise<void> {
    const { sessionId } = session.head;
    if (this.#sessions.get(sessionId) === session) {
      this.#sessions.delete(sessionId);
      const ending = this.#complete(session).finally(() => this.#ending.delete(sessionId));
      this.#ending.set(sessionId, ending);
    }
    await this.#ending.get(sessionId);
  }

  /** Ends a session without waiting for it. Logs a failure. */
  endInBackground(session: LiveSession): void {
    this.end(session).catch((error: Error) => {
      const { sessionId } = session.head;
      this.#parts.log.error({ sessionId, err: error }, 'could not end a live session; the next start tries again');
    });
  }

  /** Makes the recordings durable. The caller calls this often. */
  sync(): void {
    for (const session of this.#sessions.values()) session.sync();
  }

  /**
   * Ends sessions that have been silent for hours. The caller calls this now and then: an `end` that rejects is tried again
   * then.
   */
  endAbandoned(end: (session: LiveSession) => Promise<void> = async (session) => this.endInBackground(session)): void {
    const nowMs = this.#parts.clock.nowMs();
    for (const session of this.#sessions.values()) {
      if (nowMs - session.lastFrameMs < LIVE_ABANDONED_MS) this.#abandoned.delete(session);
      else void this.#endAbandoned(session, end);
    }
  }

  /** Never rejects. What the end waits for may stay away for long, so it is said once. */
  async #endAbandoned(session: LiveSession, end: (session: LiveSession) => Promise<void>): Promise<void> {
    const { log } = this.#parts;
    const { sessionId } = session.head;
    let abandoned = this.#abandoned.get(session);
    if (abandoned === undefined) {
      abandoned = { isEnding: false, hasFailed: false };
      this.#abandoned.set(session, abandoned);
      log.warn({ sessionId }, 'a live session was silent for hours; ending it');
    }
    if (abandoned.isEnding) return;
    abandoned.isEnding = true;
    try {
      await end(session);
      if (abandoned.hasFailed) log.info({ sessionId }, 'a live session that was silent for hours has ended after all');
      abandoned.hasFailed = false;
    } catch (error) {
      if (!abandoned.hasFailed)
        log.warn({ sessionId, err: error }, 'could not end a live session that was silent for hours yet; trying again');
      abandoned.hasFailed = true;
    } finally {
      abandoned.isEnding = false;
    }
  }

  /**
   * Begins a session whose frames the log of the cluster keeps: what is here of it is a copy. Throws a RecordingError when
   * its files cannot be written.
   */
  beginCopy(head: RecordingHead, startUtcMs: number, beganAtMs: number): LiveSession {
    const { sessionId } = head;
    this.#folder();
    this.#removeFiles(sessionId);
    const session = LiveSession.begin(this.#file(sessionId), head, startUtcMs, this.#sessionParts(sessionId));
    this.#add(session, beganAtMs);
    return session;
  }

  /**
   * Recovers the copies that the last process left. `copied` says when a session began in the cluster; null: it is another
   * one, or over, and the copy is removed. So is one that lacks frames: derived once more, they would be published twice.
   */
  async recoverCopies(copied: (session: LiveSession) => number | null): Promise<void> {
    for (const name of readdirSync(this.#folder()).sort()) {
      if (!name.endsWith(SUFFIX)) continue;
      const sessionId = name.slice(0, -SUFFIX.length);
      let session: LiveSession | null = null;
      try {
        session = LiveSession.recover(this.#file(sessionId), this.#sessionParts(sessionId));
      } catch (error) {
        this.#parts.log.warn({ sessionId, err: error }, 'cannot resume a copy of a live session; it is made anew');
      }
      const beganAtMs = session === null || session.lacksFrames ? null : copied(session);
      if (session !== null && beganAtMs !== null) {
        this.#add(session, beganAtMs);
        continue;
      }
      await session?.close();
      this.#removeFiles(sessionId);
    }
  }

  /** The session of a copy can be replayed, and the copy's recording has gone to the others. */
  copyEnded({ head: { sessionId } }: LiveSession): void {
    this.#sessions.delete(sessionId);
    this.#knownMemory.delete(sessionId);
    this.#parts.ended(sessionId);
  }

  /** Removes a copy that is not what the cluster has. */
  async discardCopy(session: LiveSession): Promise<void> {
    const { sessionId } = session.head;
    this.#sessions.delete(sessionId);
    this.#knownMemory.delete(sessionId);
    await session.close();
    this.#removeFiles(sessionId);
  }

  /** Closes all sessions without ending them: the next process resumes them. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#sessions.values()].map((session) => session.close()));
    this.#sessions.clear();
    await Promise.allSettled(this.#ending.values());
  }

  #recovered(sessionId: string, file: string): LiveSession | null {
    try {
      const session = LiveSession.recover(file, this.#sessionParts(sessionId));
      if (session === null) {
        rmSync(file);
        rmSync(journalFile(this.#parts.dataDir, sessionId), { force: true });
      }
      return session;
    } catch (error) {
      this.#damaged.add(sessionId);
      this.#parts.log.error({ file, err: error }, 'cannot resume a live recording; restore it or move it away');
      return null;
    }
  }

  #file(sessionId: string): string {
    return join(this.#parts.dataDir, 'live', `${sessionId}${SUFFIX}`);
  }

  #overMark(sessionId: string): string {
    return join(this.#parts.dataDir, 'live', `${sessionId}${OVER_SUFFIX}`);
  }

  #folder(): string {
    const folder = join(this.#parts.dataDir, 'live');
    try {
      mkdirSync(folder, { recursive: true });
    } catch (error) {
      throw fileError(error, `writing ${folder}`);
    }
    return folder;
  }

  #sessionParts(sessionId: string) {
    const { dataDir, clock, log, deriver } = this.#parts;
    const knownMemory = this.#knownMemory.get(sessionId);
    // Of a session that is over nothing more could arrive.
    const gap = existsSync(this.#overMark(sessionId)) ? undefined : this.#parts.gap;
    return { clock, log, gap, knownMemory, journal: journalFile(dataDir, sessionId), ...(deriver && { deriver }) };
  }

  #add(session: LiveSession, beganAtMs: number | null = null): void {
    const { sessionId } = session.head;
    this.#sessions.set(sessionId, session);
    this.#parts.log.info({ sessionId, frames: session.frames }, 'following a live session');
    this.#parts.opened(session, beganAtMs);
  }

  #removeFiles(sessionId: string): void {
    rmSync(this.#file(sessionId), { force: true });
    rmSync(journalFile(this.#parts.dataDir, sessionId), { force: true });
  }

  async #complete(session: LiveSession): Promise<void> {
    const { sessionId } = session.head;
    const mark = this.#overMark(sessionId);
    const over = async (): Promise<SessionEntry> => {
      const entry = await session.end();
      makeMark(mark);
      return entry;
    };
    const entry = await this.#persist(sessionId, over, 'could not end a live session yet');
    await this.#addToCatalogue(entry, session.file);
    this.#knownMemory.delete(sessionId);
    this.#parts.ended(sessionId);
    rmSync(mark);
  }

  /** Rejects when the service closes first. The next process completes the rest. */
  async #addToCatalogue(entry: SessionEntry, from: string): Promise<void> {
    const { dataDir, recordings, log } = this.#parts;
    const { sessionId } = entry;
    const to = recordingFile(dataDir, parseSessionId(sessionId)!);
    const publish = () => recordings.publish(entry, { file: from, place: () => move(from, to) });
    await this.#persist(sessionId, publish, 'could not add a live session to the catalogue');
    log.info({ sessionId, updates: entry.updateCount }, 'a live session has ended and can be replayed');
  }

  #persist<Result>(sessionId: string, work: () => Promise<Result>, problem: string): Promise<Result> {
    const { clock, log } = this.#parts;
    const { signal } = this.#closing;
    return untilDone(work, {
      pause: (delayMs) => clock.sleep(delayMs, signal),
      isClosing: () => signal.aborted,
      failed: (error) => log.warn({ sessionId, err: error }, `${problem}; trying again`),
    });
  }
}

function makeMark(file: string): void {
  try {
    closeSync(openSync(file, 'w'));
    sync(dirname(file));
  } catch (error) {
    throw fileError(error, `writing ${file}`);
  }
}

/** Changes nothing if the file was moved before: the commit behind the move may have failed, and is tried again. */
function move(from: string, to: string): void {
  try {
    mkdirSync(dirname(to), { recursive: true });
    if (existsSync(from) || !existsSync(to)) renameSync(from, to);
    for (const folder of [dirname(to), dirname(from)]) sync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EXDEV') moveAcross(from, to);
    else throw fileError(error, `writing ${to}`);
  }
}

/**
 * Moves a file to another file system. If the process dies before the last step, both files stay and the next one
 * repeats it.
 */
function moveAcross(from: string, to: string): void {
  const staged = new StagedFile(to);
  try {
    copyFileSync(from, staged.temporary);
    sync(staged.temporary);
  } catch (error) {
    staged.discard();
    throw fileError(error, `writing ${to}`);
  }
  staged.publish();
  rmSync(from);
}

/** Makes a file or a folder durable. */
function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
