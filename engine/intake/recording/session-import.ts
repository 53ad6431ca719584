// Makes a session replayable. Its frames become a recording. Its timeline is derived once, to check that it can be and
// to count its updates. Then the recording and its catalogue entry appear together.

import { deriveTimeline } from '#engine/racing/derive/derive.ts';
import type { Frame } from '#engine/racing/frame.ts';
import type { SessionDescription } from '#engine/racing/series/series.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import { FEEDS, type FeedId } from '#schemas/webhook/feeds.ts';
import { recordingFile, stageRecording } from './recording-import.ts';
import { RecordingReader } from './recording-reader.ts';
import type { RecordingStore } from './recording-store.ts';
import type { SessionEntry } from './session-catalogue.ts';
import type { SessionId } from './session-id.ts';

export interface SessionToImport extends SessionDescription {
  readonly sessionId: SessionId;
  readonly demo: boolean;
  /** Where the frames come from. The recording keeps it for people who read it later. */
  readonly origin: string;
}

/**
 * Imports a session, or replaces an earlier import of it. `onProgress` gets the progress of deriving, 0 to 1. Reading
 * and deriving block the thread, so `interruption` is awaited only between them. If it throws, nothing has changed.
 */
export async function importSession(
  dataDir: string,
  recordings: Pick<RecordingStore, 'publish'>,
  session: SessionToImport,
  frames: Iterable<Frame>,
  onProgress?: (fraction: number) => void,
  interruption?: () => Promise<void>,
): Promise<SessionEntry> {
  const { sessionId, seriesId, name, type, circuitName, season, startUtcMs, demo, origin } = session;
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
    await recordings.publish(entry, {
      file: recording.staged.temporary,
      place: () => recording.staged.publish(),
    });
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

/** Counts updates by feed id, from each update's feed number. */
export function updatesByFeed(feedNumbers: Uint8Array): Partial<Record<FeedId, number>> {
  const counts = new Array<number>(FEEDS.length).fill(0);
  for (const feed of feedNumbers) counts[feed]!++;
  return Object.fromEntries(
    FEEDS.map((feed, index) => [feed.feedId, counts[index]!]).filter(([, count]) => count !== 0),
  );
}
