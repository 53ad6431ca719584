// A session from the upstream's static archive: one `.jsonStream` file per topic, merged into one stream of frames.
//
// Frames are ordered by time, then by topic (in the order of `schemas/upstream/topics.ts`), then as in the topic's
// file. A line with an earlier time than the line before it gets that line's time, so frame times never decrease.

import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { RECORDING_BYTES_MAX, RECORDING_FRAMES_MAX } from '#engine/base/limits.ts';
import { SourceError } from '#engine/base/source-error.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { compareTopics, isUpstreamTopic } from '#schemas/upstream/topics.ts';
import { archiveStartUtcMs } from './archive-clock.ts';
import { JsonStreamFile, type StreamLine } from './json-stream-file.ts';
import type { RecordingSource, SourceProgress } from './recording-source.ts';

export const JSON_STREAM_SUFFIX = '.jsonStream';
/** Frames between two reports of progress. */
const PROGRESS_FRAMES = 512;

interface TopicFile {
  readonly topic: string;
  readonly path: string;
}

/** The archive in a folder, or a single `.jsonStream` file as an archive of one topic. */
export class ArchiveFolder implements RecordingSource {
  readonly #where: string;
  /** In the order of their frames at the same time. */
  readonly #files: readonly TopicFile[];
  readonly #startUtcMs: number;
  readonly #unknownTopics = new Map<string, number>();

  /** Finds the files and the start time. Throws a SourceError when there is no usable file or no start time. */
  constructor(path: string) {
    this.#where = path;
    this.#files = topicFiles(path);
    if (this.#files.length === 0) {
      throw new SourceError(
        path,
        `there is no ${JSON_STREAM_SUFFIX} file in this folder`,
        'Give the folder that holds SessionInfo.jsonStream, TimingData.jsonStream and so on',
      );
    }
    const bytes = this.#files.reduce((sum, file) => sum + statSync(file.path).size, 0);
    if (bytes > RECORDING_BYTES_MAX) {
      throw new SourceError(path, `its files have ${bytes} bytes`, `At most ${RECORDING_BYTES_MAX} are imported`);
    }
    // Reading a line of each file first reports a file in another format as such, not as one without a start time.
    for (const file of this.#files) firstLine(file);
    this.#startUtcMs = archiveStartUtcMs(path, (topic) => this.#lines(topic));
  }

  get unknownTopics(): ReadonlyMap<string, number> {
    return this.#unknownTopics;
  }

  *frames(onProgress?: SourceProgress): Iterable<Frame> {
    this.#unknownTopics.clear();
    const cursors = this.#files.map((file) => new TopicCursor(file));
    try {
      for (const cursor of cursors) cursor.advance();
      const progress = () =>
        onProgress?.(
          cursors.reduce((sum, cursor) => sum + cursor.bytesDone, 0),
          cursors.reduce((sum, cursor) => sum + cursor.bytesTotal, 0),
        );
      let frames = 0;
      for (let cursor = earliest(cursors); cursor !== null; cursor = earliest(cursors)) {
        if (++frames > RECORDING_FRAMES_MAX) {
          throw new SourceError(
            this.#where,
            'it has too many messages',
            `At most ${RECORDING_FRAMES_MAX} are imported`,
          );
        }
        const { topic, timeMs, line } = cursor;
        if (!isUpstreamTopic(topic)) this.#unknownTopics.set(topic, (this.#unknownTopics.get(topic) ?? 0) + 1);
        yield { utcMs: this.#startUtcMs + timeMs, topic, json: line!.json };
        cursor.advance();
        if (frames % PROGRESS_FRAMES === 0) progress();
      }
      progress();
    } finally {
      for (const cursor of cursors) cursor.close();
    }
  }

  *#lines(topic: string): Iterable<StreamLine> {
    const file = this.#files.find((one) => one.topic === topic);
    if (file === undefined) return;
    const stream = new JsonStreamFile(file.path);
    try {
      for (let line = stream.next(); line !== null; line = stream.next()) yield line;
    } finally {
      stream.close();
    }
  }
}

/** A topic's file with its next line. */
class TopicCursor {
  readonly topic: string;
  readonly #file: JsonStreamFile;
  line: StreamLine | null = null;
  timeMs = 0;

  constructor({ topic, path }: TopicFile) {
    this.topic = topic;
    this.#file = new JsonStreamFile(path);
  }

  get bytesDone(): number {
    return this.#file.bytesDone;
  }

  get bytesTotal(): number {
    return this.#file.bytesTotal;
  }

  advance(): void {
    this.line = this.#file.next();
    if (this.line !== null) this.timeMs = Math.max(this.timeMs, this.line.offsetMs);
  }

  close(): void {
    this.#file.close();
  }
}

function firstLine({ path }: TopicFile): StreamLine | null {
  const stream = new JsonStreamFile(path);
  try {
    return stream.next();
  } finally {
    stream.close();
  }
}

/** The cursor with the earliest line; of several, the first in the list. Null when no line is left. */
function earliest(cursors: readonly TopicCursor[]): TopicCursor | null {
  let first: TopicCursor | null = null;
  for (const cursor of cursors) {
    if (cursor.line !== null && (first === null || cursor.timeMs < first.timeMs)) first = cursor;
  }
  return first;
}

function topicFiles(path: string): TopicFile[] {
  const folder = statSync(path).isDirectory();
  const names = folder ? readdirSync(path) : [basename(path)];
  return names
    .filter((name) => name.endsWith(JSON_STREAM_SUFFIX))
    .map((name) => ({
      topic: name.slice(0, -JSON_STREAM_SUFFIX.length),
      path: join(folder ? path : dirname(path), name),
    }))
    .filter((file) => statSync(file.path).isFile())
    .sort((a, b) => compareTopics(a.topic, b.topic));
}
