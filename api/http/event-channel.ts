// A server-sent event stream as its writer sees it, without the HTTP library below.

export interface EventChannel {
  /** Sends the bytes. Returns false if the client reads too slowly: then write no more until `onDrain` calls back. */
  write(chunk: Uint8Array): boolean;
  /** Calls back whenever all buffered bytes have been sent. */
  onDrain(callback: () => void): void;
  /** Calls back once when the client disconnects, or has already. Never after `end`. */
  onClose(callback: () => void): void;
  /** Ends the stream properly. */
  end(): void;
  /** Cuts the connection; `onClose` calls back. */
  close(): void;
}
