// One request and its response, as the dispatcher sees them: from a client (uws-exchange.ts), or from another node of the
// cluster, which passes on what belongs to an account that is at home here (api/nodes/peer-exchange.ts).

import type { ApiError } from './api-error.ts';
import type { EventChannel } from './event-channel.ts';

/** Names and values in turn. Headers that most responses share are built once and reused. */
export type HeaderList = readonly string[];

/** A header by its lower-case name; empty if it is not there. */
export function headerOf(headers: HeaderList, name: string): string {
  for (let i = 0; i < headers.length; i += 2) if (headers[i] === name) return headers[i + 1]!;
  return '';
}

/** All lines of a header, joined, since proxies may add a line of their own. */
export function headerLinesOf(headers: HeaderList, name: string): string {
  return headers.filter((_, i) => i % 2 === 1 && headers[i - 1] === name).join(',');
}

export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Whether another node passes it on. Then it is answered here or not at all, and `remoteAddress` is the client's. */
  readonly isPassedOn: boolean;
  /** As sent. */
  readonly headers: HeaderList;
  /** As `headerOf`. */
  header(name: string): string;
  /** As `headerLinesOf`. */
  headerLines(name: string): string;
  /** Forgets all headers but these and those that the answer itself depends on: of a request that waits, every string is one more to copy for the garbage collector. */
  keepHeaders(names: ReadonlySet<string>): void;
  /**
   * Whether the headers give the length of the body in more than one way, or in one that the library misreads. A proxy
   * in front of us may then see another end of the body, and a client could smuggle a request past it.
   */
  readonly hasAmbiguousBody: boolean;
  /** Closes the connection without a response. After a response, the library would read on. */
  hangUp(): void;
  /** The peer's address as text. Call before the request callback returns. */
  remoteAddress(): string;
  /** Whether the client still waits for the response. */
  readonly isWaiting: boolean;
  /**
   * Receives the body. Call before the request callback returns, or bytes are missed. Calls `over` once: with the complete
   * body, or with why there is none.
   */
  receiveBody(over: (body: Uint8Array | ApiError) => void): void;
  /** Stops waiting for the rest of the body. */
  giveUpBody(): void;
  /** Sends a response, unless the client has disconnected. HEAD requests get the headers only. */
  respond(status: number, headers: HeaderList, body: string | Uint8Array): void;
  /**
   * Opens an event stream. If the client has disconnected, the channel reports it. Calls `over` once, when the stream
   * ends.
   */
  respondWithEvents(headers: HeaderList, over: () => void): EventChannel;
}
