// The sessions that go on at the moment, by id: begun, found again after a crash, and, once they are over, made replayable.
//
// Their recordings lie in a folder of their own until they are whole; then recording and catalogue entry appear together. A
// mark beside the recording says that its session is over: one whose end was interrupted, at whatever step, is ended by the
// next process.

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
import type { SessionCatalogue, SessionEntry } from '#engine/intake/recording/session-catalogue.ts';
import { parseSessionId } from '#engine/intake/recording/session-id.ts';
import type { LiveMemory } from '#engine/timeline/live-memory.ts';
import { LiveSession } from './live-session.ts';

const SUFFIX = '.frames';
const OVER_SUFFIX = '.over';

/**
 * Why a session cannot begin: one of this id is just being put into the catalogue, or is there; its recording is damaged;
 * there are too many sessions; the service is stopping.
 */
export type NotBegun = 'ending' | 'over' | 'damaged' | 'too_many' | 'closing';

export interface LiveSessionsParts {
  readonly dataDir: string;
  readonly catalogue: SessionCatalogue;
  readonly clock: TimerClock;
  readonly log: Log;
  /** Memory that threads read already, by session id, if the last writer has died. */
  readonly knownMemory: ReadonlyMap<string, LiveMemory>;
  /** A session has begun, or was found again. */
  readonly opened: (session: LiveSession) => void;
  /** It is over and can be replayed. */
  readonly ended: (sessionId: string) => void;
}

export class LiveSessions {
  readonly #parts: LiveSessionsParts;
  readonly #sessions = new Map<string, LiveSession>();
  /** Memory that threads read already, of sessions that have not ended. */
  readonly #knownMemory: Map<string, LiveMemory>;
  /** Ids whose recordings cannot be gone on with. */
  readonly #damaged = new Set<string>();
  /** Those that are being put into the catalogue. */
  readonly #ending = new Map<string, Promise<void>>();
  readonly #closing = new AbortController();

  constructor(parts: LiveSessionsParts) {
    this.#parts = parts;
    this.#knownMemory = new Map(parts.knownMemory);
  }

  /**
   * Finds the sessions that the last process left, and goes on with ending those that were over. One that cannot be read
   * stays where it is, for somebody to look at.
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
      // Its recording is in its place already; whether the catalogue knows it, nobody can tell.
      const file = recordingFile(dataDir, sessionId);
      const session = existsSync(file) ? this.#recovered(sessionId, file) : null;
      if (session === null) {
        log.warn({ sessionId }, 'a live session that was over has no recording');
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

  /** In the order in which they began. */
  all(): Iterable<LiveSession> {
    return this.#sessions.values();
  }

  /**
   * Begins a session that does not go on yet, or says why it cannot. `startUtcMs` is the time of its first frame. Throws a
   * RecordingError when nothing can be written.
   */
  begin(head: RecordingHead, startUtcMs: number): LiveSession | NotBegun {
    const { sessionId } = head;
    assert(!this.#sessions.has(sessionId), 'a session that goes on does not begin');
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

  /** Ends a session: resolves when it can be replayed. */
  async end(session: LiveSession): Promise<void> {
    const { sessionId } = session.head;
    if (this.#sessions.get(sessionId) === session) {
      this.#sessions.delete(sessionId);
      const ending = this.#publish(session).finally(() => this.#ending.delete(sessionId));
      this.#ending.set(sessionId, ending);
    }
    await this.#ending.get(sessionId);
  }

  /** Ends a session that nobody waits for. */
  endInBackground(session: LiveSession): void {
    this.end(session).catch((error: Error) => {
      const { sessionId } = session.head;
      this.#parts.log.error({ sessionId, err: error }, 'a live session could not be ended; the next start tries again');
    });
  }

  /** To be called often: makes durable what was recorded. */
  sync(): void {
    for (const session of this.#sessions.values()) session.sync();
  }

  /** To be called now and then: ends sessions of which nothing was heard for hours, so that none goes on for ever. */
  endAbandoned(): void {
    const nowMs = this.#parts.clock.nowMs();
    for (const session of this.#sessions.values()) {
      if (nowMs - session.lastFrameMs < LIVE_ABANDONED_MS) continue;
      this.#parts.log.warn({ sessionId: session.head.sessionId }, 'nothing was heard of a live session for hours');
      this.endInBackground(session);
    }
  }

  /** Leaves all sessions to be gone on with. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#sessions.values()].map((session) => session.close()));
    this.#sessions.clear();
    await Promise.allSettled(this.#ending.values());
  }

  #recovered(sessionId: string, file: string): LiveSession | null {
    try {
      const session = LiveSession.recover(file, this.#sessionParts(sessionId));
      if (session === null) rmSync(file);
      return session;
    } catch (error) {
      this.#damaged.add(sessionId);
      this.#parts.log.error(
        { file, err: error },
        'a live recording cannot be gone on with; restore it or move it away',
      );
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
    const { clock, log } = this.#parts;
    return { clock, log, knownMemory: this.#knownMemory.get(sessionId) };
  }

  #add(session: LiveSession): void {
    const { sessionId } = session.head;
    this.#sessions.set(sessionId, session);
    this.#parts.log.info({ sessionId, frames: session.frames }, 'a live session goes on');
    this.#parts.opened(session);
  }

  async #publish(session: LiveSession): Promise<void> {
    const { sessionId } = session.head;
    const entry = await session.end();
    const mark = this.#overMark(sessionId);
    makeMark(mark);
    await this.#enter(entry, session.file);
    this.#knownMemory.delete(sessionId);
    this.#parts.ended(sessionId);
    rmSync(mark);
  }

  /** Rejects when the service closes first; the next process finds what is left. */
  async #enter(entry: SessionEntry, from: string): Promise<void> {
    const { dataDir, catalogue, clock, log } = this.#parts;
    const { sessionId } = entry;
    const { signal } = this.#closing;
    const to = recordingFile(dataDir, parseSessionId(sessionId)!);
    await untilDone(() => catalogue.put(entry, () => move(from, to)), {
      pause: (delayMs) => clock.sleep(delayMs, signal),
      isClosing: () => signal.aborted,
      failed: (error) => log.warn({ sessionId, err: error }, 'a live session could not be put into the catalogue yet'),
    });
    log.info({ sessionId, updates: entry.updateCount }, 'a live session is over');
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

function move(from: string, to: string): void {
  try {
    mkdirSync(dirname(to), { recursive: true });
    renameSync(from, to);
    for (const folder of [dirname(to), dirname(from)]) sync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EXDEV') moveAcross(from, to);
    else throw fileError(error, `writing ${to}`);
  }
}

/** To another file system. A process that dies before the last step leaves both, and the next one does it again. */
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

/** A file or a folder. */
function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
