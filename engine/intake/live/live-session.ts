// A live session: records every frame, derives its updates, then publishes them to the delivery threads.
//
// V1 A frame is written to the recording (handed to the operating system) before any of its updates is published.
//    A power cut can lose frames that were not durable yet.
// V2 Frame times never decrease. A message without a time, or with an earlier one, gets the time of the frame before
//    it. So does a message whose time lies far beyond any session: all later frames would have to follow it.
// V3 An invalid message is recorded but yields no updates, and the session continues. A replay skips it as well.
// V4 An update is in the journal (handed to the operating system) before it is published. A resumed session publishes
//    what is in the journal as it is, whatever the present deriver makes of the same frames: it derives them again only
//    to know the session, and appends the updates of what follows. So no sequence ever means another update.
// V5 A time in which nothing arrived is reported when it ends: silence of the source, from frame to frame; or the time in which
//    this service was down, from the last frame in the recording until the session resumed.

import { closeSync, fstatSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import type { Clock } from '#engine/base/clock.ts';
import { objectOf, textOf } from '#engine/base/json-value.ts';
import { LIVE_ABANDONED_MS, LIVE_GAP_MS, LIVE_PROBLEMS_LOGGED_MAX, SESSION_SPAN_MS_MAX } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import { RecordingError } from '#engine/base/recording-error.ts';
import { SourceError } from '#engine/base/source-error.ts';
import { HEADER_FIXED_BYTES, headLength, type RecordingHead } from '#engine/intake/recording/recording-format.ts';
import { RecordingReader } from '#engine/intake/recording/recording-reader.ts';
import { recoverRecording } from '#engine/intake/recording/recording-recovery.ts';
import { RecordingWriter } from '#engine/intake/recording/recording-writer.ts';
import type { SessionEntry } from '#engine/intake/recording/session-catalogue.ts';
import { updatesByFeed } from '#engine/intake/recording/session-import.ts';
import type { LiveMessage } from '#engine/intake/source/live-source.ts';
import type { SessionDeriver } from '#engine/racing/derive/derive.ts';
import { DERIVER, type Deriver } from '#engine/racing/derive/deriver.ts';
import { describeSession } from '#engine/racing/derive/describe-session.ts';
import type { Frame } from '#engine/racing/frame.ts';
import type { SessionOutcome } from '#engine/racing/outcome/session-outcome.ts';
import { seriesOf } from '#engine/racing/series/known-series.ts';
import type { Series, SessionDescription } from '#engine/racing/series/series.ts';
import { type KnownBefore, PREVIEW_TOPIC } from '#engine/racing/session/known-before.ts';
import { type SessionPhase, sessionPhase } from '#engine/racing/session/session-phase.ts';
import { type LiveMemory, reserveLiveMemory } from '#engine/timeline/live-memory.ts';
import { TimelineFull } from '#engine/timeline/live-timeline-writer.ts';
import { serialisePayload } from '#schemas/webhook/payloads.ts';
import { JournalledTimeline } from './journalled-timeline.ts';
import type { GapListener } from './live-gap.ts';
import { SessionProgress } from './session-progress.ts';
import { UpdateDigest } from './update-digest.ts';

export interface LiveSessionParts {
  readonly clock: Clock;
  readonly log: Log;
  /** This session's memory that other threads already read, when its last writer has died. */
  readonly knownMemory?: LiveMemory | undefined;
  /** Where the journal is. */
  readonly journal: string;
  /** The present one, unless a test gives another. */
  readonly deriver?: Deriver;
  /** Takes the gaps (V5). */
  readonly gap?: GapListener | undefined;
}

export class LiveSession {
  readonly head: RecordingHead;
  /** Readable from other threads. */
  readonly progress = new SessionProgress();
  #memory: LiveMemory;
  readonly #writer: RecordingWriter;
  readonly #timeline: JournalledTimeline;
  readonly #series: Series;
  readonly #deriver: SessionDeriver;
  readonly #clock: Clock;
  readonly #gap: GapListener | undefined;
  readonly #log: Log;
  #lastUtcMs: number;
  #lastFrameMs: number;
  #status: string | null = null;
  #isKnown = false;
  #full = false;
  #problems = 0;
  #unsynced = false;
  #syncing: Promise<void> | null = null;
  #digest: UpdateDigest | null = null;
  #ended = false;

  private constructor(
    head: RecordingHead,
    writer: RecordingWriter,
    memory: LiveMemory,
    timeline: JournalledTimeline,
    startUtcMs: number,
    parts: LiveSessionParts,
  ) {
    this.head = head;
    this.#memory = memory;
    this.#writer = writer;
    this.#timeline = timeline;
    this.#series = seriesOf(head.seriesId);
    this.#deriver = (parts.deriver ?? DERIVER).begin(timeline.updates, this.#series);
    this.#clock = parts.clock;
    this.#gap = parts.gap;
    this.#log = parts.log;
    this.#lastUtcMs = startUtcMs;
    this.#lastFrameMs = parts.clock.nowMs();
    this.#updateProgress();
  }

  /**
   * Creates a recording in `file`, which must not exist, and its journal. `startUtcMs` is the Unix epoch time of its
   * first frame.
   */
  static begin(file: string, head: RecordingHead, startUtcMs: number, parts: LiveSessionParts): LiveSession {
    const memory = memoryOf(head, startUtcMs, parts);
    const writer = RecordingWriter.create(file, head);
    try {
      const timeline = JournalledTimeline.begin(memory, parts.journal, derivingBy(parts));
      return new LiveSession(head, writer, memory, timeline, startUtcMs, parts);
    } catch (error) {
      writer.close();
      rmSync(file);
      throw error;
    }
  }

  /** Resumes a recording that another process left, from its last complete frame. Null when it holds no frame. */
  static recover(file: string, parts: LiveSessionParts): LiveSession | null {
    if (endsInHeader(file)) return null;
    // Before the file is written to.
    const lastFrameMs = statSync(file).mtimeMs;
    const { bytes, frames, cutBytes } = recoverRecording(file);
    if (frames === 0) return null;
    if (cutBytes > 0) parts.log.warn({ file, cutBytes }, 'cut off a torn frame at the end of a live recording');
    const reader = RecordingReader.open(file);
    try {
      const [first] = reader.frames();
      const { head } = reader;
      const startUtcMs = first!.utcMs;
      const memory = memoryOf(head, startUtcMs, parts);
      const how = { ...derivingBy(parts), nowMs: parts.clock.nowMs(), log: parts.log };
      const timeline = JournalledTimeline.resume(memory, parts.journal, { startUtcMs, frames }, how);
      const writer = RecordingWriter.append(file, bytes, frames);
      const session = new LiveSession(head, writer, memory, timeline, startUtcMs, parts);
      session.#catchUp(reader.frames());
      session.#tellDowntime(lastFrameMs);
      // Other threads keep the memory that they know, with what was restored before that.
      if (parts.knownMemory === undefined) session.#memory = { ...memory, restored: session.updates };
      return session;
    } finally {
      reader.close();
    }
  }

  /**
   * Records a message, derives its updates and publishes them. Throws a RecordingError when it cannot be recorded, or
   * when its updates cannot be kept: then they are published as soon as they can be.
   */
  take(message: LiveMessage, receivedMs: number): void {
    const utcMs = frameTimeOf(message, this.#lastUtcMs, this.memory.startUtcMs);
    const frame = { utcMs, topic: message.topic, json: message.json };
    this.#writer.append(frame);
    this.#writer.flush();
    this.#unsynced = true;
    this.#tellSilence(receivedMs - this.#lastFrameMs);
    this.#lastFrameMs = receivedMs;
    this.#derive(frame);
    this.#publish(false);
    // Publish the frame's own updates first, so that the models do not delay their delivery.
    this.#analyse(frame);
    const failure = this.#publish(true);
    this.#updateProgress();
    if (failure !== null) throw failure;
  }

  /**
   * Takes what was known before the session, unless it is known already. It says nothing about when the source spoke.
   * `take`: how the session gets a message.
   */
  know(known: KnownBefore, take = (message: LiveMessage, receivedMs: number) => this.take(message, receivedMs)): void {
    if (this.#isKnown) return;
    take({ topic: PREVIEW_TOPIC, utcMs: null, json: JSON.stringify(known) }, this.#lastFrameMs);
  }

  /** Of all bodies that are published. */
  digest(): Buffer {
    this.#digest ??= new UpdateDigest(this.#memory);
    return this.#digest.of(this.updates);
  }

  get memory(): LiveMemory {
    return this.#memory;
  }

  get file(): string {
    return this.#writer.file;
  }

  /** Number of published updates. */
  get updates(): number {
    return this.#timeline.length;
  }

  get frames(): number {
    return this.#writer.frames;
  }

  /** Size of the recording. */
  get recordedBytes(): number {
    return this.#writer.bytes;
  }

  /** Monotonic time of the latest frame. */
  get lastFrameMs(): number {
    return this.#lastFrameMs;
  }

  /** Unix epoch milliseconds of the latest frame. */
  get lastUtcMs(): number {
    return this.#lastUtcMs;
  }

  /** The upstream's own word for the session's status; null before the first one. */
  get status(): string | null {
    return this.#status;
  }

  get phase(): SessionPhase {
    // A session that has just begun may not have sent its status yet.
    return this.frames === 0 ? 'upcoming' : sessionPhase(this.#status, this.#series.facts.status);
  }

  /** Whether it has published updates of frames that its recording has lost. */
  get lacksFrames(): boolean {
    return this.#timeline.isAhead;
  }

  /** The outcome so far; null when the series has none. */
  outcome(): SessionOutcome | null {
    return this.#deriver.outcome();
  }

  /** Makes recording and journal durable, unless a sync is under way or nothing is new. */
  sync(): void {
    if (this.#timeline.isBehind) this.#publish(true);
    if (!this.#unsynced || this.#syncing !== null) return;
    this.#unsynced = false;
    this.#syncing = Promise.all([this.#writer.syncFlushed(), this.#timeline.syncKept()]).then(
      () => {
        this.#syncing = null;
      },
      (error: Error) => {
        this.#syncing = null;
        this.#unsynced = true;
        this.#log.error({ file: this.file, err: error }, 'could not sync a live recording to disk; trying again');
      },
    );
  }

  /**
   * Seals the timeline and closes the recording. Returns the session's catalogue entry. Rejects with a RecordingError when
   * the last updates cannot be kept.
   */
  async end(): Promise<SessionEntry> {
    const failure = this.#ended ? null : this.#publish(true);
    if (failure !== null) throw failure;
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

  /** Makes recording and journal durable and closes them. A later process can resume them. */
  async close(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    await this.#syncing;
    try {
      this.#writer.sync();
      this.#timeline.close();
      this.#writer.close();
    } catch (error) {
      this.#ended = false;
      throw error;
    }
  }

  #catchUp(recorded: Iterable<Frame>): void {
    this.#timeline.catchUp(
      recorded,
      (frame) => this.#derive(frame),
      (frame) => this.#analyse(frame),
    );
    const failure = this.#publish(true);
    this.#updateProgress();
    if (failure === null) return;
    const details = { sessionId: this.head.sessionId, err: failure };
    this.#log.error(details, 'cannot keep the updates of a live session yet, so they are not published; trying again');
  }

  /** V5 */
  #tellSilence(silentMs: number): void {
    if (silentMs <= LIVE_GAP_MS) return;
    const endedMs = this.#clock.wallMs();
    this.#gap?.(this.head.sessionId, { cause: 'source', beganMs: endedMs - silentMs, endedMs });
  }

  /** V5. A session of which nothing is heard for so long is over. */
  #tellDowntime(lastFrameMs: number): void {
    const resumedMs = this.#clock.wallMs();
    const beganMs = Math.trunc(lastFrameMs);
    const endedMs = Math.min(resumedMs, beganMs + LIVE_ABANDONED_MS);
    if (endedMs > beganMs) this.#gap?.(this.head.sessionId, { cause: 'service', beganMs, endedMs });
  }

  #derive(frame: Frame): void {
    this.#lastUtcMs = frame.utcMs;
    if (frame.topic === PREVIEW_TOPIC) this.#isKnown = true;
    const { topic, field } = this.#series.facts.status;
    if (frame.topic === topic) this.#status = textIn(frame.json, field) ?? this.#status;
    this.#append(frame.topic, () => this.#deriver.apply(frame));
  }

  /** Adds the updates that the models emit for the frame. */
  #analyse({ topic }: Frame): void {
    this.#append(topic, () => this.#deriver.analyse());
  }

  #append(topic: string, derive: () => Error | null): void {
    if (this.#full) return;
    const problem = derive();
    if (problem === null) return;
    this.#logProblem(topic, problem);
    // The updates that still fitted are published.
    if (problem instanceof TimelineFull) this.#full = true;
  }

  /** `analysed`: whether the models have seen the latest frame. Returns why updates could not be kept. */
  #publish(analysed: boolean): RecordingError | null {
    try {
      this.#timeline.publish({ frames: this.frames, analysed }, this.#lastFrameMs);
    } catch (error) {
      if (error instanceof RecordingError) return error;
      if (!(error instanceof TimelineFull)) throw error;
      this.#full = true;
      this.#logProblem(null, error);
    }
    return null;
  }

  #updateProgress(): void {
    this.progress.write(this.frames, this.updates, this.#lastFrameMs);
  }

  #logProblem(topic: string | null, error: Error): void {
    this.#problems++;
    if (this.#problems > LIVE_PROBLEMS_LOGGED_MAX) return;
    const { sessionId } = this.head;
    const details = { sessionId, topic, frame: this.frames };
    if (error instanceof SourceError)
      this.#log.warn({ ...details, reason: error.message }, 'a message is invalid; it yields no updates');
    else this.#log.error({ ...details, err: error }, 'could not derive a message; the session continues without it');
  }
}

