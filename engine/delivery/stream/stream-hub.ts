// All streams of one thread. It gives them turns: when a timeline grows, when a paced update is due, when a client
// reads again.

import type { TimerClock } from '#engine/base/clock.ts';
import { STREAM_CHECK_MS, STREAM_TURNS_MAX } from '#engine/base/limits.ts';
import type { LiveTimeline } from '#engine/timeline/live-timeline.ts';
import type { LaneOrder } from './stream-lane.ts';
import { type EncodeUpdate, StreamTimeline } from './stream-timeline.ts';
import { type StreamParts, type StreamTurns, UpdateStream } from './update-stream.ts';

export interface StreamHubParts {
  readonly clock: TimerClock;
  readonly encode: EncodeUpdate;
  /** Calls back after each change of a live timeline, until the returned function is called. */
  readonly watch: (live: LiveTimeline, changed: () => void) => () => void;
  /** Calls back after other work of the thread. */
  readonly later: (work: () => void) => void;
}

interface Followed {
  readonly key: string;
  readonly timeline: StreamTimeline;
  readonly streams: Set<UpdateStream>;
  readonly unwatch: () => void;
}

export class StreamHub {
  readonly #parts: StreamHubParts;
  readonly #streams = new Set<UpdateStream>();
  readonly #byKey = new Map<string, Followed>();
  readonly #byTimeline = new Map<StreamTimeline, Followed>();
  /** Streams that wait for a turn, in order. */
  readonly #waiting = new Set<UpdateStream>();
  readonly #timers = new Map<UpdateStream, () => void>();
  readonly #turns: StreamTurns;
  #turnIsComing = false;
  #stopChecks: (() => void) | null = null;

  constructor(parts: StreamHubParts) {
    this.#parts = parts;
    this.#turns = {
      clock: parts.clock,
      follow: (stream, order) => this.#follow(stream, order),
      unfollow: (stream, timeline) => this.#unfollow(stream, timeline),
      wake: (stream) => this.#wake(stream),
      wakeAt: (stream, atMs) => this.#wakeAt(stream, atMs),
    };
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Makes a stream. The caller opens its sessions, and calls `leave` once when it has ended. */
  join(parts: StreamParts): UpdateStream {
    const stream = new UpdateStream(parts, this.#turns);
    this.#streams.add(stream);
    this.#stopChecks ??= this.#parts.clock.every(STREAM_CHECK_MS, async () => this.#check());
    return stream;
  }

  leave(stream: UpdateStream): void {
    stream.close();
    this.#waiting.delete(stream);
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    this.#stopChecks?.();
    this.#stopChecks = null;
  }

  #follow(stream: UpdateStream, { key, shared }: LaneOrder): StreamTimeline {
    let followed = this.#byKey.get(key);
    if (followed === undefined) {
      const { encode, watch } = this.#parts;
      const timeline = new StreamTimeline(shared, encode);
      const streams = new Set<UpdateStream>();
      const unwatch = timeline.live === null ? () => {} : watch(timeline.live, () => this.#grown(streams));
      followed = { key, timeline, streams, unwatch };
      this.#byKey.set(key, followed);
      this.#byTimeline.set(timeline, followed);
    }
    followed.streams.add(stream);
    return followed.timeline;
  }

  #unfollow(stream: UpdateStream, timeline: StreamTimeline): void {
    const followed = this.#byTimeline.get(timeline);
    if (followed === undefined) return;
    followed.streams.delete(stream);
    if (followed.streams.size > 0) return;
    followed.unwatch();
    this.#byKey.delete(followed.key);
    this.#byTimeline.delete(timeline);
  }

  #grown(streams: ReadonlySet<UpdateStream>): void {
    for (const stream of streams) this.#waiting.add(stream);
    // Without a detour over the event loop: an update is on its way as soon as it is published.
    if (!this.#turnIsComing) this.#turn();
  }

  #wake(stream: UpdateStream): void {
    this.#waiting.add(stream);
    this.#callTurn();
  }

  #callTurn(): void {
    if (this.#turnIsComing || this.#waiting.size === 0) return;
    this.#turnIsComing = true;
    this.#parts.later(() => {
      this.#turnIsComing = false;
      this.#turn();
    });
  }

  #turn(): void {
    const { clock } = this.#parts;
    const nowMs = clock.nowMs();
    const wallMs = clock.wallMs();
    let turns = STREAM_TURNS_MAX;
    // A stream that wants another turn is added again, behind the others: not in this round.
    const round = this.#waiting.size;
    let had = 0;
    for (const stream of this.#waiting) {
      if (turns-- === 0 || had++ === round) break;
      this.#waiting.delete(stream);
      stream.advance(nowMs, wallMs);
    }
    this.#callTurn();
  }

  #wakeAt(stream: UpdateStream, atMs: number): void {
    this.#timers.get(stream)?.();
    this.#timers.delete(stream);
    if (atMs === Number.POSITIVE_INFINITY) return;
    const { clock } = this.#parts;
    const cancel = clock.schedule(Math.max(0, Math.ceil(atMs - clock.nowMs())), () => {
      this.#timers.delete(stream);
      this.#waiting.add(stream);
      if (!this.#turnIsComing) this.#turn();
    });
    this.#timers.set(stream, cancel);
  }

  #check(): void {
    const nowMs = this.#parts.clock.nowMs();
    for (const stream of this.#streams) stream.check(nowMs);
  }
}
