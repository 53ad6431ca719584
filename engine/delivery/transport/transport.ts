// What an actor needs of the network: connections to one endpoint, and exchanges over them. The real one is
// `http-transport.ts`; the simulated one lives in test/.

import type { AttemptResult } from '#engine/delivery/attempt-result.ts';

/** Where attempts go. */
export interface Destination {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  readonly method: 'POST' | 'PUT';
}

/** Hears how an exchange ended: exactly one call, unless it was abandoned. Called from the event loop, never inside `send`. */
export interface ExchangeListener {
  ended(result: AttemptResult): void;
}

/** One HTTP request under way. */
export interface Exchange {
  /** The answer is no longer wanted: nothing is heard of it any more (I3), and its connection is freed. */
  abandon(): void;
}

/** The connections of one endpoint, shared with nobody else. */
export interface Connections {
  /** `headers`: header lines, each `name: value` and CR LF; what the transport itself needs it adds. */
  send(destination: Destination, headers: string, body: Uint8Array, listener: ExchangeListener): Exchange;
  /** Lets what is under way finish, then closes. */
  close(): void;
}

export interface Transport {
  connect(origin: string, allowLoopback: boolean): Connections;
}
