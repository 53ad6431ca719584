// The only writer of a live timeline. Updates are derived into its builder; `publish` makes them visible to all
// threads.
//
// L1 A published update never changes. A writer that replaces one that died starts over in the same memory, while
//    others read it. It gets what was published as blocks, byte for byte, so it writes the same bytes to the same
//    places, and publishes only what lies beyond the published length. Without blocks, it derives the same frames
//    again, which gives the same bytes (I7).
// L2 A full timeline takes no more updates. Its recording continues, and the live session reports it.
// L3 A roster is published with the first update that needs it, never earlier: until then it can still change.

import { encode } from '#engine/base/codec.ts';
import { LIVE_BODY_BYTES_MAX, LIVE_ROSTER_BYTES_MAX, LIVE_TOUCHED_MAX, LIVE_UPDATES_MAX } from '#engine/base/limits.ts';
import type { ColumnMemory } from './column-memory.ts';
import { CONTROL, columnsOver, type LiveMemory } from './live-memory.ts';
import type { TimelineColumns } from './timeline.ts';
import { type TimelineBlock, updatesIn } from './timeline-block.ts';
import { type SerialisePayload, TimelineBuilder } from './timeline-builder.ts';

export class TimelineFull extends Error {
  override readonly name = 'TimelineFull';

  constructor() {
    super(
      `a live timeline has at most ${LIVE_UPDATES_MAX} updates, ${LIVE_BODY_BYTES_MAX} bytes of bodies and ` +
        `${LIVE_ROSTER_BYTES_MAX} bytes of rosters`,
    );
  }
}

class FixedColumns implements ColumnMemory {
  readonly #columns: TimelineColumns;

  constructor(columns: TimelineColumns) {
    this.#columns = columns;
  }

  reserve(updates: number, touched: number, bodyBytes: number): TimelineColumns {
    if (updates > LIVE_UPDATES_MAX || touched > LIVE_TOUCHED_MAX || bodyBytes > LIVE_BODY_BYTES_MAX) {
      throw new TimelineFull();
    }
    return this.#columns;
  }
}

export class LiveTimelineWriter {
  readonly memory: LiveMemory;
  /** Takes the updates. */
  readonly builder: TimelineBuilder;
  readonly #control: Int32Array;
  readonly #receivedMs: Float64Array;
  readonly #rosterBytes: Uint8Array;
  #rosters = 0;
  #rosterEnd = 0;
  #published = 0;
  /** How many updates, and drivers with an index, are in blocks that the caller keeps. */
  #kept = 0;
  #keptDrivers = 0;

  constructor(memory: LiveMemory, serialise: SerialisePayload) {
    this.memory = memory;
    this.builder = new TimelineBuilder(memory.head, serialise, new FixedColumns(columnsOver(memory)));
    this.builder.start(memory.startUtcMs);
    this.#control = new Int32Array(memory.control);
    this.#receivedMs = new Float64Array(memory.receivedMs);
    this.#rosterBytes = new Uint8Array(memory.rosters);
    this.#published = Atomics.load(this.#control, CONTROL.length);
  }

  /** How many updates are published. */
  get length(): number {
    return this.#published;
  }

  /** Whether there are updates that no block holds yet. */
  get hasUnkept(): boolean {
    return this.builder.length > this.#kept;
  }

  /** Returns the next of the updates that no block holds yet. Call `blockKept` when it is kept. */
  nextBlock(): TimelineBlock {
    return this.builder.blockFrom(this.#kept, this.#keptDrivers);
  }

  /** The caller has kept this block. */
  blockKept(block: TimelineBlock): void {
    this.#kept = block.from + updatesIn(block);
    this.#keptDrivers += block.drivers.length;
  }

  /**
   * Appends and publishes updates that an earlier writer has published. Returns false if the timeline is full: they are
   * not published.
   */
  restore(block: TimelineBlock, receivedMs: number): boolean {
    try {
      this.builder.restore(block);
      this.blockKept(block);
      this.publish(receivedMs);
      return true;
    } catch (error) {
      if (error instanceof TimelineFull) return false;
      throw error;
    }
  }

  /**
   * Publishes the updates appended since the last call. `receivedMs` is when their frame was received, on the monotonic
   * clock. Throws TimelineFull, and publishes nothing, if their rosters do not fit.
   */
  publish(receivedMs: number): void {
    const { length } = this.builder;
    if (length <= this.#published) return;
    this.#publishRosters();
    for (let position = this.#published; position < length; position++) this.#receivedMs[position] = receivedMs;
    this.#published = length;
    Atomics.store(this.#control, CONTROL.length, length);
    this.#notify();
  }

  /** Marks the timeline as complete. */
  seal(): void {
    Atomics.store(this.#control, CONTROL.sealed, 1);
    this.#notify();
  }

  #notify(): void {
    Atomics.add(this.#control, CONTROL.changes, 1);
    Atomics.notify(this.#control, CONTROL.changes);
  }

  #publishRosters(): void {
    const { rosters, length } = this.builder;
    for (; this.#rosters < rosters.length; this.#rosters++) {
      const roster = rosters[this.#rosters]!;
      if (roster.fromPosition >= length) break;
      const bytes = encode(roster);
      if (this.#rosterEnd + 4 + bytes.length > this.#rosterBytes.length) throw new TimelineFull();
      new DataView(this.memory.rosters).setUint32(this.#rosterEnd, bytes.length, true);
      this.#rosterBytes.set(bytes, this.#rosterEnd + 4);
      this.#rosterEnd += 4 + bytes.length;
    }
    // Never falls: a writer that publishes more updates has all rosters that the earlier ones needed (L1, L3).
    Atomics.store(this.#control, CONTROL.rosterBytes, this.#rosterEnd);
  }
}
