// A server-sent event stream as its writer sees it; whoever writes does not know the HTTP library below.

export interface EventChannel {
  /** Sends the bytes. False: the client reads slower than this, so write no more before `onDrain`. */
  write(chunk: Uint8Array): boolean;
  /** Called whenever everything unsent has left. */
  onDrain(callback: () => void): void;
  /** Called once when the client is gone, also when it already was; never after `end`. */
  onClose(callback: () => void): void;
  /** Ends the stream in an orderly way. */
  end(): void;
  /** Cuts the connection; `onClose` follows. */
  close(): void;
}
