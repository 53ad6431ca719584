// A timeline as the streams of one thread share it: one view, and the updates that were encoded last. An update is
// encoded once for all streams that send it about the same time.

import { STREAM_ENCODED_UPDATES_MAX } from '#engine/base/limits.ts';
import { LiveTimeline } from '#engine/timeline/live-timeline.ts';
import { openTimeline, type SharedTimeline } from '#engine/timeline/shared-timeline.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';

/** Returns an update as it goes over the wire, of a stream of this session alone. */
export type EncodeUpdate = (timeline: Timeline, position: number) => Uint8Array;

export class StreamTimeline {
  readonly timeline: Timeline;
  /** Null for a timeline that is complete. */
  readonly live: LiveTimeline | null;
  readonly #encode: EncodeUpdate;
  /** By position, modulo their number. */
  readonly #encoded = new Array<Uint8Array | null>(STREAM_ENCODED_UPDATES_MAX).fill(null);
  readonly #positions = new Int32Array(STREAM_ENCODED_UPDATES_MAX).fill(-1);

  constructor(shared: SharedTimeline, encode: EncodeUpdate) {
    this.live = 'bytes' in shared ? null : new LiveTimeline(shared);
    this.timeline = this.live?.timeline ?? openTimeline(shared);
    this.#encode = encode;
  }

  /** Reads what was published meanwhile. Returns how many updates there are. */
  refreshed(): number {
    this.live?.refresh();
    return this.timeline.length;
  }

  /** Whether no update will follow those that the last `refreshed` has read. */
  get isComplete(): boolean {
    return this.live?.sealed ?? true;
  }

  encoded(position: number): Uint8Array {
    const slot = position % STREAM_ENCODED_UPDATES_MAX;
    if (this.#positions[slot] !== position) {
      this.#encoded[slot] = this.#encode(this.timeline, position);
      this.#positions[slot] = position;
    }
    return this.#encoded[slot]!;
  }
}
