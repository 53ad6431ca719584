// A timeline as the streams of one thread share it: one view, and what was made last. An update is encoded once for all streams that
// send it about the same time, and what streams with the same feeds send in one turn is one share of them all.

import { STREAM_ENCODED_UPDATES_MAX } from '#engine/base/limits.ts';
import { feedsKey } from '#engine/delivery/filter/audiences.ts';
import { CompiledFilter, type FilteredFeeds } from '#engine/delivery/filter/compiled-filter.ts';
import { LiveTimeline } from '#engine/timeline/live-timeline.ts';
import { openTimeline, type SharedTimeline } from '#engine/timeline/shared-timeline.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import { type TurnShare, TurnShares } from './turn-share.ts';

/** Returns an update as it goes over the wire, of a stream of this session alone. */
export type EncodeUpdate = (timeline: Timeline, position: number) => Uint8Array;

/** A filter, and how many lanes have it. */
interface HeldFilter {
  readonly filter: CompiledFilter;
  lanes: number;
}

export class StreamTimeline {
  readonly timeline: Timeline;
  /** Null for a timeline that is complete. */
  readonly live: LiveTimeline | null;
  readonly #encode: EncodeUpdate;
  /** By position, modulo their number. */
  readonly #encoded = new Array<Uint8Array | null>(STREAM_ENCODED_UPDATES_MAX).fill(null);
  readonly #positions = new Int32Array(STREAM_ENCODED_UPDATES_MAX).fill(-1);
  /** By key: as many as streams follow it at most. */
  readonly #filters = new Map<string, HeldFilter>();
  readonly #shares: TurnShares;
  /** What was due at the time that was asked for last. */
  #askedMs = Number.NaN;
  #due = 0;

  constructor(shared: SharedTimeline, encode: EncodeUpdate) {
    this.live = 'bytes' in shared ? null : new LiveTimeline(shared);
    this.timeline = this.live?.timeline ?? openTimeline(shared);
    this.#encode = encode;
    this.#shares = new TurnShares(this);
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

  /** How many of its updates are due at this time, which counts from the first frame. */
  duePosition(elapsedMs: number): number {
    if (elapsedMs !== this.#askedMs) {
      this.#due = this.timeline.duePosition(elapsedMs);
      this.#askedMs = elapsedMs;
    }
    return this.#due;
  }

  /** One filter for all lanes with equal feeds. Each lane gives it back once. */
  holdFilter(feeds: FilteredFeeds): CompiledFilter {
    const key = feedsKey(feeds);
    let held = this.#filters.get(key);
    if (held === undefined) {
      held = { filter: new CompiledFilter(feeds, { allFeeds: false }, this.timeline), lanes: 0 };
      this.#filters.set(key, held);
    }
    held.lanes++;
    return held.filter;
  }

  giveFilterBack(feeds: FilteredFeeds): void {
    const key = feedsKey(feeds);
    const held = this.#filters.get(key)!;
    if (--held.lanes === 0) this.#filters.delete(key);
  }

  /** What a stream sends in a turn that stands at `from`, of what was published before `due`. */
  share(filter: CompiledFilter, from: number, due: number): TurnShare {
    return this.#shares.share(filter, from, due);
  }

  feedOf(position: number): number {
    return this.timeline.columns.feed[position]!;
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
