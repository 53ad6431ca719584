// Names for timelines, by which their states are kept: the same for the same memory. A session that is followed again after
// its end may have other updates, in other memory.

import type { SharedTimeline } from '#engine/timeline/shared-timeline.ts';

export class TimelineKeys {
  readonly #keys = new WeakMap<SharedTimeline, string>();
  #count = 0;

  of(timeline: SharedTimeline): string {
    const key = this.#keys.get(timeline) ?? `${nameOf(timeline)} ${++this.#count}`;
    this.#keys.set(timeline, key);
    return key;
  }
}

function nameOf(timeline: SharedTimeline): string {
  return 'bytes' in timeline ? 'artifact' : `${timeline.head.sessionId} live`;
}
