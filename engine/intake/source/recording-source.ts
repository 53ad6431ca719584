// A session that others recorded, in any supported format, as frames in time order.

import type { Frame } from '#engine/racing/frame.ts';

/** Called now and then while frames are read, and once at the end. Both values are bytes of the files on disk. */
export type SourceProgress = (bytesDone: number, bytesTotal: number) => void;

export interface RecordingSource {
  /**
   * The frames in time order. Every call reads from the beginning. Throws a SourceError at the first invalid message,
   * so that a session is imported completely or not at all.
   */
  frames(onProgress?: SourceProgress): Iterable<Frame>;
  /** Number of frames by unknown topic. Complete after an iteration. */
  readonly unknownTopics: ReadonlyMap<string, number>;
}
