// What the nodes of a cluster have ready: a session that one of them was asked to prepare, all of them prepare. So a node
// that takes over a run need not compile its session first.

import type { SessionId } from '#engine/intake/recording/session-id.ts';

export interface WantedPreparation {
  readonly sessionId: SessionId;
  /** The version of its recording. */
  readonly version: string;
}

export interface SharedPreparations {
  /** Asks all nodes for it. That lasts until the session has another recording. */
  want(sessionId: SessionId): Promise<void>;
  /** Everything that was asked for. */
  wanted(): Promise<readonly WantedPreparation[]>;
}
