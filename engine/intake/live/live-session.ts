// A session that is going on: every frame is recorded, then derived, then shown to the delivery threads.
//
// V1 A frame is in the recording, handed to the system, before anything of it is published: what a killed process has
//    delivered, the next one derives again, with the same sequence numbers (I7). Power cuts can cost what was not durable yet.
// V2 The time of frames never falls. A message without a time, or with an earlier one, counts as simultaneous with the one
//    before it; so does one whose time is far beyond any session, which would take all later ones with it.
// V3 A message that makes no sense is recorded and tells nothing; the session goes on. A replay passes over it as well.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Clock } from '#engine/base/clock.ts';
import { objectOf, textOf } from '#engine/base/json-value.ts';
import { LIVE_PROBLEMS_LOGGED_MAX, SESSION_SPAN_MS_MAX } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import { SourceError } from '#engine/base/source-error.ts';
import { HEADER_FIXED_BYTES, headLength, type RecordingHead } from '#engine/intake/recording/recording-format.ts';
import { RecordingReader } from '#engine/intake/recording/recording-reader.ts';
import { recoverRecording } from '#engine/intake/recording/recording-recovery.ts';
import { RecordingWriter } from '#engine/intake/recording/recording-writer.ts';
import type { SessionEntry } from '#engine/intake/recording/session-catalogue.ts';
import { updatesByFeed } from '#engine/intake/recording/session-import.ts';
import type { LiveMessage } from '#engine/intake/source/live-source.ts';
import { SessionDeriver } from '#engine/racing/derive/derive.ts';
import { describeSession } from '#engine/racing/derive/describe-session.ts';
import type { Frame } from '#engine/racing/frame.ts';
import type { SessionOutcome } from '#engine/racing/outcome/session-outcome.ts';
import { seriesOf } from '#engine/racing/series/known-series.ts';
import type { Series, SessionDescription } from '#engine/racing/series/series.ts';
import { type SessionPhase, sessionPhase } from '#engine/racing/session/session-phase.ts';
import { type LiveMemory, reserveLiveMemory } from '#engine/timeline/live-memory.ts';
import { LiveTimelineWriter, TimelineFull } from '#engine/timeline/live-timeline-writer.ts';
import { serialisePayload } from '#schemas/webhook/payloads.ts';
import { SessionProgress } from './session-progress.ts';

export interface LiveSessionParts {
  readonly clock: Clock;
  readonly log: Log;
  /** Memory of this session that threads read already, if its writer has died. */
  readonly knownMemory?: LiveMemory | undefined;
}

export class LiveSession {
  readonly head: RecordingHead;
  readonly memory: LiveMemory;
  /** For whoever watches from another thread. */
  readonly progress = new SessionProgress();
  readonly #writer: RecordingWriter;
  readonly #timeline: LiveTimelineWriter;
  readonly #series: Series;
  readonly #deriver: SessionDeriver;
  readonly #log: Log;
  #lastUtcMs: number;
  #lastFrameMs: number;
  #status: string | null = null;
  #full = false;
  #problems = 0;
  #unsynced = false;
  #syncing: Promise<void> | null = null;
  #ended = false;

  private constructor(head: RecordingHead, writer: RecordingWriter, startUtcMs: number, parts: LiveSessionParts) {
    const { sessionId, seriesId } = head;
    this.head = head;
    this.memory = parts.knownMemory ?? reserveLiveMemory({ sessionId, seriesId }, startUtcMs);
    this.#writer = writer;
    this.#timeline = new LiveTimelineWriter(this.memory, serialisePayload);
    this.#series = seriesOf(seriesId);
    this.#deriver = new SessionDeriver(this.#timeline.builder, this.#series);
    this.#log = parts.log;
    this.#lastUtcMs = startUtcMs;
    this.#lastFrameMs = parts.clock.nowMs();
    this.#tellProgress();
  }

  /** Begins a recording in `file`, which must not exist. `startUtcMs` is Unix epoch milliseconds of its first frame. */
  static begin(file: string, head: RecordingHead, startUtcMs: number, parts: LiveSessionParts): LiveSession {
    return new LiveSession(head, RecordingWriter.create(file, head), startUtcMs, parts);
  }

  /** Goes on with a recording that a process has left, from its last whole frame; null when it holds none. */
  static recover(file: string, parts: LiveSessionParts): LiveSession | null {
    if (isStump(file)) return null;
    const { bytes, frames, cutBytes } = recoverRecording(file);
    if (frames === 0) return null;
    if (cutBytes > 0) parts.log.warn({ file, cutBytes }, 'a torn frame at the end of a live recording was cut off');
    const reader = RecordingReader.open(file);
    try {
      const [first] = reader.frames();
      const writer = RecordingWriter.append(file, bytes, frames);
      const session = new LiveSession(reader.head, writer, first!.utcMs, parts);
      for (const frame of reader.frames()) {
        session.#derive(frame);
        session.#analyse(frame);
      }
      session.#publish(parts.clock.nowMs());
      session.#tellProgress();
      return session;
    } finally {
      reader.close();
    }
  }

