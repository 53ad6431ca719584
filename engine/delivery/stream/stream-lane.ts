// One session on its way into one stream: what is sent of it, from where, and how fast.

import { STREAM_GIVES_WAY_MS, STREAM_WAITS_EACH_MS, STREAM_WAITS_MS_MAX } from '#engine/base/limits.ts';
import type { CompiledFilter, FilteredFeeds } from '#engine/delivery/filter/compiled-filter.ts';
import { Allowance } from '#engine/delivery/usage/allowance.ts';
import type { SharedTimeline } from '#engine/timeline/shared-timeline.ts';
import type { StreamTimeline } from './stream-timeline.ts';

export type LanePace =
  /** As soon as it is published, until the session is over. */
  | { readonly kind: 'live' }
  /** As fast as the client reads. */
  | { readonly kind: 'at_once' }
  /** At a multiple of the session's own pace. `fromMs`: when position 0 is due, on the monotonic clock. */
  | { readonly kind: 'paced'; readonly fromMs: number; readonly speed: number }
  /** Nothing more, until it gets another pace. What was due before is still sent. */
  | { readonly kind: 'held' };

/** A lane as threads pass it to each other. */
export interface LaneOrder {
  /** The same for the same timeline: the streams of a thread share one view of it. */
  readonly key: string;
  readonly shared: SharedTimeline;
  readonly sessionId: string;
  /** The first position that may be sent. */
  readonly from: number;
  /** The first position that is never sent. Absent: none. */
  readonly until?: number;
  readonly pace: LanePace;
  /** The demo session: every stream may have every feed, and another allowance counts. */
  readonly isDemo: boolean;
  /** The cell that its updates take from. */
  readonly allowance: SharedArrayBuffer;
}

export class StreamLane {
  readonly sessionId: string;
  readonly timeline: StreamTimeline;
  readonly filter: CompiledFilter;
  readonly allowance: Allowance;
  readonly isDemo: boolean;
  readonly #feeds: FilteredFeeds;
  /** The first position that was not sent or passed over. */
  position: number;
  #pace: LanePace;
  /** How much was due when it was held. */
  #heldAt: number;
  /** Positions from here on are never sent: its run was stopped. */
  end: number;

  constructor(order: LaneOrder, feeds: FilteredFeeds, timeline: StreamTimeline) {
    this.sessionId = order.sessionId;
    this.timeline = timeline;
    this.#feeds = feeds;
    this.filter = timeline.holdFilter(feeds);
    this.allowance = new Allowance(order.allowance);
    this.isDemo = order.isDemo;
    this.position = order.from;
    this.#pace = order.pace;
    this.#heldAt = order.from;
    this.end = order.until ?? Number.POSITIVE_INFINITY;
  }

  /** Call once: the stream has left it. */
  leave(): void {
    this.timeline.giveFilterBack(this.#feeds);
  }

  changePace(pace: LanePace, nowMs: number): void {
    this.#heldAt = this.played(nowMs);
    this.#pace = pace;
  }

  /** Goes on at this position. */
  moveTo(position: number): void {
    this.position = Math.min(position, this.timeline.timeline.length);
    this.#heldAt = this.position;
  }

  /** How many of its updates may have been sent by now, if it gives way or not (ST6). */
  due(nowMs: number, givesWay: boolean): number {
    return this.played(givesWay && this.#pace.kind === 'paced' ? nowMs - STREAM_GIVES_WAY_MS : nowMs);
  }

  /** How many of its updates are due at its pace. */
  played(nowMs: number): number {
    const { timeline } = this;
    const pace = this.#pace;
    if (pace.kind === 'held') return Math.min(this.#heldAt, this.end);
    const due = pace.kind === 'paced' ? timeline.duePosition((nowMs - pace.fromMs) * pace.speed) : timeline.refreshed();
    return Math.min(due, this.end);
  }

  /** When its next update may be sent, on the monotonic clock; Infinity if no time brings it. */
  nextDueMs(givesWay: boolean): number {
    const { position } = this;
    const { timeline } = this.timeline;
    const pace = this.#pace;
    if (pace.kind !== 'paced' || position >= Math.min(timeline.length, this.end)) return Number.POSITIVE_INFINITY;
    const dueMs = pace.fromMs + timeline.columns.dueMs[position]! / pace.speed;
    return givesWay ? dueMs + STREAM_GIVES_WAY_MS : dueMs;
  }

  /** How much later its next update may be sent while attempts are under way: by what is due within a millisecond of it (ST6). */
  waitsMs(): number {
    const { position } = this;
    const { timeline } = this.timeline;
    const { dueMs } = timeline.columns;
    const pace = this.#pace;
    if (pace.kind !== 'paced' || position >= timeline.length) return 0;
    const together = dueMs[position]! + pace.speed;
    const last = Math.min(timeline.length, this.end) - 1;
    let waitsMs = 0;
    for (let next = position + 1; next <= last && dueMs[next]! < together; next++) {
      waitsMs += STREAM_WAITS_EACH_MS;
      if (waitsMs >= STREAM_WAITS_MS_MAX) return STREAM_WAITS_MS_MAX;
    }
    return waitsMs;
  }

  /** Since when its next update may be sent, on the monotonic clock; Infinity if none is, or if only the client sets the pace. */
  waitingSinceMs(nowMs: number, givesWay: boolean): number {
    if (this.position >= this.due(nowMs, givesWay)) return Number.POSITIVE_INFINITY;
    if (this.#pace.kind === 'paced') return this.nextDueMs(givesWay);
    return this.timeline.live?.receivedMs(this.position) ?? Number.POSITIVE_INFINITY;
  }

  /** Whether everything was sent that ever will be. */
  get isOver(): boolean {
    const { position } = this;
    if (position >= this.end) return true;
    return this.timeline.isComplete && position >= this.timeline.timeline.length;
  }
}
