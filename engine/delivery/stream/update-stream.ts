// One open stream: it walks over the timelines of its sessions and sends the updates that it was asked for. It has no
// queue. A client that reads slowly costs a position, and gets what it has missed from the timeline.
//
// ST1 Every update that matches is sent once, in timeline order, from the position at which the client joined or
//     continues. What was sent up to a moment follows from the place of the last update alone.
// ST2 Every update that is sent takes from the month's allowance first. The stream ends when there is none left.
// ST3 A stream sends only while its client reads. Meanwhile it holds nothing but its place.
// ST4 A stream ends, and says so, when its client is STREAM_BEHIND_MS behind a live session or its pace, or has read
//     nothing for that long.
// ST5 One turn is bounded: a client that catches up does not keep the others waiting, nor one session of a stream its
//     others.
// ST6 While deliveries are made, a paced stream sends an update STREAM_GIVES_WAY_MS after it is due: those of the same moment have
//     the cores first. It waits longer for several updates at once, while attempts are under way: an endpoint gets these one
//     after another.

import type { Clock } from '#engine/base/clock.ts';
import {
  STREAM_BEHIND_MS,
  STREAM_PING_MS,
  STREAM_SESSIONS_MAX,
  STREAM_TURN_BYTES,
  STREAM_TURN_UPDATES_MAX,
} from '#engine/base/limits.ts';
import type { FilteredFeeds } from '#engine/delivery/filter/compiled-filter.ts';
import type { StreamMeter } from '#engine/delivery/meter/stream-meter.ts';
import { type LaneOrder, type LanePace, StreamLane } from './stream-lane.ts';
import type { StreamTimeline } from './stream-timeline.ts';

/** Where a stream stands in one of its sessions: the sequence of the last update before its place there. */
export interface SessionPlace {
  readonly sessionId: string;
  readonly sequence: number;
}

/** The protocol below a stream. */
export interface StreamSink {
  /**
   * Takes an update to be sent. `places`: where the stream stands after it, if it follows several sessions. Returns how
   * many bytes it has.
   */
  add(timeline: StreamTimeline, position: number, places: readonly SessionPlace[] | null): number;
  /** Sends updates that are ready, which must not be changed. Returns like `flush`. */
  send(updates: Uint8Array): boolean;
  /** Sends what was added. Returns false if the client reads too slowly: then nothing is sent until `drained`. */
  flush(): boolean;
  /** Tells where the stream stands before the next update. Returns like `flush`. */
  place(places: readonly SessionPlace[]): boolean;
  /** Gives a sign of life. Returns like `flush`. */
  ping(): boolean;
}

/** Why a stream has ended by itself. */
export type StreamEnd = 'completed' | 'monthly_limit' | 'stream_behind';

export interface StreamListener {
  /** Updates of the feed with this number are sent. */
  sent(feed: number, isDemo: boolean, updates: number): void;
  /** The stream sends nothing more. Called at most once, and never after `close`. */
  ended(end: StreamEnd): void;
}

export interface StreamParts {
  readonly feeds: FilteredFeeds;
  /** Whether it goes on when its sessions are over: others may follow. */
  readonly endless: boolean;
  /** Where its client stands in sessions that are opened later. */
  readonly awaited: readonly SessionPlace[];
  readonly sink: StreamSink;
  readonly listener: StreamListener;
}

/** What the hub of the thread does for its streams. */
export interface StreamTurns {
  readonly clock: Clock;
  readonly meter: StreamMeter;
  /** Whether paced streams give way to deliveries (ST6), as of the beginning of the round. */
  readonly givesWay: boolean;
  /** Returns the thread's view of a timeline, and wakes the stream when it grows. */
  follow(stream: UpdateStream, order: LaneOrder): StreamTimeline;
  unfollow(stream: UpdateStream, timeline: StreamTimeline): void;
  /** Gives the stream a turn as soon as others had theirs. */
  wake(stream: UpdateStream): void;
  /**
   * Gives it a turn at this time on the monotonic clock; Infinity: not by time. `waitsMs`: how much later it may be while attempts
   * are under way. Replaces what was asked before.
   */
  wakeAt(stream: UpdateStream, atMs: number, waitsMs: number): void;
}

