// Where the frames of live sessions are kept before anything of them is delivered. Alone, that is the recording of the
// session; in a cluster it is the database, and every node takes the frames from there in the same order.

import type { RecordingHead } from '#engine/intake/recording/recording-format.ts';
import type { LiveMessage } from '#engine/intake/source/live-source.ts';
import type { LiveSession } from './live-session.ts';
import type { BeginRefusal, LiveSessions } from './live-sessions.ts';

/** `unknown`: the session is not live. `busy`: another node feeds it. `left`: this node follows it no more. */
export type Claim = 'claimed' | 'unknown' | 'busy' | 'left';

/** `busy`: another node feeds the session. `left`: it is over, but this node follows it no more: another one publishes it. */
export type End = 'ended' | 'busy' | 'left';

/** The frames that were offered last are not kept, because another node feeds the session now, or this one stops. */
export class FramesRefused extends Error {
  override readonly name = 'FramesRefused';
}

export interface FrameLog {
  /** Brings what is known here of a session up to date, before it is looked at. `left`: this node follows it no more. */
  look(sessionId: string): Promise<'known' | 'left'>;
  /** Call before frames are offered to a session that may be live. */
  claim(sessionId: string): Promise<Claim>;
  /** Nothing more is offered for now: another node may claim the session. */
  release(sessionId: string): void;
  /** Begins a session, which is claimed then. As `LiveSessions.begin`. */
  begin(head: RecordingHead, startUtcMs: number): LiveSession | BeginRefusal | Promise<LiveSession | BeginRefusal>;
  /** How many frames the session has, with those that are not kept yet. */
  offered(session: LiveSession): number;
  /**
   * Offers the next frame. Returns null if more may follow at once, or a promise to wait for. Throws a RecordingError as
   * `LiveSession.take` does, or FramesRefused.
   */
  offer(session: LiveSession, message: LiveMessage, receivedMs: number): Promise<void> | null;
  /** Resolves when all that was offered is kept and published here. Rejects with FramesRefused. */
  settled(session: LiveSession): Promise<void>;
  /** Ends a session. Resolves when it can be replayed, or with why this node cannot say when that is. */
  end(session: LiveSession): Promise<End>;
}

/** Of a service alone. */
export class LocalFrameLog implements FrameLog {
  readonly #sessions: LiveSessions;

  constructor(sessions: LiveSessions) {
    this.#sessions = sessions;
  }

  async look(): Promise<'known'> {
    return 'known';
  }

  async claim(sessionId: string): Promise<Claim> {
    return this.#sessions.get(sessionId) === null ? 'unknown' : 'claimed';
  }

  release(): void {}

  begin(head: RecordingHead, startUtcMs: number): LiveSession | BeginRefusal {
    return this.#sessions.begin(head, startUtcMs);
  }

  offered(session: LiveSession): number {
    return session.frames;
  }

  offer(session: LiveSession, message: LiveMessage, receivedMs: number): null {
    session.take(message, receivedMs);
    return null;
  }

  async settled(): Promise<void> {}

  async end(session: LiveSession): Promise<'ended'> {
    await this.#sessions.end(session);
    return 'ended';
  }
}
