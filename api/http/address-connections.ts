// Bounds the connections of each address, so that one of them can neither take all there are nor send thousands of requests
// at one moment. Event streams do not count: they are bounded by account.
//
// The HTTP library does not say whose connection has closed, if it was between two requests. But it closes one that brings
// no request for CONNECTION_QUIET_S_MAX. So an address has at most those that are busy, which are known, and those that fell
// quiet since then: a connection that opened, or whose response was sent. A request wakes one of these. Which one is not
// known, so the oldest is taken off: those that are left are then counted too long, never too short.
//
// So the count is never too low. It is too high by what closed between two requests: a client with a connection for each
// request, of which it says nothing, has one open and many counted. But how many are open in all is known, and an address has
// no more of them. So none is refused while that many are not open.

import { assert } from '#engine/base/assert.ts';
import type { Clock } from '#engine/base/clock.ts';
import { ADDRESSES_COUNTED_MAX, CONNECTION_QUIET_S_MAX } from '#engine/base/limits.ts';
import { growingCache } from './growing-cache.ts';

export class AddressConnections {
  readonly #max: number;
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #counts = growingCache<ConnectionCount>(ADDRESSES_COUNTED_MAX);

  constructor(max: number, clock: Pick<Clock, 'nowMs'>) {
    this.#max = max;
    this.#clock = clock;
  }

  /** Counts a connection that opens, beside `others` in all; null if the address has as many as it may have. */
  open(address: string, others: number): ConnectionCount | null {
    const count = this.of(address);
    if (Math.min(count.connections, others) >= this.#max) return null;
    count.quiet();
    return count;
  }

  of(address: string): ConnectionCount {
    let count = this.#counts.get(address);
    if (count === undefined) {
      count = new ConnectionCount(this.#clock);
      this.#counts.set(address, count);
    }
    return count;
  }
}

/** The connections of one address. */
export class ConnectionCount {
  readonly #clock: Pick<Clock, 'nowMs'>;
  #busy = 0;
  /** How many fell quiet in each of the last seconds: in the second `s` modulo their number. */
  readonly #quietBySecond = new Array<number>(CONNECTION_QUIET_S_MAX).fill(0);
  /** Their sum. */
  #quiet = 0;
  #second = 0;

  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock;
    this.#second = this.#now();
  }

  get connections(): number {
    this.#forget();
    return this.#busy + this.#quiet;
  }

  /** A connection has opened, or ended a stream. */
  quiet(): void {
    this.#forget();
    this.#quietBySecond[this.#second % CONNECTION_QUIET_S_MAX]!++;
    this.#quiet++;
  }

  /** One that was quiet sends a request. */
  busy(): void {
    this.wokeOrClosed();
    this.#busy++;
  }

  /** One that was busy has its response, and stays open. */
  rest(): void {
    this.left();
    this.quiet();
  }

  /** One that was busy has closed, or has become a stream. */
  left(): void {
    assert(this.#busy > 0, 'a connection ends being busy once');
    this.#busy--;
  }

  /** One that was quiet is so no more. */
  wokeOrClosed(): void {
    this.#forget();
    if (this.#quiet === 0) return;
    let oldest = this.#second - CONNECTION_QUIET_S_MAX + 1;
    while (this.#quietBySecond[place(oldest)] === 0) oldest++;
    this.#quietBySecond[place(oldest)]!--;
    this.#quiet--;
  }

  /** Drops those that the library has closed. */
  #forget(): void {
    const now = this.#now();
    for (; this.#second < now && this.#quiet > 0; this.#second++) {
      const next = place(this.#second + 1);
      this.#quiet -= this.#quietBySecond[next]!;
      this.#quietBySecond[next] = 0;
    }
    this.#second = now;
  }

  #now(): number {
    return Math.floor(this.#clock.nowMs() / 1_000);
  }
}

function place(second: number): number {
  return (second + CONNECTION_QUIET_S_MAX) % CONNECTION_QUIET_S_MAX;
}
