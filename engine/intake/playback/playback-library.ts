// Playback artifacts by session: compiled once in the background, cached on disk, opened into shared memory.

import type { SharedArtifact } from '#engine/timeline/shared-timeline.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';

export type Preparation =
  | { readonly status: 'none' }
  | { readonly status: 'preparing' /** 0 to 1. */; readonly progress: number }
  | { readonly status: 'ready'; readonly updateCount: number }
  | { readonly status: 'failed'; readonly reason: string };

export interface OpenArtifact {
  readonly artifact: SharedArtifact;
  readonly timeline: Timeline;
  /** Which deriver version made it from which recording, as text. A run keeps it, to be resumed with the same updates. */
  readonly origin: string;
  /** Call when the artifact is not used any more. Safe to call again. */
  readonly release: () => void;
}

export interface PlaybackLibrary {
  /** The state of the session's artifact. A damaged, stale or old-format file counts as `none`. */
  status(sessionId: string): Promise<Preparation>;
  /** The states of several sessions, in their order, with one question to the database. */
  statuses(sessionIds: readonly string[]): Promise<Preparation[]>;
  /**
   * Starts compiling unless the artifact is ready or being compiled. Does not wait for it. `holder`: the account that
   * wants it, if it is not the service itself; accounts take turns.
   */
  prepare(sessionId: string, holder?: string): Promise<Preparation>;
  /**
   * Returns the artifact in shared memory, or null when it is not ready. Rejects with ArtifactsFull when those in use
   * leave no room for it.
   */
  open(sessionId: string): Promise<OpenArtifact | null>;
  /**
   * Like `open`, for the artifact of this origin, also when the session has another one by now. Null when it is missing
   * or damaged.
   */
  openOrigin(sessionId: string, origin: string): Promise<OpenArtifact | null>;
  /**
   * Removes artifacts that are out of date and that no run uses or needs, now and from now on. Call once, when all
   * unfinished runs have opened theirs, wait or are paused.
   */
  sweep(): Promise<void>;
}
