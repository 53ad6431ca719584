// A connection to live timing, whatever its protocol: what it tells whoever follows it.
//
// A source connects, connects again whenever the connection is lost, and begins each connection with the whole state. It
// neither merges nor interprets: sessions, recordings and updates are the follower's.

/** A message as it came: not yet a frame, because the time may be missing. */
export interface LiveMessage {
  readonly topic: string;
  /** JSON text: an object, or for a `.z` topic a string. */
  readonly json: string;
  /** Unix epoch milliseconds at which the upstream said it; null where it does not say. */
  readonly utcMs: number | null;
}

/** Hears a source, in the order in which things happened. Called from the event loop; must not throw. */
export interface LiveListener {
  /**
   * The whole state of each subscribed topic: at the first connection, after a gap, and when `refresh` asked for it.
   * Every object carries `_kf: true` at its top. `receivedMs` is the monotonic time at which its last byte was there.
   */
  snapshot(topics: readonly LiveMessage[], receivedMs: number): void;
  /** A change, always after a snapshot of the same connection. */
  message(message: LiveMessage, receivedMs: number): void;
  /** The connection is gone; a snapshot follows once it is back. Called once for each loss. */
  lost(reason: string): void;
}

export interface LiveSource {
  /** Connects and stays connected until it is closed. To be called once. */
  start(listener: LiveListener): void;
  /** Asks for the whole state again, without a gap: another session may have begun. */
  refresh(): void;
  /** Ends the connection; nothing is told afterwards. */
  close(): Promise<void>;
}
