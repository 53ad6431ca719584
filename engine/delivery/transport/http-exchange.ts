// One request and its answer. Its identity is what tells a late answer from a wanted one (I3), so it is never pooled.

import type { AttemptResult } from '#engine/delivery/attempt-result.ts';
import type { Exchange, ExchangeListener } from './transport.ts';

/** The connection that an exchange is under way over. */
interface OccupiedConnection {
  /** Ends it at once, whatever is under way. */
  destroy(): void;
}

/** Where exchanges wait for a connection. */
export interface WaitingExchanges {
  /** This one waits no more. */
  leave(exchange: HttpExchange): void;
}

export class HttpExchange implements Exchange {
  /** The request's line and header lines, with the empty one after them. */
  readonly head: string;
  readonly body: Uint8Array;
  /** Over which it is under way; null while it waits for one. */
  connection: OccupiedConnection | null = null;
  /** Whether it went out once already, over a connection that the other side had closed. */
  sentAgain = false;
  readonly #waiting: WaitingExchanges;
  #listener: ExchangeListener | null;

  constructor(head: string, body: Uint8Array, waiting: WaitingExchanges, listener: ExchangeListener) {
    this.head = head;
    this.body = body;
    this.#waiting = waiting;
    this.#listener = listener;
  }

  abandon(): void {
    if (this.#listener === null) return;
    this.#listener = null;
    // Whatever still comes over that connection is for nobody.
    if (this.connection === null) this.#waiting.leave(this);
    else this.connection.destroy();
  }

  /** Tells how it ended, unless nobody wants to know any more. */
  settle(result: AttemptResult): void {
    const listener = this.#listener;
    this.#listener = null;
    listener?.ended(result);
  }
}