type State =
  | { readonly kind: 'open' }
  /** The client does not read (ST3). */
  | { readonly kind: 'blocked'; readonly sinceMs: number }
  | { readonly kind: 'ended' };

const OPEN: State = { kind: 'open' };
const ENDED: State = { kind: 'ended' };

export class UpdateStream {
  readonly #parts: StreamParts;
  readonly #turns: StreamTurns;
  readonly #openedAtMs: number;
  #lanes: StreamLane[] = [];
  #awaited: readonly SessionPlace[];
  #state: State = OPEN;
  #sentAtMs: number;

  /** Only the hub makes streams. */
  constructor(parts: StreamParts, turns: StreamTurns) {
    this.#parts = parts;
    this.#turns = turns;
    this.#awaited = parts.awaited;
    this.#openedAtMs = turns.clock.nowMs();
    this.#sentAtMs = this.#openedAtMs;
  }

  /** Adds a session, unless the stream follows it already or follows as many as it can. */
  open(order: LaneOrder): void {
    if (this.#state.kind === 'ended' || this.#laneOf(order.sessionId) !== undefined) return;
    const awaited = this.#awaited.filter(({ sessionId }) => sessionId !== order.sessionId);
    if (this.#lanes.length + awaited.length >= STREAM_SESSIONS_MAX) return;
    this.#awaited = awaited;
    const timeline = this.#turns.follow(this, order);
    this.#lanes.push(new StreamLane(order, this.#parts.feeds, timeline));
    this.#tellPlace();
    this.#turns.wake(this);
  }

  /** Changes the pace of a session; `position`: it goes on from there. */
  pace(sessionId: string, pace: LanePace, position: number | null = null): void {
    const lane = this.#laneOf(sessionId);
    if (lane === undefined) return;
    lane.changePace(pace, this.#turns.clock.nowMs());
    if (position !== null) lane.moveTo(position);
    this.#turns.wake(this);
  }

  /** Sends what is due of a session, and nothing more of it: its run was stopped. */
  stop(sessionId: string): void {
    const lane = this.#laneOf(sessionId);
    if (lane === undefined) return;
    lane.end = lane.played(this.#turns.clock.nowMs());
    this.#turns.wake(this);
  }

  /** The client reads again. */
  drained(): void {
    if (this.#state.kind !== 'blocked') return;
    this.#state = OPEN;
    this.#turns.meter.figures.add('blocked', -1);
    this.#turns.wake(this);
  }

  /** The client has left, or the stream is ended from outside. */
  close(): void {
    if (this.#state.kind === 'ended') return;
    if (this.#state.kind === 'blocked') this.#turns.meter.figures.add('blocked', -1);
    this.#state = ENDED;
    this.#turns.wakeAt(this, Number.POSITIVE_INFINITY, 0);
    for (const lane of this.#lanes) this.#leave(lane);
    this.#lanes = [];
  }

  /** Sends what is due, for one turn (ST5). Only the hub calls it. */
  advance(nowMs: number, wallMs: number): void {
    if (this.#state.kind !== 'open') return;
    const isAlone = this.#lanes.length === 1 && this.#awaited.length === 0;
    if (isAlone && this.#sentShare(this.#lanes[0]!, nowMs, wallMs)) return;
    const { sink } = this.#parts;
    let bytes = 0;
    let sent = 0;
    let left = STREAM_TURN_UPDATES_MAX;
    for (const lane of this.#lanes) {
      const due = lane.due(nowMs, this.#turns.givesWay);
      while (lane.position < due && left > 0 && bytes < STREAM_TURN_BYTES) {
        left--;
        const position = lane.position++;
        if (!lane.filter.matches(position)) continue;
        if (!lane.allowance.take(wallMs)) {
          lane.position = position;
          this.#turns.meter.figures.add('updates', sent);
          if (bytes > 0) sink.flush();
          this.#end('monthly_limit');
          return;
        }
        bytes += sink.add(lane.timeline, position, isAlone ? null : this.#places());
        sent++;
        this.#parts.listener.sent(lane.timeline.feedOf(position), lane.isDemo, 1);
      }
    }
    if (sent > 0) this.#turns.meter.figures.add('updates', sent);
    const isFull = left === 0 || bytes >= STREAM_TURN_BYTES;
    // The next turn begins with another session.
    if (isFull) this.#lanes.push(this.#lanes.shift()!);
    if (bytes > 0 && !this.#sent(nowMs, sink.flush())) return;
    if (isFull) this.#turns.wake(this);
    else this.#rest();
  }

  /** A turn of a stream of one session: what others send too. Does nothing and returns false if the allowance has less left. */
  #sentShare(lane: StreamLane, nowMs: number, wallMs: number): boolean {
    const due = lane.due(nowMs, this.#turns.givesWay);
    if (lane.position < due) {
      const { until, updates, bytes, feeds } = lane.timeline.share(lane.filter, lane.position, due);
      if (updates > 0) {
        if (!lane.allowance.take(wallMs, updates)) return false;
        this.#turns.meter.figures.add('updates', updates);
        for (let at = 0; at < feeds.length; at += 2) this.#parts.listener.sent(feeds[at]!, lane.isDemo, feeds[at + 1]!);
      }
      lane.position = until;
      if (updates > 0 && !this.#sent(nowMs, this.#parts.sink.send(bytes))) return true;
      if (until < due) {
        this.#turns.wake(this);
        return true;
      }
    }
    this.#rest();
    return true;
  }

  /** Looks after a stream that has nothing to send or whose client does not read (ST4). Only the hub calls it. */
  check(nowMs: number): void {
    if (this.#state.kind === 'ended') return;
    let waitingSinceMs = this.#state.kind === 'blocked' ? this.#state.sinceMs : Number.POSITIVE_INFINITY;
    for (const lane of this.#lanes)
      waitingSinceMs = Math.min(waitingSinceMs, lane.waitingSinceMs(nowMs, this.#turns.givesWay));
    // A client that has just come back may have been away for longer.
    if (nowMs - Math.max(this.#openedAtMs, waitingSinceMs) >= STREAM_BEHIND_MS) {
      this.#end('stream_behind');
      return;
    }
    if (this.#state.kind !== 'open' || nowMs - this.#sentAtMs < STREAM_PING_MS) return;
    this.#sentAtMs = nowMs;
    if (!this.#parts.sink.ping()) this.#block();
  }

  /** `reads`: whether the client does. Returns that. */
  #sent(nowMs: number, reads: boolean): boolean {
    this.#sentAtMs = nowMs;
    if (!reads) this.#block();
    return reads;
  }

  #leave(lane: StreamLane): void {
    lane.leave();
    this.#turns.unfollow(this, lane.timeline);
  }

  #block(): void {
    this.#turns.meter.figures.add('blocked');
    this.#state = { kind: 'blocked', sinceMs: this.#turns.clock.nowMs() };
  }

  /** Nothing is due: ends what is over, or waits for the next update. */
  #rest(): void {
    if (this.#lanes.some(isOver)) {
      const over = this.#lanes.filter(isOver);
      this.#lanes = this.#lanes.filter((lane) => !lane.isOver);
      for (const lane of over) this.#leave(lane);
      if (this.#lanes.length === 0 && !this.#parts.endless) {
        this.#end('completed');
        return;
      }
      // What is over is nothing to come back to.
      this.#tellPlace();
    }
    let nextMs = Number.POSITIVE_INFINITY;
    let waitsMs = 0;
    for (const lane of this.#lanes) {
      const dueMs = lane.nextDueMs(this.#turns.givesWay);
      if (dueMs >= nextMs) continue;
      nextMs = dueMs;
      waitsMs = lane.waitsMs();
    }
    this.#turns.wakeAt(this, nextMs, waitsMs);
  }

  #end(end: StreamEnd): void {
    this.close();
    this.#parts.listener.ended(end);
  }

  #tellPlace(): void {
    if (this.#state.kind === 'open' && !this.#parts.sink.place(this.#places())) this.#block();
  }

  #places(): SessionPlace[] {
    const open = this.#lanes.map(({ sessionId, position }) => ({ sessionId, sequence: position }));
    return [...open, ...this.#awaited];
  }

  #laneOf(sessionId: string): StreamLane | undefined {
    return this.#lanes.find((lane) => lane.sessionId === sessionId);
  }
}

function isOver(lane: StreamLane): boolean {
  return lane.isOver;
}
