// A live session as the live thread follows it: the real writer over shared memory, fed with the planned updates.
// Published updates are in the recording, so a restarted thread or process derives the same ones again.

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

  /** The length that readers of the timeline see. */
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

  /** The live thread dies. The next one derives the recorded frames into the same places (L1). */
  restart(nowMs: number): void {
    const recorded = this.#written;
    this.#writer = new WrittenTimeline(this.memory);
    this.#written = 0;
    this.publishTo(recorded, nowMs);
  }
}
