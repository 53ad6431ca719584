// A replay: a complete timeline, played at a multiple of its own pace.

import type { RunOrder } from '#engine/delivery/run-order.ts';
import { Allowance } from '#engine/delivery/usage/allowance.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import type { Run } from './run.ts';

export class PacedRun implements Run {
  readonly order: RunOrder;
  readonly timeline: Timeline;
  readonly allowance: Allowance;
  readonly selection = null;
  #due = 0;
  #end: number;
  #stopped = false;

  constructor(order: RunOrder, timeline: Timeline) {
    this.order = order;
    this.timeline = timeline;
    this.allowance = new Allowance(order.allowance);
    this.#end = Math.min(order.end ?? timeline.length, timeline.length);
  }

  get due(): number {
    return this.#due;
  }

  get end(): number {
    return this.#end;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  advance(nowMs: number): boolean {
    const before = this.#due;
    while (this.#due < this.#end && this.dueAtMs(this.#due) <= nowMs) this.#due++;
    return this.#due > before;
  }

  nextDueMs(): number {
    return this.#due < this.#end ? this.dueAtMs(this.#due) : Number.POSITIVE_INFINITY;
  }

  dueAtMs(position: number): number {
    return this.order.pacedFromMs + this.timeline.columns.dueMs[position]! / this.order.speed;
  }

  /** Live deliveries that are left of a session that is over can come from its recording. */
  isOfEarlierProcess(): boolean {
    return this.order.mode === 'live';
  }

  stop(): void {
    this.#stopped = true;
    this.#end = this.#due;
  }
}
