// Runs one piece of work at a time for each key. A change of an endpoint, for example, reads the endpoint back before
// it publishes the settings to the delivery engine: two at once could publish in the wrong order and leave old settings
// in force.
//
// With a rest, a key of which more work waits leaves half of the time to others: after each piece nothing of that key runs
// for as long as the piece took. A piece of which nothing waits behind it costs its key no time.

import type { TimerClock } from './clock.ts';

/** `msMax`: the longest one. */
export interface Rest {
  readonly clock: Pick<TimerClock, 'nowMs' | 'schedule'>;
  readonly msMax: number;
}

/** What runs and waits of a key. */
interface Lane {
  waiting: number;
  /** When the next piece may run. */
  free: Promise<void>;
}

export class KeyedMutex {
  readonly #lanes = new Map<string, Lane>();
  readonly #rest: Rest | null;

  constructor(rest: Rest | null = null) {
    this.#rest = rest;
  }

  /** Runs the work after all earlier work of this key has ended, with or without an error. */
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const lane: Lane = this.#lanes.get(key) ?? { waiting: 0, free: Promise.resolve() };
    this.#lanes.set(key, lane);
    lane.waiting++;
    let beganMs = 0;
    const result = lane.free.then(() => {
      lane.waiting--;
      beganMs = this.#rest?.clock.nowMs() ?? 0;
      return work();
    });
    const over = () => this.#over(key, lane, beganMs);
    lane.free = result.then(over, over);
    return result;
  }

  /** Resolves when the next piece may run. */
  async #over(key: string, lane: Lane, beganMs: number): Promise<void> {
    if (lane.waiting === 0) {
      this.#lanes.delete(key);
    } else if (this.#rest !== null) {
      const { clock, msMax } = this.#rest;
      const restMs = Math.min(clock.nowMs() - beganMs, msMax);
      await new Promise<void>((resolve) => clock.schedule(restMs, resolve));
    }
  }
}
