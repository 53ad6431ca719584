// A live session as the live thread follows it: the real timeline and its journal over shared memory, fed with the planned
// updates. Each planned update is a frame. The recording outlives the process, and so does the journal.

import { JournalledTimeline } from '#engine/intake/live/journalled-timeline.ts';
import type { LiveMemory } from '#engine/timeline/live-memory.ts';
import { LiveTimeline } from '#engine/timeline/live-timeline.ts';
import { RecordedLog } from '#test/support/live-sessions.ts';
import { serialiseAsIs, smallMemory } from '#test/support/live-timelines.ts';
import { derivedBy, type PlannedUpdate } from './planned-timeline.ts';

const COLUMN_BYTES = 192 * 1024;

export interface SimulatedRecording {
  readonly updates: readonly PlannedUpdate[];
  readonly journal: string;
  /** How many of the updates' frames are recorded. */
  frames: number;
}

export class SimulatedLiveSession {
  memory: LiveMemory = smallMemory(COLUMN_BYTES);
  readonly #recording: SimulatedRecording;
  readonly #version: number;
  #timeline: JournalledTimeline;

  /** Begins the session, or resumes it from its recording. */
  constructor(recording: SimulatedRecording, version: number, nowMs: number) {
    this.#recording = recording;
    this.#version = version;
    this.#timeline = this.#open(nowMs);
    this.memory = { ...this.memory, restored: this.#timeline.length };
  }

  /** The length that readers of the timeline see. */
  get length(): number {
    return new LiveTimeline(this.memory).timeline.length;
  }

  publishTo(length: number, nowMs: number): void {
    for (; this.#recording.frames < length; this.#recording.frames++) this.#derive(this.#recording.frames);
    this.#timeline.publish({ frames: this.#recording.frames, analysed: true }, nowMs);
  }

  seal(): void {
    this.#timeline.seal();
  }

  /** The live thread dies. The next one publishes the same into the same places (L1). */
  restart(nowMs: number): void {
    this.close();
    this.#timeline = this.#open(nowMs);
  }

  /** Its process is gone. */
  close(): void {
    this.#timeline.close();
  }

  #open(nowMs: number): JournalledTimeline {
    const { updates, journal, frames } = this.#recording;
    const parts = { deriverVersion: this.#version, serialise: serialiseAsIs, nowMs, log: new RecordedLog() };
    if (frames === 0) return JournalledTimeline.begin(this.memory, journal, parts);
    const { startUtcMs } = this.memory;
    this.#timeline = JournalledTimeline.resume(this.memory, journal, { startUtcMs, frames }, parts);
    this.#timeline.catchUp(
      updates.slice(0, frames).keys(),
      (position) => this.#derive(position),
      () => {},
    );
    this.#timeline.publish({ frames, analysed: true }, nowMs);
    return this.#timeline;
  }

  #derive(position: number): void {
    const {
      dueMs,
      feed,
      eventType = null,
      touched,
      roster,
      lap = null,
    } = derivedBy(this.#version, this.#recording.updates[position]!);
    const { updates } = this.#timeline;
    if (roster !== undefined) updates.roster(roster);
    updates.append({ feed, utcMs: this.memory.startUtcMs + dueMs, lap, eventType, touched, content: {} });
  }
}
