// A replay on one shard: which part of its timeline is due. Each shard paces itself from the run's start, so a due update
// costs no message between threads.

import type { Timeline } from '#engine/timeline/timeline.ts';
import { Allowance } from '#engine/usage/allowance.ts';
import type { RunOrder } from '#schemas/wire/shard-messages.ts';

export class Run {
  readonly order: RunOrder;
  readonly timeline: Timeline;
  /** What the account's month has left. */
  readonly allowance: Allowance;
  readonly #startMs: number;
  #due = 0;
  #end: number;
  #stopped = false;

  /** `startMs` is the order's start on the shard's monotonic clock. */
  constructor(order: RunOrder, timeline: Timeline, startMs: number) {
    this.order = order;
    this.timeline = timeline;
    this.allowance = new Allowance(order.allowance);
    this.#startMs = startMs;
    this.#end = timeline.length;
  }

  /** Positions before this one are due. */
  get due(): number {
    return this.#due;
  }

  /** Positions from this one on will never be due. */
  get end(): number {
    return this.#end;
  }

  /** Moves on to `nowMs`; says whether anything fell due. */
  advance(nowMs: number): boolean {
    const before = this.#due;
    while (this.#due < this.#end && this.dueAtMs(this.#due) <= nowMs) this.#due++;
    return this.#due > before;
  }

  /** When the next update is due, on the monotonic clock; Infinity when none is left. */
  nextDueMs(): number {
    return this.#due < this.#end ? this.dueAtMs(this.#due) : Number.POSITIVE_INFINITY;
  }

  /** When this update is due, on the monotonic clock. */
  dueAtMs(position: number): number {
    return this.#startMs + this.timeline.columns.dueMs[position]! / this.order.speed;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  /** Nothing further falls due. */
  stop(): void {
    this.#stopped = true;
    this.#end = this.#due;
  }
}
