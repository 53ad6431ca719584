// How many attempts one endpoint may have under way. The cap grows while responses stay fast, shrinks while they slow
// down, and halves at signs of overload. So a fast receiver is used fully and a slow one is not flooded.
//
// "Fast" is relative to the endpoint's own best latency, not to a constant. A distant receiver that responds steadily
// is not slow. A near one that slows down as its load grows has had enough. The same rule protects the sender: when
// this machine is the bottleneck, more attempts under way would only make each of them cost more.
//
// A far endpoint is one for whose responses this thread waits. Its own work in between does not count: it would make a near
// endpoint look far, and a far one slow.

import { assert } from '#engine/base/assert.ts';
import { IN_FLIGHT_MAX } from '#engine/base/limits.ts';

export const IN_FLIGHT_START = 2;
/** A response is fast if it takes at most this many times the best latency, plus JITTER_MS. */
const FAST_RATIO = 1.5;
const JITTER_MS = 1;
/** An endpoint is far if every response takes at least so long, and this thread mostly waits for as long meanwhile. */
const FAR_MS = 4;
/**
 * For so many more responses must this thread have waited than not. At most so many are remembered: a burst of a hundred that
 * come while it works makes no far endpoint near.
 */
const FAR_AFTER = 6;
const FAR_EVIDENCE_MAX = 100;
/** No busy thread explains this one. */
const VERY_FAR_MS = 80;
/** How fast the cap of a far endpoint rises: each response adds so many slots, so a few round trips find its need. */
const FAR_GROWTH = 3;
/**
 * The cap of a far endpoint rises until so much of it is in use. A burst that is larger than all before would otherwise wait
 * for a round trip, and only then raise it.
 */
const FAR_USED_SHARE = 0.75;
/** The best latency grows by this factor with each response, so a receiver that has moved away is measured anew. */
const BEST_DECAY = 1.0001;

assert(IN_FLIGHT_START <= IN_FLIGHT_MAX, 'the cap starts below its bound');

/** What a cap knows of its endpoint. */
export interface Learned {
  /** The best latency. */
  readonly bestMs: number;
  readonly far: boolean;
  /** The most attempts that were under way at once. */
  readonly mostInFlight: number;
}

export class InFlightCap {
  #cap = IN_FLIGHT_START;
  #bestMs = Number.POSITIVE_INFINITY;
  #mostInFlight = 0;
  #responses = 0;
  /** Responses for which this thread has waited, less those for which it has not. */
  #farEvidence = 0;
  /** Until the first slow response the cap at least doubles with each round of responses; then it grows by one a round. */
  #rising = true;

  /** `learned`: what an earlier cap of the endpoint knew. */
  constructor(learned: Learned | null = null) {
    if (learned === null) return;
    this.#bestMs = learned.bestMs;
    this.#responses = FAR_AFTER;
    if (!learned.far) return;
    this.#farEvidence = FAR_AFTER;
    this.#cap = Math.max(IN_FLIGHT_START, Math.min(IN_FLIGHT_MAX, learned.mostInFlight));
  }

  get learned(): Learned | null {
    return this.#mostInFlight === 0 || this.#responses < FAR_AFTER
      ? null
      : { bestMs: this.#bestMs, far: this.far, mostInFlight: Math.min(this.#mostInFlight, this.value) };
  }

  /** For how many requests at once to be connected before the first attempt: those that a far endpoint will get. */
  get requestsAhead(): number {
    return this.far ? this.value : 1;
  }

  get value(): number {
    return Math.floor(this.#cap);
  }

  /** Whether the endpoint is so slow to respond that the wait, not this thread, limits its deliveries. */
  get far(): boolean {
    return this.#responses > 0 && this.#bestMs >= (this.#farEvidence < FAR_AFTER ? VERY_FAR_MS : FAR_MS);
  }

  /** How long a far endpoint takes to respond; 0 for a near one. */
  get distanceMs(): number {
    return this.far ? this.#bestMs : 0;
  }

  /** Counts a first attempt that starts; `inFlight` are under way with it. */
  started(inFlight: number): void {
    if (inFlight > this.#mostInFlight) this.#mostInFlight = inFlight;
  }

  /**
   * Counts a 2xx. `waitedMs`: how much of the latency this thread has waited, not worked. `capped`: the cap, and nothing
   * else, holds back more attempts. `inFlight`: first attempts that were under way, with this one.
   */
  succeeded(latencyMs: number, waitedMs: number, capped: boolean, inFlight: number): void {
    this.#responses++;
    this.#bestMs = Math.min(this.#bestMs * BEST_DECAY, latencyMs);
    this.#locate(latencyMs, waitedMs);
    if ((this.far ? waitedMs : latencyMs) > this.#bestMs * FAST_RATIO + JITTER_MS) {
      this.#rising = false;
      this.#cap = Math.max(Math.min(IN_FLIGHT_START, this.#cap), this.#cap - 1 / this.#cap);
    } else if (capped || (this.far && inFlight >= FAR_USED_SHARE * this.#cap)) {
      this.#cap = Math.min(IN_FLIGHT_MAX, this.#cap + this.#growth());
    }
  }

  #locate(latencyMs: number, waitedMs: number): void {
    if (latencyMs < FAR_MS) this.#farEvidence = 0;
    else if (waitedMs >= FAR_MS) this.#farEvidence = Math.min(FAR_EVIDENCE_MAX, this.#farEvidence + 1);
    else this.#farEvidence = Math.max(0, this.#farEvidence - 1);
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