  /** Records a message, derives what it changed and publishes that. Throws a RecordingError when it cannot be recorded. */
  take(message: LiveMessage, receivedMs: number): void {
    const latestUtcMs = this.memory.startUtcMs + SESSION_SPAN_MS_MAX;
    const saidUtcMs = message.utcMs === null || message.utcMs > latestUtcMs ? this.#lastUtcMs : message.utcMs;
    const utcMs = Math.max(this.#lastUtcMs, saidUtcMs);
    const frame = { utcMs, topic: message.topic, json: message.json };
    this.#writer.append(frame);
    this.#writer.flush();
    this.#unsynced = true;
    this.#lastFrameMs = receivedMs;
    this.#derive(frame);
    this.#publish(receivedMs);
    // The deliveries of what the frame told have begun: the models hold back none of them.
    this.#analyse(frame);
    this.#publish(receivedMs);
    this.#tellProgress();
  }

  get file(): string {
    return this.#writer.file;
  }

  /** Updates that all threads see. */
  get updates(): number {
    return this.#timeline.length;
  }

  get frames(): number {
    return this.#writer.frames;
  }

  /** Monotonic time of the latest frame. */
  get lastFrameMs(): number {
    return this.#lastFrameMs;
  }

  /** Unix epoch milliseconds of the latest frame. */
  get lastUtcMs(): number {
    return this.#lastUtcMs;
  }

  /** The upstream's own word for how far it is; null when it has not said. */
  get status(): string | null {
    return this.#status;
  }

  get phase(): SessionPhase {
    // One that has just begun has not had its say yet.
    return this.frames === 0 ? 'upcoming' : sessionPhase(this.#status, this.#series.facts.status);
  }

  /** How it stands; null when its series does not tell. */
  outcome(): SessionOutcome | null {
    return this.#deriver.outcome();
  }

  /** Makes what was recorded durable, unless that is under way. */
  sync(): void {
    if (!this.#unsynced || this.#syncing !== null) return;
    this.#unsynced = false;
    this.#syncing = this.#writer.syncFlushed().then(
      () => {
        this.#syncing = null;
      },
      (error: Error) => {
        this.#syncing = null;
        this.#unsynced = true;
        this.#log.error({ file: this.file, err: error }, 'a live recording could not be made durable yet');
      },
    );
  }

  /** Nothing further comes: the timeline is sealed and the recording whole. Answers its entry in the catalogue. */
  async end(): Promise<SessionEntry> {
    await this.close();
    this.#timeline.seal();
    const { length } = this.#timeline;
    return {
      ...described(this.#series, this.file, this.memory.startUtcMs),
      durationMs: Math.round(this.#lastUtcMs - this.memory.startUtcMs),
      frameCount: this.frames,
      updateCount: length,
      feeds: updatesByFeed(new Uint8Array(this.memory.columns.feed, 0, length)),
      demo: false,
    };
  }

  /** Leaves the recording durable and to be gone on with. */
  async close(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    await this.#syncing;
    this.#writer.sync();
    this.#writer.close();
  }

  #derive(frame: Frame): void {
    this.#lastUtcMs = frame.utcMs;
    const { topic, field } = this.#series.facts.status;
    if (frame.topic === topic) this.#status = textIn(frame.json, field) ?? this.#status;
    this.#append(frame.topic, () => this.#deriver.apply(frame));
  }

  /** What the models make of the frame. */
  #analyse({ topic }: Frame): void {
    this.#append(topic, () => this.#deriver.analyse());
  }

  #append(topic: string, derive: () => Error | null): void {
    if (this.#full) return;
    try {
      const problem = derive();
      if (problem !== null) this.#complain(topic, problem);
    } catch (error) {
      this.#complain(topic, error as Error);
      // What the frame told before it was full is shown.
      if (error instanceof TimelineFull) {
        this.#publish(this.#lastFrameMs);
        this.#full = true;
      }
    }
  }

  #publish(receivedMs: number): void {
    if (this.#full) return;
    try {
      this.#timeline.publish(receivedMs);
    } catch (error) {
      if (!(error instanceof TimelineFull)) throw error;
      this.#full = true;
      this.#complain(null, error);
    }
  }

  #tellProgress(): void {
    this.progress.write(this.frames, this.updates, this.#lastFrameMs);
  }

  #complain(topic: string | null, error: Error): void {
    this.#problems++;
    if (this.#problems > LIVE_PROBLEMS_LOGGED_MAX) return;
    const { sessionId } = this.head;
    const details = { sessionId, topic, frame: this.frames };
    if (error instanceof SourceError) this.#log.warn({ ...details, reason: error.message }, 'a message tells nothing');
    else this.#log.error({ ...details, err: error }, 'a message could not be derived; the session goes on without it');
  }
}

function textIn(json: string, field: string): string | null {
  try {
    return textOf(objectOf(JSON.parse(json))[field]);
  } catch {
    return null;
  }
}

/** Whether the file ends within its header: the process, or the room on the disk, ended as it began. */
function isStump(file: string): boolean {
  const descriptor = openSync(file, 'r');
  try {
    const fixed = Buffer.alloc(HEADER_FIXED_BYTES);
    if (readSync(descriptor, fixed, 0, fixed.length, 0) < fixed.length) return true;
    return fstatSync(descriptor).size < HEADER_FIXED_BYTES + headLength(file, fixed);
  } finally {
    closeSync(descriptor);
  }
}

/** What the recording says of its session, or as much as can be said of one that does not say. */
function described(series: Series, file: string, startUtcMs: number): SessionDescription {
  const reader = RecordingReader.open(file);
  const { sessionId, seriesId } = reader.head;
  try {
    return { ...describeSession(series, reader.frames(), sessionId), sessionId, seriesId };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const season = new Date(startUtcMs).getUTCFullYear();
    return { sessionId, seriesId, name: sessionId, type: 'Race', circuitName: sessionId, season, startUtcMs };
  } finally {
    reader.close();
  }
}
