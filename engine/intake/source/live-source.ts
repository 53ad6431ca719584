// A source of live timing messages, independent of its protocol.
//
// A source connects, reconnects whenever the connection is lost, and begins each connection with a snapshot. It neither
// merges nor interprets messages: sessions, recordings and updates are the business of its listener.

/** A message as it arrived. It is not a frame yet, because its time may be missing. */
export interface LiveMessage {
  readonly topic: string;
  /** JSON text: an object, or a string for a `.z` topic. */
  readonly json: string;
  /** Unix epoch milliseconds at which the upstream sent the message; null if it gives no time. */
  readonly utcMs: number | null;
}

/** Receives what a source sends, in order. Its methods run in the event loop and must not throw. */
export interface LiveListener {
  /**
   * The snapshot of all subscribed topics: at the first connection, after a gap, and after `refresh`. Every object has
   * `_kf: true` at its top level. `receivedMs` is the monotonic time at which its last byte arrived.
   */
  snapshot(topics: readonly LiveMessage[], receivedMs: number): void;
  /** A delta. Always follows a snapshot of the same connection. */
  message(message: LiveMessage, receivedMs: number): void;
  /** The connection is lost. A snapshot follows once it is back. Called once per loss. */
  lost(reason: string): void;
}

export interface LiveSource {
  /** Connects, and reconnects until `close`. May be called once. */
  start(listener: LiveListener): void;
  /** Requests a new snapshot on the same connection, without a gap. */
  refresh(): void;
  /** Ends the connection. The listener is not called any more. */
  close(): Promise<void>;
}
