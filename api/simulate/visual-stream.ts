// Streams a replay as server-sent events. The pace follows the timeline from the same start time as a delivery shard's,
// so a run with both sinks plays in lockstep, and like a shard's it does not follow changes of the wall clock. There is
// no buffer for slow clients: the stream catches up by position.

import type { EventChannel } from '#api/http/event-channel.ts';
import type { Clock } from '#engine/base/clock.ts';
import { SSE_BUFFER_BYTES_MAX, SSE_CHUNK_BYTES, SSE_STALL_MS } from '#engine/base/limits.ts';
import { sequenceOf, type Timeline } from '#engine/timeline/timeline.ts';
import type { RunState } from './run-store.ts';

export interface VisualRun {
  readonly runId: string;
  readonly sessionId: string;
  readonly speed: number;
  /** When position 0 is due, on the monotonic clock, as for the deliveries of the run. */
  readonly pacedFromMs: number;
}

/** Played to the end, stopped by the service, or left by the client. */
export type VisualEnd = 'played' | 'stopped' | 'left';

export interface VisualOptions {
  readonly run: VisualRun;
  readonly timeline: Timeline;
  /** Feeds to show; null shows all. */
  readonly feeds: ReadonlySet<string> | null;
  readonly channel: EventChannel;
  readonly clock: Clock;
  /** Called once. Returns the state to report in the last event. */
  readonly onEnd: (how: VisualEnd) => RunState;
}

type State =
  | { readonly kind: 'playing'; readonly timer: NodeJS.Timeout | null }
  /** The client has not read what was sent. The stream is closed if it reads nothing for too long. */
  | { readonly kind: 'blocked'; readonly patience: NodeJS.Timeout }
  | { readonly kind: 'ended' };

/** Updates that are due within this time are sent together. */
const PAUSE_MS_MIN = 5;
/** After this long without events, a comment keeps proxies from closing the stream. */
const PING_MS = 15_000;
const PING = Buffer.from(': ping\n\n');
const END_OF_EVENT = Buffer.from('\n\n');

export class VisualStream {
  readonly #options: VisualOptions;
  #state: State = { kind: 'playing', timer: null };
  #position = 0;
  #wroteAtMs: number;

  constructor(options: VisualOptions) {
    this.#options = options;
    const { clock } = options;
    this.#wroteAtMs = clock.nowMs();
    options.channel.onClose(() => this.#end('left'));
    options.channel.onDrain(() => this.#drained());
    if (this.#write(this.#runEvent('running'))) this.#play();
  }

  /** First position that has not been played. */
  get position(): number {
    return this.#position;
  }

  stop(): void {
    this.#end('stopped');
  }

  #play(): void {
    const { run, timeline, clock } = this.#options;
    const elapsedMs = (clock.nowMs() - run.pacedFromMs) * run.speed;
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
      this.#end('played');
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
    if (this.#state.kind !== 'blocked') return;
    clearTimeout(this.#state.patience);
    this.#play();
  }

  #end(how: VisualEnd): void {
    const state = this.#state;
    if (state.kind === 'ended') return;
    if (state.kind === 'blocked') clearTimeout(state.patience);
    else if (state.timer !== null) clearTimeout(state.timer);
    this.#state = { kind: 'ended' };
    const runState = this.#options.onEnd(how);
    if (how === 'left') return;
    this.#options.channel.write(this.#runEvent(runState));
    this.#options.channel.end();
  }

  #runEvent(state: RunState): Buffer {
    const { run, timeline } = this.#options;
    const { runId, sessionId, speed } = run;
    const data = JSON.stringify({ runId, sessionId, speed, updateCount: timeline.length, state });
    return Buffer.from(`event: run\ndata: ${data}\n\n`);
  }
}
