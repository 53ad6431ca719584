// Makes a session replayable: its frames become a recording of our own, its timeline is derived once to know that it can
// be and how many updates it has, and then recording and catalogue entry appear together.

import { deriveTimeline } from '#engine/racing/derive/derive.ts';
import type { Frame } from '#engine/racing/frame.ts';
import type { SessionDescription } from '#engine/racing/series/series.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import { FEEDS, type FeedId } from '#schemas/webhook/feeds.ts';
import { recordingFile, stageRecording } from './recording-import.ts';
import { RecordingReader } from './recording-reader.ts';
import type { SessionCatalogue, SessionEntry } from './session-catalogue.ts';
import type { SessionId } from './session-id.ts';

export interface SessionOrder extends SessionDescription {
  readonly sessionId: SessionId;
  readonly demo: boolean;
  /** Where the frames come from, for whoever looks at the recording later. */
  readonly origin: string;
}

/**
 * `onProgress` hears of the deriving, 0 to 1. Importing a session again replaces it. Reading and deriving hold the thread, so
 * `interruption` is only asked for in between: what it throws leaves everything as it was.
 */
export async function importSession(
  dataDir: string,
  catalogue: SessionCatalogue,
  order: SessionOrder,
  frames: Iterable<Frame>,
  onProgress?: (fraction: number) => void,
  interruption?: () => Promise<void>,
): Promise<SessionEntry> {
  const { sessionId, seriesId, name, type, circuitName, season, startUtcMs, demo, origin } = order;
  const recording = stageRecording(recordingFile(dataDir, sessionId), { sessionId, seriesId, origin }, frames);
  try {
    await interruption?.();
    const timeline = deriveFrom(recording.staged.temporary, onProgress);
    await interruption?.();
    const entry: SessionEntry = {
      sessionId,
      seriesId,
      name,
      type,
      circuitName,
      season,
      startUtcMs,
      durationMs: timeline.info.durationMs,
      frameCount: recording.frames,
      updateCount: timeline.length,
      feeds: updatesByFeed(timeline.columns.feed),
      demo,
    };
    await catalogue.put(entry, () => recording.staged.publish());
    return entry;
  } catch (error) {
    recording.staged.discard();
    throw error;
  }
}

function deriveFrom(file: string, onProgress?: (fraction: number) => void): Timeline {
  const reader = RecordingReader.open(file);
  try {
    return deriveTimeline(
      reader.head,
      reader.frames((done, total) => onProgress?.(done / total)),
    );
  } finally {
    reader.close();
  }
}

/** Counts by feed id, from the feed number of each update. */
export function updatesByFeed(feedNumbers: Uint8Array): Partial<Record<FeedId, number>> {
  const counts = new Array<number>(FEEDS.length).fill(0);
  for (const feed of feedNumbers) counts[feed]!++;
  return Object.fromEntries(
    FEEDS.map((feed, index) => [feed.feedId, counts[index]!]).filter(([, count]) => count !== 0),
  );
}
