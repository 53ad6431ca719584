// One request and its response. Its identity tells a late response from an expected one (I3), so exchanges are never
// pooled.

import type { AttemptResult } from '#engine/delivery/attempt-result.ts';
import type { Exchange, ExchangeListener } from './transport.ts';

/** The connection that carries an exchange. */
interface OccupiedConnection {
  /** Closes it at once. A request under way gets no result. */
  destroy(): void;
}

/** The queue in which exchanges wait for a connection. */
export interface WaitingExchanges {
  /** For how long this thread has waited since it started. */
  readonly idleMs: number;
  /** Removes this exchange from the queue. */
  leave(exchange: HttpExchange): void;
}

export class HttpExchange implements Exchange {
  /** The request line and the header lines, with the empty line after them; empty once they are written. */
  head: string;
  readonly body: Uint8Array;
  /** The connection that carries it; null while it waits for one. */
  connection: OccupiedConnection | null = null;
  sentAtMs: number | null = null;
  /** The queue's `idleMs` at that moment. */
  idleBeforeMs = 0;
  /** When it began to wait for a connection, on the monotonic clock. */
  waitingSinceMs = Number.NEGATIVE_INFINITY;
  readonly #waiting: WaitingExchanges;
  #listener: ExchangeListener | null;

  constructor(head: string, body: Uint8Array, waiting: WaitingExchanges, listener: ExchangeListener) {
    this.head = head;
    this.body = body;
    this.#waiting = waiting;
    this.#listener = listener;
  }

  get waitedMs(): number {
    return this.#waiting.idleMs - this.idleBeforeMs;
  }

  abandon(): void {
    if (this.#listener === null) return;
    this.#listener = null;
    // No exchange would read what still arrives over that connection.
    if (this.connection === null) this.#waiting.leave(this);
    else this.connection.destroy();
  }

  /** Reports the result, unless the exchange was abandoned or has reported one. */
  settle(result: AttemptResult): void {
    const listener = this.#listener;
    this.#listener = null;
    listener?.ended(result);
  }
}
