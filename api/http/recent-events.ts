// Counts events of each key in a sliding window, for limits.

import type { Clock } from '#engine/base/clock.ts';
import { ADDRESSES_COUNTED_MAX } from '#engine/base/limits.ts';
import { growingCache } from './growing-cache.ts';

/** At most so many requests in a window. */
export interface Rate {
  readonly requests: number;
  readonly windowMs: number;
}

export class RecentEvents {
  readonly rate: Rate;
  readonly #clock: Clock;
  /** Times of the events in the window, oldest first, by key. */
  readonly #times = growingCache<number[]>(ADDRESSES_COUNTED_MAX);

  constructor(rate: Rate, clock: Clock) {
    this.rate = rate;
    this.#clock = clock;
  }

  /** Milliseconds until the key is below the rate; 0 if it is now. */
  waitMs(key: string): number {
    const { requests, windowMs } = this.rate;
    const times = this.#recent(key);
    return times.length < requests ? 0 : times[times.length - requests]! + windowMs - this.#clock.nowMs();
  }

  /** Counts an event now. Returns its time, for `remove`. */
  add(key: string): number {
    const nowMs = this.#clock.nowMs();
    this.#times.set(key, [...this.#recent(key), nowMs]);
    return nowMs;
  }

  /** Takes back an event of this time. */
  remove(key: string, timeMs: number): void {
    const times = this.#recent(key);
    const place = times.indexOf(timeMs);
    if (place !== -1) this.#times.set(key, times.toSpliced(place, 1));
  }

  #recent(key: string): number[] {
    const sinceMs = this.#clock.nowMs() - this.rate.windowMs;
    return (this.#times.get(key) ?? []).filter((timeMs) => timeMs > sinceMs);
  }
}
