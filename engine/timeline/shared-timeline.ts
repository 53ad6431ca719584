// A timeline as threads hand it to each other: memory that all of them read in place.

import type { LiveMemory } from './live-memory.ts';

/** A playback artifact in shared memory. */
export interface SharedArtifact {
  readonly bytes: SharedArrayBuffer;
}

/** What a run plays. */
export type SharedTimeline = SharedArtifact | LiveMemory;
