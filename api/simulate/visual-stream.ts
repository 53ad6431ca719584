// Streams a replay as server-sent events. The pace follows the timeline from the same start time as a delivery shard's,
// so a run with both sinks plays in lockstep, and like a shard's it does not follow changes of the wall clock. There is
// no buffer for slow clients: the stream catches up by position.
//
// VS1 The last event id that a client has seen says where it continues: the sequence of the last update, 0 before the
//     first one, `end` after the end of its run (last-event-id.ts).
// VS2 The id `end` and the final state of the run are sent together, once, when the run is over. With both sinks that is
//     after the last delivery: until then the stream stays open and silent.
// VS3 A stream that its client may not have any more ends as GET /v1/stream does. Once its token is invalid, what its
//     client does not read goes with the connection within a second.

import type { EventChannel } from '#api/http/event-channel.ts';
import { STREAM_ENDS } from '#api/http/stream-end.ts';
import type { Clock } from '#engine/base/clock.ts';
import { SSE_BUFFER_BYTES_MAX, SSE_CHUNK_BYTES, SSE_REVOKED_UNREAD_MS, SSE_STALL_MS } from '#engine/base/limits.ts';
import { sequenceOf, type Timeline } from '#engine/timeline/timeline.ts';
import { END_OF_STREAM } from './last-event-id.ts';
import type { RunState, ShownState } from './run-store.ts';

export interface VisualRun {
  readonly runId: string;
  readonly sessionId: string;
  readonly speed: number;
  /** When position 0 is due, on the monotonic clock, as for the deliveries of the run. */
  readonly pacedFromMs: number;
}

export interface VisualOptions {
  readonly run: VisualRun;
  readonly timeline: Timeline;
  /** The first position to play. */
  readonly from: number;
  readonly isPaused: boolean;
  /** Feeds to show; null shows all. */
  readonly feeds: ReadonlySet<string> | null;
  readonly channel: EventChannel;
  readonly clock: Clock;
  /** Called once when everything has been played, and once when the client leaves, unless the stream was ended. */
  readonly onEvent: (event: 'played' | 'left') => void;
}

type State =
  | { readonly kind: 'playing'; readonly timer: NodeJS.Timeout | null }
  /** The client has not read what was sent. The stream is closed if it reads nothing for too long. */
  | { readonly kind: 'blocked'; readonly patience: NodeJS.Timeout }
  /** There is nothing more to play. The run is not over yet (VS2). */
  | { readonly kind: 'silent'; readonly timer: NodeJS.Timeout | null }
  /** The client is to read what was sent before the connection ends (VS3). */
  | { readonly kind: 'ending'; readonly patience: NodeJS.Timeout }
  | { readonly kind: 'ended' };

/** Updates that are due within this time are sent together. */
const PAUSE_MS_MIN = 5;
/** After this long without events, a comment keeps proxies from closing the stream. */
const PING_MS = 15_000;
const PING = Buffer.from(': ping\n\n');
const END_OF_EVENT = Buffer.from('\n\n');
/** An id without data: clients take it as their last one and report no event (VS1). */
const END_ID = `: end\nid: ${END_OF_STREAM}\n\n`;

export class VisualStream {
  readonly #options: VisualOptions;
  #state: State = { kind: 'playing', timer: null };
  #position: number;
  #wroteAtMs: number;
  #pacedFromMs: number;
  /** Whether everything was played, or the run stopped: nothing more is played. */
  #isDone = false;
  #isHeld = false;

