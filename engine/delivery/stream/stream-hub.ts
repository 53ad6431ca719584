// All streams of one thread. It gives them turns: when a timeline grows, when a paced update is due, when a client
// reads again.
//
// SH1 Streams have their turns in order, each at most one in a round. A round ends after STREAM_TURNS_MAX turns or
//     STREAM_TURNS_MS; other work of the thread comes before the next.
// SH2 A timeline has one view and one watch, however many streams follow it. Those of a live one are kept until it is
//     complete, because a watch that is given up still waits for the next change.
// SH3 Streams that something new has come for, or is due for, have their turns before those that catch up, but for one
//     round in STREAM_PROMPT_ROUNDS_MAX + 1.
// SH4 Streams that wait for the same moment, such as those of one run, share an alarm (engine/base/alarms.ts) and have their
//     turns in one round, when it has come. With a timer each, some came a millisecond before the others, some after.
// SH5 While attempts are under way, such a moment waits, for as long as its streams would (ST6).

import { Alarms } from '#engine/base/alarms.ts';
import type { TimerClock } from '#engine/base/clock.ts';
import {
  STREAM_CHECK_MS,
  STREAM_LOOK_MS,
  STREAM_PROMPT_ROUNDS_MAX,
  STREAM_TURNS_MAX,
  STREAM_TURNS_MS,
} from '#engine/base/limits.ts';
import type { DeliveryActivity } from '#engine/delivery/meter/delivery-activity.ts';
import { STREAM_CELLS, StreamMeter } from '#engine/delivery/meter/stream-meter.ts';
import type { LiveTimeline } from '#engine/timeline/live-timeline.ts';
import type { LaneOrder } from './stream-lane.ts';
import { type EncodeUpdate, StreamTimeline } from './stream-timeline.ts';
import { StreamSeat, TurnQueue } from './turn-queue.ts';
import { type StreamParts, type StreamTurns, UpdateStream } from './update-stream.ts';

export interface StreamHubParts {
  readonly clock: TimerClock;
  readonly encode: EncodeUpdate;
  /** Calls back after each change of a live timeline, until the returned function is called. */
  readonly watch: (live: LiveTimeline, changed: () => void) => () => void;
  /** Calls back after other work of the thread. */
  readonly later: (work: () => void) => void;
  /** Holds the thread for so many milliseconds, with a fraction. */
  readonly hold: (ms: number) => void;
  /** What streams give way to. */
  readonly deliveries: DeliveryActivity;
  /** Counts the streams. Default: a meter that nobody reads. */
  readonly meter?: StreamMeter;
}

interface Followed {
  readonly key: string;
  readonly timeline: StreamTimeline;
  readonly streams: Set<UpdateStream>;
  unwatch: () => void;
}

/** Streams that wait for the same time (SH4). */
interface Moment {
  atMs: number;
  /** How much longer it may wait (SH5). */
  waitsMs: number;
  /** The first `count` of these; null behind them, so that no stream is kept alive. */
  readonly seats: (Seat | null)[];
  count: number;
  cancel: () => void;
}

type Seat = StreamSeat<Moment>;

export class StreamHub {
  readonly #parts: StreamHubParts;
  readonly #seats = new Map<UpdateStream, Seat>();
  readonly #byKey = new Map<string, Followed>();
  readonly #byTimeline = new Map<StreamTimeline, Followed>();
  /** Streams that something new has come for (SH3). */
  readonly #prompt = new TurnQueue();
  /** Rounds of these in a row. */
  #promptRounds = 0;
  /** Streams that wait for a turn, in order. */
  readonly #waiting = new TurnQueue();
  /** By time on the monotonic clock. */
  readonly #moments = new Map<number, Moment>();
  /** One that is over, to be used again. */
  #spareMoment: Moment | null = null;
  readonly #alarms: Alarms;
  readonly #turns: StreamTurns & { givesWay: boolean };
  readonly #meter: StreamMeter;
  #turnIsComing = false;
  #stopChecks: (() => void) | null = null;

