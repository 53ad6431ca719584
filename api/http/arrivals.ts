// Lets requests in, a few in each turn of the event loop; those that wait come in address by address. So thousands of
// requests that one address sends at one moment delay those of the others by a turn, not by all of their own number.
//
// What a request leaves behind while it waits is copied by the garbage collector, in the middle of such a burst: so it is
// the request itself, without a promise or a timer.
//
// Each request that waits holds its connection, so CONNECTIONS_MAX bounds them.

import { REQUESTS_LET_IN_MAX } from '#engine/base/limits.ts';

export class Arrivals<Request> {
  readonly #comeIn: (request: Request) => void;
  /** Those that wait, by address. The first address is the next in turn. */
  readonly #waiting = new Map<string, Queue<Request>>();
  /** Let in since the last turn of the event loop. */
  #letIn = 0;
  #nextTurn = false;

  /** `comeIn` begins to serve a request. */
  constructor(comeIn: (request: Request) => void) {
    this.#comeIn = comeIn;
  }

  /** Lets a request in: at once, or when it is its turn. */
  arrive(address: string, request: Request): void {
    if (!this.#nextTurn) {
      this.#nextTurn = true;
      setImmediate(this.#turn);
    }
    if (this.#letIn < REQUESTS_LET_IN_MAX && this.#waiting.size === 0) {
      this.#letIn++;
      this.#comeIn(request);
      return;
    }
    const own = this.#waiting.get(address);
    if (own === undefined) this.#waiting.set(address, { requests: [request], taken: 0 });
    else own.requests.push(request);
  }

  readonly #turn = (): void => {
    this.#letIn = 0;
    for (const [address, own] of this.#waiting) {
      // Goes behind the other addresses.
      this.#waiting.delete(address);
      const request = own.requests[own.taken]!;
      own.requests[own.taken++] = null;
      if (own.taken < own.requests.length) this.#waiting.set(address, own);
      this.#letIn++;
      this.#comeIn(request);
      if (this.#letIn === REQUESTS_LET_IN_MAX) break;
    }
    this.#nextTurn = this.#letIn > 0;
    if (this.#nextTurn) setImmediate(this.#turn);
  };
}

/** The requests of an address, the oldest first, and how many of them have come in. */
interface Queue<Request> {
  readonly requests: (Request | null)[];
  taken: number;
}
