// A live session as the live thread follows it: the real writer over shared memory, fed from the planned updates. What was
// published is in the recording, so that a thread or a process that begins anew derives the same again.

import type { LiveMemory } from '#engine/timeline/live-memory.ts';
import { LiveTimeline } from '#engine/timeline/live-timeline.ts';
import { smallMemory, WrittenTimeline } from '#test/support/live-timelines.ts';
import type { PlannedUpdate } from './planned-timeline.ts';

const COLUMN_BYTES = 192 * 1024;

export class SimulatedLiveSession {
  readonly memory: LiveMemory = smallMemory(COLUMN_BYTES);
  readonly #updates: readonly PlannedUpdate[];
  #writer = new WrittenTimeline(this.memory);
  #written = 0;

  constructor(updates: readonly PlannedUpdate[]) {
    this.#updates = updates;
  }

  /** As everybody sees it who looks at the timeline. */
  get length(): number {
    return new LiveTimeline(this.memory).timeline.length;
  }

  publishTo(length: number, nowMs: number): void {
    if (length > this.#written) this.#writer.publish(this.#updates.slice(this.#written, length), nowMs);
    this.#written = Math.max(this.#written, length);
  }

  seal(): void {
    this.#writer.seal();
  }

  /** The live thread dies; the next one derives what was recorded into the same places. */
  beginAnew(nowMs: number): void {
    const recorded = this.#written;
    this.#writer = new WrittenTimeline(this.memory);
    this.#written = 0;
    this.publishTo(recorded, nowMs);
  }
}
