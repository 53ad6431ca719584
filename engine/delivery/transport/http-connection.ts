// One kept-alive connection to an endpoint. It sends a request only when the response to the one before is complete. It
// does not pipeline: a slow response would hold back those behind it.

import {
  HANDSHAKE_DEADLINE_MS,
  KEEP_ALIVE_MS,
  KEEP_ALIVE_UNSTATED_MS,
  RESPONSE_READ_BYTES_MAX,
} from '#engine/base/limits.ts';
import type { AttemptFailure } from '#engine/delivery/attempt-result.ts';
import { CLOSED_AT_ONCE, failureOf } from './attempt-failure.ts';
import type { HttpExchange } from './http-exchange.ts';
import { HttpResponse } from './http-response.ts';
import type { ConnectionSocket, ReadInto } from './sockets.ts';

/** The pool that owns the connection. */
export interface ConnectionOwner {
  /** The response is complete but the request is not fully sent. `free` or `gone` follows. */
  unsent(connection: HttpConnection): void;
  /** The connection can take a request: it was established, or a response is complete. */
  free(connection: HttpConnection): void;
  /** The event loop has polled since the connection was to be checked (HC4). */
  polled(connection: HttpConnection): void;
  /** The connection has been idle for too long. `closeIfIdle` closes it. */
  idle(connection: HttpConnection): void;
  /** The connection takes no more requests. `failure`: why it could not be established; null if it was. */
  gone(connection: HttpConnection, failure: AttemptFailure | null): void;
}

/** We close an idle connection this long before the server would, so that no request meets that moment. */
const KEEP_ALIVE_MARGIN_MS = 1_000;

/** All connections of a thread share one buffer: each read is consumed before the next one. */
const READ_BUFFER = Buffer.allocUnsafeSlow(RESPONSE_READ_BYTES_MAX);

export class HttpConnection {
  /** Since when it has had no request, on the monotonic clock. Its owner sets it. */
  idleSinceMs = 0;
  /** Complete responses that it has delivered. */
  responses = 0;
  /** Whether it is being checked (HC4). Its owner sets it. */
  isChecked = false;
  /** For the clock: one for all checks of the connection. */
  readonly polled = (): void => this.#owner.polled(this);
  readonly #owner: ConnectionOwner;
  readonly #socket: ConnectionSocket;
  readonly #response = new HttpResponse();
  #exchange: HttpExchange | null = null;
  #state: 'connecting' | 'open' | 'gone' = 'connecting';
  #idleMs = KEEP_ALIVE_UNSTATED_MS;
  /** Whether it was idle for too long and has had no request since. */
  #isStale = false;
  readonly #secure: boolean;
  /** Writes over TLS that the socket has not confirmed. It always confirms in a later phase of the event loop. */
  #writing = 0;
  /** Whether the response to the request being written is complete. */
  #answered = false;
  readonly #written = (): void => {
    this.#writing--;
    if (this.#writing > 0 || !this.#answered || this.#state !== 'open') return;
    this.#answered = false;
    this.#owner.free(this);
  };

  /** `connect` opens the socket with this `onread`, over TLS if `secure`. */
  constructor(owner: ConnectionOwner, secure: boolean, connect: (onread: ReadInto) => ConnectionSocket) {
    this.#owner = owner;
    this.#secure = secure;
    this.#socket = connect({ buffer: READ_BUFFER, callback: (bytes) => this.#read(bytes) });
    this.#socket.setTimeout(HANDSHAKE_DEADLINE_MS);
    this.#socket.on('timeout', () => this.#idle());
    this.#socket.on(secure ? 'secureConnect' : 'connect', () => this.#connected());
    this.#socket.on('end', () => this.#ended(null));
    this.#socket.on('error', (error) => this.#ended(error));
    this.#socket.on('close', () => this.#ended(null));
  }

