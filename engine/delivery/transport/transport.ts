// What an actor needs from the network: connections to one endpoint, and exchanges over them. The real transport is
// `http-transport.ts`; the simulated one lives in test/.

import type { AttemptResult } from '#engine/delivery/attempt-result.ts';

/** Where and how attempts are sent. */
export interface Destination {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  readonly method: 'POST' | 'PUT';
}

/** Gets the result of an exchange: exactly one call, unless it was abandoned. Never called inside `send`. */
export interface ExchangeListener {
  ended(result: AttemptResult): void;
}

/** One HTTP request under way. */
export interface Exchange {
  /** When the request was written, on the monotonic clock; null while it waits for a connection. */
  readonly sentAtMs: number | null;
  /** For how long this thread has waited since then, and not worked. */
  readonly waitedMs: number;
  /** Gives up on the response: the listener is not called any more (I3), and the connection is closed. */
  abandon(): void;
}

/** The connections to one endpoint, used by one actor only. */
export interface Connections {
  /** How long a far endpoint takes to respond; 0 for a near one. It says whether a further connection is worth opening. */
  distanceMs: number;
  /** How many requests may usefully be under way. Others would only wait longer. */
  readonly usefulInFlight: number;
  /** `headers`: header lines, each `name: value` and CR LF. The transport adds `host` and `content-length`. */
  send(destination: Destination, headers: string, body: Uint8Array, listener: ExchangeListener): Exchange;
  /** Opens the connections that so many requests at once need, in time, so that the first ones do not wait for them. */
  warm(requests: number): void;
  /** Lets exchanges under way finish. Idle connections are kept for a while, for the owner's next `connect`. */
  close(): void;
}

export interface Transport {
  /** Whether there is room for connections ahead of need. */
  readonly connectsAhead: boolean;
  /** Requests whose connection is being checked before they are written (HC4). */
  readonly checking: number;
  /**
   * `owner` names the endpoint: connections are never shared with another one. `origin`: scheme, host and port. Accounts
   * take turns to connect; without `account`, the endpoint counts as one of its own.
   */
  connect(owner: string, origin: string, allowLoopback: boolean, account?: string): Connections;
}
