// A resend: some updates of a run, once more. All of them are due when it starts. The timeline may still grow: of a live
// session that was restored after a crash, everything selected is published again before it is missed here.

import type { ResendOrder, RunOrder } from '#engine/delivery/run-order.ts';
import { Allowance } from '#engine/delivery/usage/allowance.ts';
import type { LiveTimeline } from '#engine/timeline/live-timeline.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import type { Run } from './run.ts';
import { Selection } from './selection.ts';

export class ResendRun implements Run {
  readonly order: RunOrder;
  readonly timeline: Timeline;
  readonly allowance: Allowance;
  readonly selection: Selection;
  /** Null when the timeline is complete. */
  readonly #live: LiveTimeline | null;
  #due = 0;
  #end: number;
  #stopped = false;

  constructor(order: RunOrder, { positions }: ResendOrder, timeline: Timeline, live: LiveTimeline | null) {
    this.order = order;
    this.timeline = timeline;
    this.allowance = new Allowance(order.allowance);
    this.selection = new Selection(positions);
    this.#live = live;
    this.#end = this.selection.end;
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

  advance(): boolean {
    if (this.#stopped || this.#due === this.#end) return false;
    this.#live?.refresh();
    // What a power cut took from the end of a recording is gone, and is not waited for.
    if (this.#live === null || this.#live.sealed) this.#end = Math.min(this.#end, this.timeline.length);
    const before = this.#due;
    this.#due = Math.min(this.#end, this.timeline.length);
    return this.#due > before || this.#due === this.#end;
  }

  nextDueMs(): number {
    return Number.POSITIVE_INFINITY;
  }

  dueAtMs(): number {
    return this.order.pacedFromMs;
  }

  isOfEarlierProcess(): boolean {
    return false;
  }

  stop(): void {
    this.#stopped = true;
    this.#end = this.#due;
  }
}
