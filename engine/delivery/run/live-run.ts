// Live delivery of a session to one account's endpoints. An update is due as soon as it is published. The run's end is
// known once the timeline is sealed.

import { assert } from '#engine/base/assert.ts';
import type { RunOrder } from '#engine/delivery/run-order.ts';
import { Allowance } from '#engine/delivery/usage/allowance.ts';
import type { LiveTimeline } from '#engine/timeline/live-timeline.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import type { Run } from './run.ts';

export class LiveRun implements Run {
  readonly order: RunOrder;
  readonly timeline: Timeline;
  readonly allowance: Allowance;
  readonly selection = null;
  readonly #live: LiveTimeline;
  #due = 0;
  #end = Number.POSITIVE_INFINITY;
  #stopped = false;

  /** All runs of the session on this shard share `live`. */
  constructor(order: RunOrder, live: LiveTimeline) {
    this.order = order;
    this.timeline = live.timeline;
    this.allowance = new Allowance(order.allowance);
    this.#live = live;
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
    if (this.#stopped) return false;
    this.#live.refresh();
    const { length } = this.timeline;
    const ended = this.#live.sealed && this.#end !== length;
    if (this.#live.sealed) this.#end = length;
    assert(length >= this.#due, 'a live timeline never shrinks');
    const grown = length > this.#due;
    this.#due = length;
    return grown || ended;
  }

  nextDueMs(): number {
    return Number.POSITIVE_INFINITY;
  }

  dueAtMs(position: number): number {
    return this.#live.receivedMs(position);
  }

  isOfEarlierProcess(position: number): boolean {
    return position < this.#live.restored;
  }

  stop(): void {
    this.#stopped = true;
    this.#end = this.#due;
  }
}
