// Lets requests in, a few in each turn of the event loop; those that wait come in address by address. So thousands of
// requests that one address sends at one moment delay those of the others by a turn, not by all of their own number.
//
// Each request that waits holds its connection, so CONNECTIONS_MAX bounds them.

import { REQUESTS_LET_IN_MAX } from '#engine/base/limits.ts';

export class Arrivals {
  /** How to let in what waits, by address, the oldest first. The first address is the next in turn. */
  readonly #waiting = new Map<string, (() => void)[]>();
  /** Let in since the last turn of the event loop. */
  #letIn = 0;
  #nextTurn = false;

  /** Null: come in. Otherwise resolves when it is this request's turn. */
  enter(address: string): Promise<void> | null {
    if (!this.#nextTurn) {
      this.#nextTurn = true;
      setImmediate(this.#turn);
    }
    if (this.#letIn < REQUESTS_LET_IN_MAX && this.#waiting.size === 0) {
      this.#letIn++;
      return null;
    }
    return new Promise((resolve) => {
      const own = this.#waiting.get(address);
      if (own === undefined) this.#waiting.set(address, [resolve]);
      else own.push(resolve);
    });
  }

  readonly #turn = (): void => {
    this.#letIn = 0;
    for (const [address, own] of this.#waiting) {
      // Goes behind the other addresses.
      this.#waiting.delete(address);
      const comeIn = own.shift()!;
      if (own.length > 0) this.#waiting.set(address, own);
      this.#letIn++;
      comeIn();
      if (this.#letIn === REQUESTS_LET_IN_MAX) break;
    }
    this.#nextTurn = this.#letIn > 0;
    if (this.#nextTurn) setImmediate(this.#turn);
  };
}