/** V2. Unix epoch milliseconds. */
export function frameTimeOf({ utcMs }: LiveMessage, lastUtcMs: number, startUtcMs: number): number {
  const isUsable = utcMs !== null && utcMs <= startUtcMs + SESSION_SPAN_MS_MAX;
  return isUsable ? Math.max(lastUtcMs, utcMs) : lastUtcMs;
}

function memoryOf({ sessionId, seriesId }: RecordingHead, startUtcMs: number, parts: LiveSessionParts): LiveMemory {
  return parts.knownMemory ?? reserveLiveMemory({ sessionId, seriesId }, startUtcMs);
}

function derivingBy({ deriver = DERIVER }: LiveSessionParts) {
  return { deriverVersion: deriver.version, serialise: serialisePayload };
}

function textIn(json: string, field: string): string | null {
  try {
    return textOf(objectOf(JSON.parse(json))[field]);
  } catch {
    return null;
  }
}

/** Whether the file ends within its header: the process died, or the disk was full, when the recording was created. */
function endsInHeader(file: string): boolean {
  const descriptor = openSync(file, 'r');
  try {
    const fixed = Buffer.alloc(HEADER_FIXED_BYTES);
    if (readSync(descriptor, fixed, 0, fixed.length, 0) < fixed.length) return true;
    return fstatSync(descriptor).size < HEADER_FIXED_BYTES + headLength(file, fixed);
  } finally {
    closeSync(descriptor);
  }
}

/** The session as its recording describes it. Without a usable description, its id stands in for the names. */
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
