// A recorded session from outside, whatever its format: frames in time order.

import type { Frame } from '#engine/racing/frame.ts';

/** Called now and then while frames are read, and once at the end. Both in bytes of the files as they lie on disk. */
export type SourceProgress = (bytesDone: number, bytesTotal: number) => void;

export interface RecordingSource {
  /**
   * The frames in time order. Every call reads from the beginning. Throws a SourceError at the first thing that is not
   * as it must be, so that nothing is imported by half.
   */
  frames(onProgress?: SourceProgress): Iterable<Frame>;
  /** Topics that the upstream is not known to have, with their number of frames; complete after an iteration. */
  readonly unknownTopics: ReadonlyMap<string, number>;
}
