// One request and its answer. Its identity is what tells a late answer from a wanted one (I3), so it is never pooled.

import type { Answered, Exchange } from './transport.ts';

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
  #answered: Answered | null;

  constructor(head: string, body: Uint8Array, waiting: WaitingExchanges, answered: Answered) {
    this.head = head;
    this.body = body;
    this.#waiting = waiting;
    this.#answered = answered;
  }

  abandon(): void {
    if (this.#answered === null) return;
    this.#answered = null;
    // Whatever still comes over that connection is for nobody.
    if (this.connection === null) this.#waiting.leave(this);
    else this.connection.destroy();
  }

  /** Tells how it ended, unless nobody wants to know any more. */
  settle(statusCode: number | null, error: string | null, answer: string | null): void {
    const answered = this.#answered;
    this.#answered = null;
    answered?.answered(statusCode, error, answer);
  }
}
