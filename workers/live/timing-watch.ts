// Follows live timing while it is this process's turn: a service alone always, of a cluster the node that keeps house.
//
// A node whose turn begins goes on with the sessions of the one before. That one may still feed them, until it stops or its lease
// has run out. The wait for it ends when the turn does, or when the service stops: then nothing is followed.

import type { TimerClock } from '#engine/base/clock.ts';
import { NODE_RENEW_MS } from '#engine/base/limits.ts';
import type { F1LiveFollower } from '#engine/intake/live/f1-live-follower.ts';
import type { FrameLog } from '#engine/intake/live/frame-log.ts';
import type { LiveSession } from '#engine/intake/live/live-session.ts';
import type { LiveSessions } from '#engine/intake/live/live-sessions.ts';
import type { LiveSource } from '#engine/intake/source/live-source.ts';

export interface Following {
  readonly source: Pick<LiveSource, 'close'>;
  readonly follower: Pick<F1LiveFollower, 'start' | 'tick' | 'connected'>;
}

export interface TimingWatchParts {
  /** A source that has not started, and its follower. */
  readonly open: () => Following;
  readonly sessions: Pick<LiveSessions, 'all'>;
  readonly frames: Pick<FrameLog, 'claim' | 'release'>;
  /** Whether live timing feeds a session, not an operator's own source. */
  readonly isOfTiming: (session: LiveSession) => boolean;
  readonly clock: Pick<TimerClock, 'sleep'>;
  /** The caller starts another one. */
  readonly failed: (error: Error) => void;
}

export class TimingWatch {
  readonly #parts: TimingWatchParts;
  readonly #closing = new AbortController();
  #isOurs = false;
  #following: Following | null = null;
  /** One change at a time. */
  #changing: Promise<void> = Promise.resolve();

  constructor(parts: TimingWatchParts) {
    this.#parts = parts;
  }

  /** Whether a snapshot has arrived since the connection was last lost. */
  get connected(): boolean {
    return this.#following?.follower.connected ?? false;
  }

  /** Whose turn it is from now on. */
  keep(isOurs: boolean): void {
    this.#isOurs = isOurs;
    this.#changing = this.#changing
      .then(() => (isOurs ? this.#follow() : this.#unfollow()))
      .catch((error: Error) => {
        if (!this.#closing.signal.aborted) this.#parts.failed(error);
      });
  }

  /** The caller calls this every few seconds. */
  tick(): void {
    this.#following?.follower.tick();
  }

  /** Follows nothing more. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#following?.source.close();
  }

  get #isOver(): boolean {
    return this.#closing.signal.aborted || !this.#isOurs;
  }

  async #follow(): Promise<void> {
    const { open, sessions, isOfTiming } = this.#parts;
    if (this.#following !== null) return;
    const unfinished: LiveSession[] = [];
    for (const session of [...sessions.all()].filter(isOfTiming))
      if (await this.#isClaimed(session.head.sessionId)) unfinished.push(session);
    if (this.#isOver) return;
    this.#following = open();
    this.#following.follower.start(unfinished);
  }

  /** False if the session is over, or this process's turn. */
  async #isClaimed(sessionId: string): Promise<boolean> {
    while (!this.#isOver) {
      const claim = await this.#parts.frames.claim(sessionId);
      if (claim !== 'busy') return claim === 'claimed';
      await this.#parts.clock.sleep(NODE_RENEW_MS, this.#closing.signal).catch(() => {});
    }
    return false;
  }

  async #unfollow(): Promise<void> {
    const { sessions, frames, isOfTiming } = this.#parts;
    await this.#following?.source.close();
    this.#following = null;
    for (const session of sessions.all()) if (isOfTiming(session)) frames.release(session.head.sessionId);
  }
}