  constructor(options: VisualOptions) {
    this.#options = options;
    const { clock } = options;
    this.#position = Math.min(options.from, options.timeline.length);
    this.#wroteAtMs = clock.nowMs();
    this.#pacedFromMs = options.run.pacedFromMs;
    this.#isHeld = options.isPaused;
    options.channel.onClose(() => this.#left());
    options.channel.onDrain(() => this.#drained());
    const begin = `: from here\nid: ${this.#position}\n\n${this.#runEvent(options.isPaused ? 'paused' : 'running')}`;
    if (this.#write(Buffer.from(begin))) this.#play();
  }

  /** First position that has not been played. */
  get position(): number {
    return this.#position;
  }

  /** Plays nothing more and stays open until the run is over. */
  silence(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    if (this.#state.kind === 'playing') this.#beSilent();
  }

  /** Plays nothing until `proceed`, because the run is paused. */
  hold(): void {
    if (this.#isDone || this.#isHeld) return;
    this.#isHeld = true;
    if (this.#state.kind !== 'playing') return;
    if (this.#write(Buffer.from(this.#runEvent('paused')))) this.#beSilent();
  }

  /**
   * Plays again at a new pace; `position`: from there, or from where it is. Nothing is shown while it stays paused.
   */
  proceed(pacedFromMs: number, position: number | null, isPaused: boolean): void {
    this.#pacedFromMs = pacedFromMs;
    if (position !== null) {
      this.#position = Math.min(position, this.#options.timeline.length);
      this.#isDone = false;
    }
    if (isPaused) return;
    this.#isHeld = false;
    if (this.#isDone || this.#state.kind !== 'silent') return;
    this.#clear();
    if (this.#write(Buffer.from(this.#runEvent('running')))) this.#play();
  }

  /** Ends the stream with the run's final state (VS2). */
  finish(state: RunState): void {
    this.#end(`${this.#runEvent(state)}${END_ID}`);
  }

  /** Ends the stream of a run that is not over, or that can continue: its client may come back. */
  interrupt(state: RunState): void {
    this.#end(this.#runEvent(state));
  }

  /** Ends a stream whose run another stream shows from now on. Its client has no reason to come back. */
  supersede(): void {
    this.#end(END_ID);
  }

  /** Ends the stream of a client that may not have it any more (VS3). */
  revoke(code: 'unauthorized' | 'plan_changed'): void {
    const { kind } = this.#state;
    if (kind === 'ended' || kind === 'ending') return;
    const data = JSON.stringify({ state: 'ended', code, message: STREAM_ENDS[code] });
    const last = `event: stream\ndata: ${data}\n\n`;
    if (code !== 'unauthorized') {
      this.#end(last);
      return;
    }
    this.#clear();
    const { channel } = this.#options;
    const patience = setTimeout(() => channel.close(), SSE_REVOKED_UNREAD_MS);
    this.#state = { kind: 'ending', patience };
    if (channel.write(Buffer.from(last)) && kind !== 'blocked') this.#drained();
  }

  #play(): void {
    if (this.#isDone || this.#isHeld) {
      this.#beSilent();
      return;
    }
    const { run, timeline, clock } = this.#options;
    const elapsedMs = (clock.nowMs() - this.#pacedFromMs) * run.speed;
    const due = timeline.duePosition(elapsedMs);
    let written = 0;
    while (this.#position < due) {
      const chunk = this.#chunk(due);
      written += chunk.length;
      if (chunk.length > 0 && !this.#write(chunk)) return;
      // A long catch-up yields from time to time, because other requests share this thread.
      if (written >= SSE_BUFFER_BYTES_MAX) {
        this.#playIn(0);
        return;
      }
    }
    if (this.#position === timeline.length) {
      this.#isDone = true;
      this.#beSilent();
      this.#options.onEvent('played');
      return;
    }
    const silentMs = clock.nowMs() - this.#wroteAtMs;
    if (silentMs >= PING_MS && !this.#write(PING)) return;
    const untilDueMs = (timeline.columns.dueMs[this.#position]! - elapsedMs) / run.speed;
    this.#playIn(Math.min(Math.max(PAUSE_MS_MIN, untilDueMs), PING_MS));
  }

  #playIn(delayMs: number): void {
    this.#state = { kind: 'playing', timer: setTimeout(() => this.#play(), delayMs) };
  }

  #beSilent(): void {
    this.#clear();
    const ping = (): void => {
      if (this.#write(PING)) this.#beSilent();
    };
    this.#state = { kind: 'silent', timer: setTimeout(ping, PING_MS) };
  }

  /** The next events before `due`, up to a chunk's size; moves the position past them. */
  #chunk(due: number): Buffer {
    const { timeline, feeds } = this.#options;
    const parts: Uint8Array[] = [];
    let length = 0;
    while (this.#position < due && length < SSE_CHUNK_BYTES) {
      const position = this.#position++;
      const feedId = timeline.feedId(position);
      if (feeds !== null && !feeds.has(feedId)) continue;
      const head = Buffer.from(`id: ${sequenceOf(position)}\nevent: ${feedId}\ndata: `);
      const body = timeline.body(position);
      parts.push(head, body, END_OF_EVENT);
      length += head.length + body.length + END_OF_EVENT.length;
    }
    return Buffer.concat(parts, length);
  }

  /** Returns false if nothing more may be written now. */
  #write(bytes: Uint8Array): boolean {
    this.#wroteAtMs = this.#options.clock.nowMs();
    if (this.#options.channel.write(bytes)) return true;
    const patience = setTimeout(() => this.#options.channel.close(), SSE_STALL_MS);
    this.#state = { kind: 'blocked', patience };
    return false;
  }

  #drained(): void {
    const { kind } = this.#state;
    if (kind !== 'blocked' && kind !== 'ending') return;
    this.#clear();
    if (kind === 'blocked') {
      this.#play();
      return;
    }
    this.#state = { kind: 'ended' };
    this.#options.channel.end();
  }

  #left(): void {
    const { kind } = this.#state;
    if (kind === 'ended') return;
    this.#clear();
    this.#state = { kind: 'ended' };
    if (kind !== 'ending') this.#options.onEvent('left');
  }

  #end(last: string): void {
    if (this.#state.kind === 'ended' || this.#state.kind === 'ending') return;
    this.#clear();
    this.#state = { kind: 'ended' };
    this.#options.channel.write(Buffer.from(last));
    this.#options.channel.end();
  }

  #clear(): void {
    const state = this.#state;
    if (state.kind === 'blocked' || state.kind === 'ending') clearTimeout(state.patience);
    else if (state.kind !== 'ended' && state.timer !== null) clearTimeout(state.timer);
  }

  #runEvent(state: ShownState): string {
    const { run, timeline } = this.#options;
    const { runId, sessionId, speed } = run;
    const data = JSON.stringify({ runId, sessionId, speed, updateCount: timeline.length, state });
    return `event: run\ndata: ${data}\n\n`;
  }
}