  /**
   * Sends a request; none may be under way. Returns false while the socket still needs its bytes: do not change them.
   */
  send(exchange: HttpExchange, request: Uint8Array): boolean {
    this.#exchange = exchange;
    this.#isStale = false;
    exchange.connection = this;
    if (this.#secure) {
      // No earlier write is pending, so TLS encrypts the bytes at once, into memory of its own.
      this.#writing++;
      this.#socket.write(request, this.#written);
      return true;
    }
    this.#socket.write(request);
    return this.#socket.writableLength === 0;
  }

  /** Whether the process must stay alive for it. */
  keepAwake(needed: boolean): void {
    if (needed) this.#socket.ref();
    else this.#socket.unref();
  }

  /** Closes it, unless it has had a request since it was idle for too long. If it may be about to take one, it asks again. */
  closeIfIdle(): void {
    if (!this.#isStale) return;
    if (this.isChecked) this.#owner.idle(this);
    else this.destroy();
  }

  /** Closes it at once. A request under way gets no result. */
  destroy(): void {
    if (this.#state === 'gone') return;
    this.#state = 'gone';
    this.#exchange = null;
    this.#socket.destroy();
    this.#owner.gone(this, null);
  }

  #connected(): void {
    if (this.#state !== 'connecting') return;
    this.#state = 'open';
    this.#socket.setTimeout(KEEP_ALIVE_UNSTATED_MS);
    this.#owner.free(this);
  }

  /** The socket was idle. Attempts have their own deadlines, so this concerns only a connection without a request. */
  #idle(): void {
    if (this.#state === 'connecting') this.destroy();
    else if (this.#exchange === null) {
      this.#isStale = true;
      this.#owner.idle(this);
    }
  }

  #read(bytes: number): boolean {
    const exchange = this.#exchange;
    // A response without a request.
    if (exchange === null) {
      this.destroy();
      return false;
    }
    const response = this.#response;
    switch (response.read(READ_BUFFER, bytes)) {
      case 'more':
        return true;
      case 'complete':
        this.#settle(exchange, response.reusable && (this.#secure || this.#socket.writableLength === 0));
        return true;
      case 'enough':
        this.#settle(exchange, false);
        return false;
      case 'broken':
        this.destroy();
        exchange.settle(response.failure);
        return false;
    }
  }

  /** The response is complete, or we have read enough of it. */
  #settle(exchange: HttpExchange, reusable: boolean): void {
    const { statusCode, text } = this.#response;
    this.#exchange = null;
    if (reusable && this.#applyKeepAlive()) {
      this.#response.reset();
      this.responses++;
      this.#answered = this.#writing > 0;
      if (this.#answered) this.#owner.unsent(this);
      else this.#owner.free(this);
    } else {
      this.destroy();
    }
    exchange.settle({ kind: 'answered', statusCode, body: text });
  }

  /** Applies the server's keep-alive timeout. Returns false if it is too short to be useful. */
  #applyKeepAlive(): boolean {
    const { keepAliveMs } = this.#response;
    const idleMs =
      keepAliveMs === null ? KEEP_ALIVE_UNSTATED_MS : Math.min(KEEP_ALIVE_MS, keepAliveMs - KEEP_ALIVE_MARGIN_MS);
    if (idleMs <= 0) return false;
    if (idleMs !== this.#idleMs) {
      this.#idleMs = idleMs;
      this.#socket.setTimeout(idleMs);
    }
    return true;
  }

  /**
   * The server closed the connection, or it failed. A request that was written has failed with it: the server may have
   * read it and acted on it, even if no byte of a response came.
   */
  #ended(error: Error | null): void {
    if (this.#state === 'gone') return;
    const failure = error === null ? null : failureOf(error);
    const unmade = this.#state === 'connecting';
    const exchange = this.#exchange;
    this.#state = 'gone';
    this.#exchange = null;
    this.#socket.destroy();
    this.#owner.gone(this, unmade ? (failure ?? CLOSED_AT_ONCE) : null);
    if (exchange === null) return;
    const response = this.#response;
    if (failure !== null) exchange.settle(failure);
    else if (response.ended() === 'broken') exchange.settle(response.failure);
    else exchange.settle({ kind: 'answered', statusCode: response.statusCode, body: response.text });
  }
}
