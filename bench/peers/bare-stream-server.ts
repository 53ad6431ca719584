// A server that sends the same bytes to all its clients, and nothing else: no accounts, no filters, no place that a client has.

export interface BareStreamServer {
  /** On the loopback address. */
  readonly port: number;
  /** Sends to every client, in one write each. */
  readonly send: (bytes: Uint8Array) => void;
}
