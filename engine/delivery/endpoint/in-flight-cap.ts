// How many attempts one endpoint may have under way: it grows while answers stay fast, shrinks while they slow down and
// halves on signs of overload, so that a fast receiver is used fully and a slow one is not flooded.
//
// "Fast" is measured against the endpoint's own best latency, not against a constant: a receiver far away that answers
// steadily is not slow, and a near one whose answers take longer the more it gets has had enough. The same rule keeps the
// sender honest: when this machine is what is slow, more attempts under way would only make each of them dearer.

import { assert } from '#engine/base/assert.ts';
import { IN_FLIGHT_MAX, TURN_SLICE_MS } from '#engine/base/limits.ts';

export const IN_FLIGHT_START = 2;
/** An answer is fast when it takes at most this many times the best one, and a little jitter. */
const FAST_RATIO = 1.5;
const JITTER_MS = 1;
/** The best answer of an endpoint on another machine, further away than this one's own turns take. */
const FAR_MS = 5 * TURN_SLICE_MS;
/** The best latency is forgotten slowly, so that a receiver that moved is measured anew. */
const BEST_DECAY = 1.0001;

assert(IN_FLIGHT_START <= IN_FLIGHT_MAX, 'the cap starts below its bound');

export class InFlightCap {
  #cap = IN_FLIGHT_START;
  #bestMs = Number.POSITIVE_INFINITY;
  /** Until the first slow answer the cap doubles with each round of answers, afterwards it grows by one. */
  #rising = true;

  get value(): number {
    return Math.floor(this.#cap);
  }

  /** Whether answers take so long that waiting for them, and not this thread, is what holds deliveries up. */
  get far(): boolean {
    return this.#bestMs >= FAR_MS && this.#bestMs !== Number.POSITIVE_INFINITY;
  }

  /** A 2xx came. `saturated`: the cap was what held back further attempts. */
  succeeded(latencyMs: number, saturated: boolean): void {
    this.#bestMs = Math.min(this.#bestMs * BEST_DECAY, latencyMs);
    if (latencyMs > this.#bestMs * FAST_RATIO + JITTER_MS) {
      this.#rising = false;
      this.#cap = Math.max(Math.min(IN_FLIGHT_START, this.#cap), this.#cap - 1 / this.#cap);
    } else if (saturated) {
      this.#cap = Math.min(IN_FLIGHT_MAX, this.#cap + (this.#rising ? 1 : 1 / this.#cap));
    }
  }

  /** 429, 503 or no answer within the deadline. */
  overloaded(): void {
    this.#rising = false;
    this.#cap = Math.max(1, this.#cap / 2);
  }
}
