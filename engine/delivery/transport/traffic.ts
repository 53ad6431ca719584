// Counts of a transport: its connections, and the requests that needed no new one.

export interface Traffic {
  /** Connections that are open or being opened now. */
  connections: number;
  /** Connections that were ever opened, or tried. */
  opened: number;
  /** TLS connections that resumed an earlier session. */
  resumed: number;
  /** Requests over a connection that was open already. */
  reused: number;
  /** Requests that went over another connection, because their idle one proved closed before they were written. */
  moved: number;
}
