// The timeline of a live session with its journal: updates are appended, kept in the journal, then published (V4).

import type { Log } from '#engine/base/log.ts';
import type { LiveMemory } from '#engine/timeline/live-memory.ts';
import { LiveTimelineWriter, TimelineFull } from '#engine/timeline/live-timeline-writer.ts';
import type { SerialisePayload } from '#engine/timeline/timeline-builder.ts';
import type { UpdateSink } from '#engine/timeline/update-sink.ts';
import type { JournalEntry } from './journal-format.ts';
import { JournalReader } from './journal-reader.ts';
import { UpdateGate } from './update-gate.ts';
import { UpdateJournal } from './update-journal.ts';

/** How far a session had come when its latest updates were published. */
export type Published = Pick<JournalEntry, 'frames' | 'analysed'>;

/** The recording that a session resumes from. */
export interface Recorded {
  /** Unix epoch milliseconds of its first frame. */
  readonly startUtcMs: number;
  readonly frames: number;
}

interface Restored {
  readonly last: JournalEntry;
  /** Where the intact entries of the journal end. */
  readonly bytes: number;
  /** The timeline cannot hold all of them. */
  readonly full: boolean;
}

interface BeginParts {
  readonly deriverVersion: number;
  readonly serialise: SerialisePayload;
}

interface ResumeParts extends BeginParts {
  readonly nowMs: number;
  readonly log: Log;
}

const NOTHING: Published = { frames: 0, analysed: true };

export class JournalledTimeline {
  readonly #gate: UpdateGate;
  /** What earlier processes have published. */
  readonly #before: Published;
  readonly #timeline: LiveTimelineWriter;
  readonly #journal: UpdateJournal;
  readonly #deriverVersion: number;
  #isAhead = false;
  /** Rosters did not fit, so nothing more is published. */
  #full = false;

  private constructor(timeline: LiveTimelineWriter, journal: UpdateJournal, deriverVersion: number, before: Published) {
    this.#gate = new UpdateGate(timeline.builder);
    this.#before = before;
    this.#timeline = timeline;
    this.#journal = journal;
    this.#deriverVersion = deriverVersion;
  }

  /** Throws a RecordingError when the journal cannot be created. */
  static begin(memory: LiveMemory, file: string, { deriverVersion, serialise }: BeginParts): JournalledTimeline {
    return new JournalledTimeline(
      new LiveTimelineWriter(memory, serialise),
      UpdateJournal.create(file),
      deriverVersion,
      NOTHING,
    );
  }

  /**
   * Publishes what the journal holds, as it is. Without a usable journal nothing counts as published: the versions of
   * the service before journals left none. Throws a RecordingError when the file cannot be read or written.
   */
  static resume(memory: LiveMemory, file: string, recorded: Recorded, parts: ResumeParts): JournalledTimeline {
    const timeline = new LiveTimelineWriter(memory, parts.serialise);
    timeline.builder.start(recorded.startUtcMs);
    const restored = restore(timeline, file, recorded, parts);
    const { deriverVersion } = parts;
    if (restored === null) return new JournalledTimeline(timeline, UpdateJournal.create(file), deriverVersion, NOTHING);
    const { last, bytes } = restored;
    const journal = UpdateJournal.append(file, bytes);
    const lost = last.frames > recorded.frames;
    const before = lost ? { frames: recorded.frames, analysed: true } : last;
    const resumed = new JournalledTimeline(timeline, journal, deriverVersion, before);
    resumed.#full = restored.full;
    resumed.#isAhead = lost;
    // The next frames have the numbers of those that are missing. Without this entry their updates would be discarded
    // should the process die now.
    if (lost) resumed.#keep(before);
    return resumed;
  }

  /** Takes the updates that are derived. */
  get updates(): UpdateSink {
    return this.#gate;
  }

  /** Number of published updates. */
  get length(): number {
    return this.#timeline.length;
  }

  /** Whether earlier processes have published updates of frames that the recording has lost, as in a power cut. */
  get isAhead(): boolean {
    return this.#isAhead;
  }

  /** Whether there are updates that could not be kept, and are not published therefore. */
  get isBehind(): boolean {
    return !this.#full && this.#timeline.hasUnkept;
  }

  /**
   * Derives the recorded frames again. Of those whose updates are published nothing is appended: only the deriver gets to
   * know them (V4).
   */
  catchUp<Frame>(recorded: Iterable<Frame>, derive: (frame: Frame) => void, analyse: (frame: Frame) => void): void {
    const before = this.#before;
    if (before.frames > 0) this.#gate.close();
    let frames = 0;
    for (const frame of recorded) {
      if (frames === before.frames) this.#gate.open();
      frames++;
      derive(frame);
      if (frames === before.frames && !before.analysed) this.#gate.open();
      analyse(frame);
    }
    this.#gate.open();
  }

  /**
   * Keeps and publishes the appended updates. `receivedMs` is when their frame was received. Throws a RecordingError when
   * they cannot be kept: they wait for the next call. Throws TimelineFull once, when their rosters do not fit.
   */
  publish(published: Published, receivedMs: number): void {
    if (this.#full) return;
    while (this.#timeline.hasUnkept) this.#keep(published);
    try {
      this.#timeline.publish(receivedMs);
    } catch (error) {
      this.#full = error instanceof TimelineFull;
      throw error;
    }
  }

  /** Marks the timeline as complete. */
  seal(): void {
    this.#timeline.seal();
  }

  /** Makes the journal durable, on another thread. */
  async syncKept(): Promise<void> {
    await this.#journal.syncWritten();
  }

  /** Makes the journal durable and closes it. */
  close(): void {
    this.#journal.sync();
    this.#journal.close();
  }

  #keep({ frames, analysed }: Published): void {
    const block = this.#timeline.nextBlock();
    const { sessionId, seriesId } = this.#timeline.memory.head;
    const head = { sessionId, seriesId, startUtcMs: this.#timeline.builder.startUtcMs! };
    this.#journal.append(head, { frames, analysed, deriverVersion: this.#deriverVersion, block });
    this.#timeline.blockKept(block);
  }
}

/** Publishes the entries of the journal. Null if there are none, or it is not that of the recording. */
function restore(
  timeline: LiveTimelineWriter,
  file: string,
  { startUtcMs }: Recorded,
  { deriverVersion, nowMs, log }: ResumeParts,
): Restored | null {
  const { sessionId } = timeline.memory.head;
  const unusable = (reason: string): null => {
    log.warn({ sessionId, file, reason }, 'cannot use the journal of a live session; its updates are derived again');
    return null;
  };
  const reader = JournalReader.open(file);
  if (reader === null) return null;
  if ('unusable' in reader) return unusable(reader.unusable);
  try {
    if (reader.head.sessionId !== sessionId || reader.head.startUtcMs !== startUtcMs)
      return unusable('it belongs to another recording');
    let last: JournalEntry | null = null;
    let full = false;
    for (const entry of reader.entries()) {
      if (!full) full = !timeline.restore(entry.block, nowMs);
      last = entry;
    }
    const { bytes, intactBytes } = reader;
    if (bytes > intactBytes)
      log.warn({ sessionId, file, cutBytes: bytes - intactBytes }, 'cut off a torn entry at the end of a journal');
    if (last !== null && last.deriverVersion !== deriverVersion) {
      const details = { sessionId, updates: timeline.length, from: last.deriverVersion, to: deriverVersion };
      log.info(details, 'a live session resumes with another version of the deriver; what is published stays as it is');
    }
    return last === null ? null : { last, bytes: intactBytes, full };
  } finally {
    reader.close();
  }
}
