// A session from a text dump, whatever its format: the messages of its lines as frames.
//
// Time never falls: a message that says an earlier time than the one before it counts as simultaneous with it. A whole
// state has no time of its own; it is that of its Heartbeat or of the message that follows, whichever is earlier, because a
// Heartbeat can be ahead of its sending. The topics of a whole state come in the order of `schemas/upstream/topics.ts`.

import { statSync } from 'node:fs';
import {
  DUMP_LINE_BYTES_MAX,
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
  readonly #opening: readonly LiveMessage[];
  readonly #unknownTopics = new Map<string, number>();

  /** `opening`: a whole state that lies in a file of its own and comes before all lines. */
  constructor(path: string, format: DumpFormat, opening: readonly LiveMessage[] = []) {
    this.#path = path;
    this.#format = format;
    this.#opening = opening;
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

  /** As the lines have them. */
  *#messages(file: LineFile, onProgress: SourceProgress | undefined): Iterable<LiveMessage> {
    yield* this.#opening;
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
      const advice = `The file was taken for ${this.#format.name}: check that line, or get the file again`;
      throw file.error(error.message, advice, error.column);
    }
  }

  /** With their times, whole states as soon as theirs is known. */
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
    const stateFrames = (nextUtcMs: number | null): Frame[] => {
      const utcMs = Math.min(
        heartbeatUtcMs(waiting) ?? Number.POSITIVE_INFINITY,
        nextUtcMs ?? Number.POSITIVE_INFINITY,
      );
      if (utcMs === Number.POSITIVE_INFINITY) {
        throw new SourceError(
          this.#path,
          'nothing says when its whole state was',
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
            `it has more than ${DUMP_LINE_BYTES_MAX} bytes of whole states in a row`,
            'No session has a state that large: check that this is a recording of one',
          );
        }
        continue;
      }
      if (waiting.length > 0) yield* stateFrames(utcMs);
      advance(utcMs);
      yield { utcMs: atMs, topic, json };
    }
    if (waiting.length > 0) yield* stateFrames(null);
  }
}

/** One wrong year would make a session that takes as long to replay. */
function tooLate(file: LineFile, startUtcMs: number, utcMs: number): SourceError {
  const iso = (time: number): string => new Date(time).toISOString();
  const problem = `a message of ${iso(utcMs)} is in a recording that begins at ${iso(startUtcMs)}`;
  return file.error(problem, 'No session lasts that long: one of the two times is wrong');
}

function heartbeatUtcMs(state: readonly LiveMessage[]): number | null {
  const heartbeat = state.find(({ topic }) => topic === 'Heartbeat');
  return heartbeat === undefined ? null : upstreamUtcMs(JSON.parse(heartbeat.json).Utc);
}
