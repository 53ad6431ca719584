// A live timeline as a reader sees it, in any thread: its length follows what the writer has published.

import { decode } from '#engine/base/codec.ts';
import { CONTROL, columnsOver, type LiveMemory } from './live-memory.ts';
import type { Roster } from './roster.ts';
import { Timeline } from './timeline.ts';

export class LiveTimeline {
  readonly timeline: Timeline;
  /** How many of its first updates an earlier process published. */
  readonly restored: number;
  /** For waiting on `CONTROL.changes`. */
  readonly control: Int32Array<SharedArrayBuffer>;
  readonly #receivedMs: Float64Array;
  readonly #rosterBytes: Uint8Array;
  readonly #rosters: Roster[] = [];
  #rosterEnd = 0;
  #sealed = false;

  constructor(memory: LiveMemory) {
    const { head, startUtcMs, control, receivedMs, rosters, restored = 0 } = memory;
    const info = { ...head, startUtcMs, durationMs: 0, frames: 0, rosters: this.#rosters };
    this.timeline = new Timeline(info, columnsOver(memory), 0);
    this.control = new Int32Array(control);
    this.restored = restored;
    this.#receivedMs = new Float64Array(receivedMs);
    this.#rosterBytes = new Uint8Array(rosters);
    this.refresh();
  }

  /** Whether the timeline is complete, and the last `refresh` has read all of it. */
  get sealed(): boolean {
    return this.#sealed;
  }

  /** Reads what was published since the last call. */
  refresh(): void {
    // Load the seal before the length: then a reader that sees the seal also sees everything published before it.
    const sealed = Atomics.load(this.control, CONTROL.sealed) === 1;
    const length = Atomics.load(this.control, CONTROL.length);
    if (length !== this.timeline.length) {
      this.#readRosters(Atomics.load(this.control, CONTROL.rosterBytes));
      this.timeline.extend(length);
    }
    this.#sealed = sealed;
  }

  /** Returns the monotonic time at which the update's frame was received. */
  receivedMs(position: number): number {
    return this.#receivedMs[position]!;
  }

  #readRosters(end: number): void {
    const view = new DataView(this.#rosterBytes.buffer);
    while (this.#rosterEnd < end) {
      const start = this.#rosterEnd + 4;
      const next = start + view.getUint32(this.#rosterEnd, true);
      this.#rosters.push(decode(this.#rosterBytes.slice(start, next)) as Roster);
      this.#rosterEnd = next;
    }
  }
}
