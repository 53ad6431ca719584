// How many attempts one endpoint may have under way. The cap grows while responses stay fast, shrinks while they slow
// down, and halves at signs of overload. So a fast receiver is used fully and a slow one is not flooded.
//
// "Fast" is relative to the endpoint's own best latency, not to a constant. A distant receiver that responds steadily
// is not slow. A near one that slows down as its load grows has had enough. The same rule protects the sender: when
// this machine is the bottleneck, more attempts under way would only make each of them cost more.

import { assert } from '#engine/base/assert.ts';
import { IN_FLIGHT_MAX, TURN_SLICE_MS } from '#engine/base/limits.ts';

export const IN_FLIGHT_START = 2;
/** A response is fast if it takes at most this many times the best latency, plus JITTER_MS. */
const FAST_RATIO = 1.5;
const JITTER_MS = 1;
/** A best latency from which an endpoint counts as far: well above the time that this thread's own turns take. */
const FAR_MS = 5 * TURN_SLICE_MS;
/**
 * Responses after which an endpoint may count as far: while this thread is busy, the first few of a near one are slow too.
 * But no busy thread explains VERY_FAR_MS.
 */
const FAR_AFTER = 6;
const VERY_FAR_MS = 4 * FAR_MS;
/** How fast the cap of a far endpoint rises: each response adds so many slots, so a few round trips find its need. */
const FAR_GROWTH = 3;
/** The best latency grows by this factor with each response, so a receiver that has moved away is measured anew. */
const BEST_DECAY = 1.0001;

assert(IN_FLIGHT_START <= IN_FLIGHT_MAX, 'the cap starts below its bound');

/** What a cap knows of its endpoint. */
export interface Learned {
  /** The best latency. */
  readonly bestMs: number;
  /** The most attempts that were under way at once. */
  readonly mostInFlight: number;
}

export class InFlightCap {
  #cap = IN_FLIGHT_START;
  #bestMs = Number.POSITIVE_INFINITY;
  #mostInFlight = 0;
  #responses = 0;
  /** Until the first slow response the cap at least doubles with each round of responses; then it grows by one a round. */
  #rising = true;

  /** `learned`: what an earlier cap of the endpoint knew. */
  constructor(learned: Learned | null = null) {
    if (learned === null) return;
    this.#bestMs = learned.bestMs;
    this.#responses = FAR_AFTER;
    if (this.far) this.#cap = Math.max(IN_FLIGHT_START, Math.min(IN_FLIGHT_MAX, learned.mostInFlight));
  }

  get learned(): Learned | null {
    return this.#mostInFlight === 0 || this.#responses < FAR_AFTER
      ? null
      : { bestMs: this.#bestMs, mostInFlight: Math.min(this.#mostInFlight, this.value) };
  }

  /** How many connections to open before the first attempt: as many as a far endpoint will need, one to others. */
  get connectionsAhead(): number {
    return this.far ? this.value : 1;
  }

  get value(): number {
    return Math.floor(this.#cap);
  }

  /** Whether the endpoint is so slow to respond that the wait, not this thread, limits its deliveries. */
  get far(): boolean {
    return this.#responses > 0 && this.#bestMs >= (this.#responses < FAR_AFTER ? VERY_FAR_MS : FAR_MS);
  }

  /** Counts a first attempt that starts; `inFlight` are under way with it. */
  started(inFlight: number): void {
    if (inFlight > this.#mostInFlight) this.#mostInFlight = inFlight;
  }

  /** Counts a 2xx. `capped`: the cap, and nothing else, holds back more attempts. */
  succeeded(latencyMs: number, capped: boolean): void {
    this.#responses++;
    this.#bestMs = Math.min(this.#bestMs * BEST_DECAY, latencyMs);
    if (latencyMs > this.#bestMs * FAST_RATIO + JITTER_MS) {
      this.#rising = false;
      this.#cap = Math.max(Math.min(IN_FLIGHT_START, this.#cap), this.#cap - 1 / this.#cap);
    } else if (capped) {
      this.#cap = Math.min(IN_FLIGHT_MAX, this.#cap + this.#growth());
    }
  }

  #growth(): number {
    if (!this.#rising) return 1 / this.#cap;
    return this.far ? FAR_GROWTH : 1;
  }

  /** Counts a 429, a 503 or a missed deadline. */
  overloaded(): void {
    this.#rising = false;
    this.#cap = Math.max(1, this.#cap / 2);
  }
}
