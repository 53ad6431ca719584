// A timeline as threads pass it to each other: memory that all of them read in place.

import type { LiveMemory } from './live-memory.ts';

/** A playback artifact in shared memory. */
export interface SharedArtifact {
  readonly bytes: SharedArrayBuffer;
}

/** The timeline of a run: compiled or live. */
export type SharedTimeline = SharedArtifact | LiveMemory;
