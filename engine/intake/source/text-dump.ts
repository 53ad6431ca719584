// A session from a text dump of any format: the messages of its lines as frames.
//
// Frame times never decrease: a message with an earlier time than the one before it gets that one's time. A snapshot
// has no time of its own. It gets the time of its Heartbeat or of the next message, whichever is earlier, because a
// Heartbeat's time can lie ahead of when it was sent; but not that of one that an earlier session has left. The topics of a
// snapshot are ordered as in `schemas/upstream/topics.ts`.

import { statSync } from 'node:fs';
import {
  DUMP_LINE_BYTES_MAX,
  HEARTBEAT_STALE_MS,
  RECORDING_BYTES_MAX,
  RECORDING_FRAMES_MAX,
  SESSION_SPAN_MS_MAX,
} from '#engine/base/limits.ts';
import { SourceError } from '#engine/base/source-error.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { upstreamUtcMs } from '#engine/racing/upstream-time.ts';
import { compareTopics, isUpstreamTopic } from '#schemas/upstream/topics.ts';
import type { DumpFormat } from './dump-format.ts';
import { GET_AGAIN, LineFile, type TextLine } from './line-file.ts';
import { LineProblem } from './line-problem.ts';
import type { LiveMessage } from './live-source.ts';
import type { RecordingSource, SourceProgress } from './recording-source.ts';

/** Lines between two reports of progress. */
const PROGRESS_LINES = 512;

export class TextDump implements RecordingSource {
  readonly #path: string;
  readonly #format: DumpFormat;
  readonly #initial: readonly LiveMessage[];
  readonly #unknownTopics = new Map<string, number>();

  /** `initial` is a snapshot from a separate file. It comes before all lines. */
  constructor(path: string, format: DumpFormat, initial: readonly LiveMessage[] = []) {
    this.#path = path;
    this.#format = format;
    this.#initial = initial;
    const bytes = statSync(path).size;
    if (bytes > RECORDING_BYTES_MAX) {
      throw new SourceError(path, `it has ${bytes} bytes`, `At most ${RECORDING_BYTES_MAX} are imported`);
    }
  }

  get unknownTopics(): ReadonlyMap<string, number> {
    return this.#unknownTopics;
  }

  *frames(onProgress?: SourceProgress): Iterable<Frame> {
    this.#unknownTopics.clear();
    const file = new LineFile(this.#path, DUMP_LINE_BYTES_MAX);
    try {
      let frames = 0;
      for (const frame of this.#inOrder(file, this.#messages(file, onProgress))) {
        if (++frames > RECORDING_FRAMES_MAX) {
          throw new SourceError(this.#path, 'it has too many messages', `At most ${RECORDING_FRAMES_MAX} are imported`);
        }
        const { topic } = frame;
        if (!isUpstreamTopic(topic)) this.#unknownTopics.set(topic, (this.#unknownTopics.get(topic) ?? 0) + 1);
        yield frame;
      }
      if (frames === 0) throw new SourceError(this.#path, 'there is no message in it', 'Record a session');
      onProgress?.(file.bytesTotal, file.bytesTotal);
    } finally {
      file.close();
    }
  }

  /** The messages in the order of the lines. */
  *#messages(file: LineFile, onProgress: SourceProgress | undefined): Iterable<LiveMessage> {
    yield* this.#initial;
    let lines = 0;
    for (let line = file.next(); line !== null; line = file.next()) {
      yield* this.#parsed(file, line);
      if (++lines % PROGRESS_LINES === 0) onProgress?.(file.bytesDone, file.bytesTotal);
    }
  }

  #parsed(file: LineFile, { text, ended }: TextLine): readonly LiveMessage[] {
    if (text.trim() === '') return [];
    try {
      return this.#format.parse(text);
    } catch (error) {
      if (!(error instanceof LineProblem)) throw error;
      if (!ended) throw file.error('the last line is cut off', GET_AGAIN);
      const advice = `The file was read as ${this.#format.name}: check that line, or get the file again`;
      throw file.error(error.message, advice, error.column);
    }
  }

  /** The messages with their times. A snapshot waits until its time is known. */
  *#inOrder(file: LineFile, messages: Iterable<LiveMessage>): Iterable<Frame> {
    let startUtcMs: number | null = null;
    let atMs = 0;
    const advance = (utcMs: number): void => {
      startUtcMs ??= utcMs;
      if (utcMs > startUtcMs + SESSION_SPAN_MS_MAX) throw tooLate(file, startUtcMs, utcMs);
      atMs = Math.max(atMs, utcMs);
    };
    let waiting: LiveMessage[] = [];
    let waitingChars = 0;
    const snapshotFrames = (nextUtcMs: number | null): Frame[] => {
      const heartbeatMs = heartbeatUtcMs(waiting);
      const isStale = heartbeatMs !== null && nextUtcMs !== null && nextUtcMs - heartbeatMs > HEARTBEAT_STALE_MS;
      const utcMs = Math.min(
        (isStale ? null : heartbeatMs) ?? Number.POSITIVE_INFINITY,
        nextUtcMs ?? Number.POSITIVE_INFINITY,
      );
      if (utcMs === Number.POSITIVE_INFINITY) {
        throw new SourceError(
          this.#path,
          'its snapshot has no time',
          'It has no Heartbeat, and no message with a time follows: record for longer',
        );
      }
      advance(utcMs);
      const frames = waiting
        .sort((a, b) => compareTopics(a.topic, b.topic))
        .map(({ topic, json }) => ({ utcMs: atMs, topic, json }));
      waiting = [];
      waitingChars = 0;
      return frames;
    };
    for (const message of messages) {
      const { topic, json, utcMs } = message;
      if (utcMs === null) {
        waiting.push(message);
        waitingChars += json.length;
        if (waitingChars > DUMP_LINE_BYTES_MAX) {
          throw new SourceError(
            this.#path,
            `it has more than ${DUMP_LINE_BYTES_MAX} bytes of snapshots in a row`,
            'No session has a snapshot that large: check that this is a recording of one',
          );
        }
        continue;
      }
      if (waiting.length > 0) yield* snapshotFrames(utcMs);
      advance(utcMs);
      yield { utcMs: atMs, topic, json };
    }
    if (waiting.length > 0) yield* snapshotFrames(null);
  }
}

/** The error for a message far behind the start. With one wrong year, a replay would take that year. */
function tooLate(file: LineFile, startUtcMs: number, utcMs: number): SourceError {
  const iso = (time: number): string => new Date(time).toISOString();
  const problem = `the recording begins at ${iso(startUtcMs)} and has a message of ${iso(utcMs)}`;
  return file.error(problem, 'No session lasts that long: one of the two times is wrong');
}

function heartbeatUtcMs(state: readonly LiveMessage[]): number | null {
  const heartbeat = state.find(({ topic }) => topic === 'Heartbeat');
  return heartbeat === undefined ? null : upstreamUtcMs(JSON.parse(heartbeat.json).Utc);
}
