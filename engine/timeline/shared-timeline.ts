// A timeline as threads pass it to each other: memory that all of them read in place.

import { openArtifact } from './artifact.ts';
import type { LiveMemory } from './live-memory.ts';
import { LiveTimeline } from './live-timeline.ts';
import type { Timeline } from './timeline.ts';

/** A playback artifact in shared memory. */
export interface SharedArtifact {
  readonly bytes: SharedArrayBuffer;
}

/** The timeline of a run: compiled or live. */
export type SharedTimeline = SharedArtifact | LiveMemory;

/** Returns a view of the timeline, of a live one up to what is published now. */
export function openTimeline(shared: SharedTimeline): Timeline {
  return 'bytes' in shared ? openArtifact(shared.bytes) : new LiveTimeline(shared).timeline;
}
