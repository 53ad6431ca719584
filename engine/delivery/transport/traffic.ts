// What a transport counts: its connections, and the requests that needed none of their own.

export interface Traffic {
  /** Connections that are there now, or being made. */
  connections: number;
  /** Connections that were begun. */
  opened: number;
  /** Requests that went out over a connection that was there already. */
  reused: number;
  /** Requests that went out once more, because their kept connection had been closed. */
  sentAgain: number;
}