  constructor(parts: StreamHubParts) {
    this.#parts = parts;
    this.#alarms = new Alarms(parts);
    this.#meter = parts.meter ?? new StreamMeter(new Float64Array(STREAM_CELLS));
    this.#turns = {
      clock: parts.clock,
      meter: this.#meter,
      givesWay: true,
      follow: (stream, order) => this.#follow(stream, order),
      unfollow: (stream, timeline) => this.#unfollow(stream, timeline),
      wake: (stream) => this.#wake(stream),
      wakeAt: (stream, atMs, waitsMs) => this.#wakeAt(stream, atMs, waitsMs),
    };
  }

  get size(): number {
    return this.#seats.size;
  }

  /** Makes a stream. The caller opens its sessions, and calls `leave` once when it has ended. */
  join(parts: StreamParts): UpdateStream {
    const stream = new UpdateStream(parts, this.#turns);
    this.#seats.set(stream, new StreamSeat<Moment>(stream));
    this.#meter.figures.set('open', this.#seats.size);
    this.#stopChecks ??= this.#parts.clock.every(STREAM_CHECK_MS, () => this.#check());
    return stream;
  }

  leave(stream: UpdateStream): void {
    stream.close();
    const seat = this.#seats.get(stream)!;
    seat.queue?.remove(seat);
    this.#seats.delete(stream);
    this.#meter.figures.set('open', this.#seats.size);
    if (this.#seats.size > 0) return;
    this.#stopChecks?.();
    this.#stopChecks = null;
  }

  #follow(stream: UpdateStream, { key, shared }: LaneOrder): StreamTimeline {
    let followed = this.#byKey.get(key);
    if (followed === undefined) {
      const { encode, watch } = this.#parts;
      const timeline = new StreamTimeline(shared, encode);
      const made: Followed = { key, timeline, streams: new Set(), unwatch: () => {} };
      if (timeline.live !== null) made.unwatch = watch(timeline.live, () => this.#grown(made));
      this.#byKey.set(key, made);
      this.#byTimeline.set(timeline, made);
      followed = made;
    }
    followed.streams.add(stream);
    return followed.timeline;
  }

  #unfollow(stream: UpdateStream, timeline: StreamTimeline): void {
    const followed = this.#byTimeline.get(timeline);
    if (followed === undefined) return;
    followed.streams.delete(stream);
    this.#dropUnused(followed);
  }

  /** SH2 */
  #dropUnused(followed: Followed): void {
    const { key, timeline, streams, unwatch } = followed;
    if (streams.size > 0) return;
    timeline.refreshed();
    if (!timeline.isComplete) return;
    unwatch();
    this.#byKey.delete(key);
    this.#byTimeline.delete(timeline);
  }

  #grown(followed: Followed): void {
    this.#dropUnused(followed);
    for (const stream of followed.streams) this.#prompt.push(this.#seats.get(stream)!);
    // Without a detour over the event loop: an update is on its way as soon as it is published.
    this.#turn(this.#prompt);
  }

  #wake(stream: UpdateStream): void {
    const seat = this.#seats.get(stream)!;
    if (seat.queue === null) this.#waiting.push(seat);
    this.#callTurn();
  }

  #callTurn(): void {
    if (this.#turnIsComing || this.#prompt.size + this.#waiting.size === 0) return;
    this.#turnIsComing = true;
    this.#parts.later(() => {
      this.#turnIsComing = false;
      this.#turn(this.#isPromptsTurn ? this.#prompt : this.#waiting);
    });
  }

  /** SH3 */
  get #isPromptsTurn(): boolean {
    if (this.#prompt.size === 0) return false;
    return this.#waiting.size === 0 || this.#promptRounds < STREAM_PROMPT_ROUNDS_MAX;
  }

  #turn(round: TurnQueue): void {
    this.#promptRounds = round === this.#prompt ? this.#promptRounds + 1 : 0;
    const { clock, deliveries } = this.#parts;
    const nowMs = clock.nowMs();
    const wallMs = clock.wallMs();
    this.#turns.givesWay = deliveries.isRecent(nowMs);
    // A stream that wants another turn is added again, behind the others: not in this round.
    for (let turns = Math.min(round.size, STREAM_TURNS_MAX); turns > 0; turns--) {
      const seat = round.shift();
      if (seat === null) break;
      seat.stream.advance(nowMs, wallMs);
      if (clock.nowMs() - nowMs >= STREAM_TURNS_MS) break;
    }
    this.#callTurn();
  }

  #wakeAt(stream: UpdateStream, atMs: number, waitsMs: number): void {
    const seat = this.#seats.get(stream)!;
    if (seat.moment !== null) {
      if (seat.moment.atMs === atMs) return;
      this.#forget(seat, seat.moment);
    }
    if (atMs === Number.POSITIVE_INFINITY) return;
    const moment = this.#moments.get(atMs) ?? this.#newMoment(atMs);
    moment.waitsMs = Math.max(moment.waitsMs, waitsMs);
    seat.moment = moment;
    seat.placeInMoment = moment.count;
    moment.seats[moment.count++] = seat;
  }

  #newMoment(atMs: number): Moment {
    const moment = this.#spareMoment ?? { atMs, waitsMs: 0, seats: [], count: 0, cancel: () => {} };
    this.#spareMoment = null;
    moment.atMs = atMs;
    moment.waitsMs = 0;
    moment.cancel = this.#alarms.at(atMs, () => this.#reached(moment));
    this.#moments.set(atMs, moment);
    return moment;
  }

  #forget(seat: Seat, moment: Moment): void {
    seat.moment = null;
    const last = moment.seats[--moment.count]!;
    moment.seats[seat.placeInMoment] = last;
    moment.seats[moment.count] = null;
    last.placeInMoment = seat.placeInMoment;
    if (moment.count > 0) return;
    moment.cancel();
    this.#moments.delete(moment.atMs);
  }

  /** SH5 */
  #waits(moment: Moment): boolean {
    const { clock, deliveries } = this.#parts;
    const nowMs = clock.nowMs();
    const untilMs = moment.atMs + moment.waitsMs;
    if (nowMs >= untilMs || deliveries.underWay() === 0) return false;
    moment.cancel = this.#alarms.at(Math.min(nowMs + STREAM_LOOK_MS, untilMs), () => this.#reached(moment));
    return true;
  }

  #reached(moment: Moment): void {
    if (this.#waits(moment)) return;
    const { seats, count } = moment;
    this.#moments.delete(moment.atMs);
    for (let place = 0; place < count; place++) {
      const seat = seats[place]!;
      seats[place] = null;
      seat.moment = null;
      this.#prompt.push(seat);
    }
    moment.count = 0;
    this.#spareMoment = moment;
    this.#turn(this.#prompt);
  }

  /** A sign of life to thousands of streams is work too: other work comes between (SH1). */
  async #check(): Promise<void> {
    const { clock, later } = this.#parts;
    let checked = 0;
    for (const stream of [...this.#seats.keys()]) {
      if (++checked % STREAM_TURNS_MAX === 0) await new Promise<void>((resolve) => later(resolve));
      stream.check(clock.nowMs());
    }
  }
}
