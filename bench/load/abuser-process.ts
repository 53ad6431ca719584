// Starts the process that floods a server (abuser.ts), and controls it.

import { HelperProcess } from '../suite/helper-process.ts';

export interface AbuseOrder {
  readonly port: number;
  /** Loopback addresses that connections come from, in turn. */
  readonly addresses: readonly string[];
  readonly connections: number;
  /** Whole requests, or heads with the beginning of a body. Connections take them in turn. */
  readonly requests: readonly string[];
  /** The requests are beginnings: a further byte of each follows every second. */
  readonly slow: boolean;
  /** From the end of a response, or of the connection, to the next request of that connection. */
  readonly pauseMs: number;
  /**
   * When the earliest moment of each request is, in ms since the beginning, and how many there are; null for as many as
   * there are responses to. So a server that responds at once gets no more than one that takes its time.
   */
  readonly scheduleMs: Float64Array | null;
}

/** What a flood sent and got. */
export interface Flooded {
  readonly answers: Answers;
  /** When each request was sent, in ms since the beginning. */
  readonly sentMs: Float64Array;
}

/** Responses by status; `closed` counts connections that the server closed without one. */
export type Answers = Readonly<Record<string, number>>;

export type ToAbuser =
  | ({ readonly kind: 'connect' } & AbuseOrder)
  | { readonly kind: 'begin' }
  | { readonly kind: 'stop' };

export type FromAbuser =
  | { readonly kind: 'connected' }
  | { readonly kind: 'begun' }
  | ({ readonly kind: 'stopped' } & Flooded);

export class Abuser {
  readonly #process = new HelperProcess<ToAbuser, FromAbuser>(new URL('./abuser.ts', import.meta.url));

  /** Opens the connections, without a request yet. */
  async connect(order: AbuseOrder): Promise<void> {
    await this.#process.ask({ kind: 'connect', ...order }, 'connected');
  }

  /** Sends the first request of every connection at once. */
  async begin(): Promise<void> {
    await this.#process.ask({ kind: 'begin' }, 'begun');
  }

  stop(): Promise<Flooded> {
    return this.#process.ask({ kind: 'stop' }, 'stopped');
  }

  end(): Promise<void> {
    return this.#process.end();
  }
}
