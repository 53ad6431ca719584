// Counts events in the memory of one process.

import type { Clock } from '#engine/base/clock.ts';
import type { CountedLimit, EventCounts, Taken, Wish } from './event-counts.ts';
import { RecentEvents } from './recent-events.ts';

export class MemoryEventCounts implements EventCounts {
  readonly #clock: Clock;
  /** By the name of the limit: as many as the code has. */
  readonly #limits = new Map<string, RecentEvents>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async take(wishes: readonly Wish[]): Promise<Taken> {
    for (const wish of wishes) {
      const waitMs = wish.always === true ? 0 : this.#of(wish.limit).waitMs(wish.key);
      if (waitMs > 0) return { kind: 'full', wish, waitMs };
    }
    const counted = wishes.map(({ limit, key }) => ({
      events: this.#of(limit),
      key,
      timeMs: this.#of(limit).add(key),
    }));
    return {
      kind: 'counted',
      async discount() {
        for (const { events, key, timeMs } of counted) events.remove(key, timeMs);
      },
    };
  }

  #of({ name, rate }: CountedLimit): RecentEvents {
    let events = this.#limits.get(name);
    if (events === undefined) {
      events = new RecentEvents(rate, this.#clock);
      this.#limits.set(name, events);
    }
    return events;
  }
}
