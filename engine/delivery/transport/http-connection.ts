// One kept-alive connection to an endpoint: requests go out one after the other, each when the answer to the one before is
// whole. No pipelining: an answer that takes long would hold back those behind it.

import type { Socket } from 'node:net';
import type { Clock } from '#engine/base/clock.ts';
import { ANSWER_READ_BYTES_MAX, KEEP_ALIVE_MS } from '#engine/base/limits.ts';
import type { AttemptFailure } from '#engine/delivery/attempt-result.ts';
import { CLOSED_AT_ONCE, failureOf } from './attempt-failure.ts';
import type { HttpExchange } from './http-exchange.ts';
import { HttpResponse } from './http-response.ts';

/** The others of its endpoint. */
export interface ConnectionOwner {
  /** It can take a request: it was made, or an answer was whole. */
  free(connection: HttpConnection): void;
  /** The other side had closed it when this request went out, the first one since an answer. */
  stale(exchange: HttpExchange): void;
  /** It takes no more requests. `failure`: why it could not be made; null when it was. */
  gone(connection: HttpConnection, failure: AttemptFailure | null): void;
}

/** Hands what a socket reads to `read`, out of one buffer for all, as `net.connect` wants it. */
export interface ReadInto {
  readonly buffer: Buffer;
  readonly callback: (bytes: number, buffer: Uint8Array) => boolean;
}

/** A kept connection that is found closed so soon after a request went out had been closed before it came. */
export const STALE_CONNECTION_MS = 1_000;
/** How long before the other side gives up an unused connection it is closed here, so that no request meets that moment. */
const KEEP_ALIVE_MARGIN_MS = 1_000;

/** What is read is used up before anything else is read, so all connections of a thread share one buffer. */
const READ_BUFFER = Buffer.allocUnsafeSlow(ANSWER_READ_BYTES_MAX);

export class HttpConnection {
  readonly #owner: ConnectionOwner;
  readonly #clock: Clock;
  readonly #socket: Socket;
  readonly #answer = new HttpResponse();
  #exchange: HttpExchange | null = null;
  #state: 'connecting' | 'open' | 'gone' = 'connecting';
  #idleMs = KEEP_ALIVE_MS;
  /** Whether it has brought an answer before. */
  #kept = false;
  #sentAtMs = 0;

  /** `connect` begins a connection that says `connected` when it is ready for a request, and reads as it is told. */
  constructor(
    owner: ConnectionOwner,
    clock: Clock,
    connected: 'connect' | 'secureConnect',
    connect: (onread: ReadInto) => Socket,
  ) {
    this.#owner = owner;
    this.#clock = clock;
    this.#socket = connect({ buffer: READ_BUFFER, callback: (bytes) => this.#read(bytes) });
    this.#socket.setTimeout(KEEP_ALIVE_MS);
    this.#socket.on('timeout', () => this.#unused());
    this.#socket.on(connected, () => this.#connected());
    this.#socket.on('end', () => this.#over(null));
    this.#socket.on('error', (error) => this.#over(error));
    this.#socket.on('close', () => this.#over(null));
  }

  /** Sends a request; there must be none under way. False: its bytes are not all sent yet and must not be changed. */
  send(exchange: HttpExchange, request: Uint8Array): boolean {
    this.#exchange = exchange;
    exchange.connection = this;
    this.#sentAtMs = this.#clock.nowMs();
    this.#socket.write(request);
    return this.#socket.writableLength === 0;
  }

  /** Ends it at once, whatever is under way. */
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
    this.#owner.free(this);
  }

  /** Nothing came and went for a while. Attempts have deadlines of their own; a connection without one, made or not, has not. */
  #unused(): void {
    if (this.#exchange === null) this.destroy();
  }

  #read(bytes: number): boolean {
    const exchange = this.#exchange;
    // Bytes that nobody asked for.
    if (exchange === null) {
      this.destroy();
      return false;
    }
    const answer = this.#answer;
    switch (answer.read(READ_BUFFER, bytes)) {
      case 'more':
        return true;
      case 'complete':
        this.#settle(exchange, answer.reusable && this.#socket.writableLength === 0);
        return true;
      case 'enough':
        this.#settle(exchange, false);
        return false;
      case 'broken':
        this.destroy();
        exchange.settle(answer.failure);
        return false;
    }
  }

  /** The answer is whole, or enough of it has come. */
  #settle(exchange: HttpExchange, reusable: boolean): void {
    const { statusCode, text } = this.#answer;
    this.#exchange = null;
    if (reusable && this.#mayStay()) {
      this.#answer.next();
      this.#kept = true;
      this.#owner.free(this);
    } else {
      this.destroy();
    }
    exchange.settle({ kind: 'answered', statusCode, body: text });
  }

  /** Heeds how long the other side keeps connections; false when that is too short to be of use. */
  #mayStay(): boolean {
    const { keepAliveMs } = this.#answer;
    const idleMs = keepAliveMs === null ? KEEP_ALIVE_MS : Math.min(KEEP_ALIVE_MS, keepAliveMs - KEEP_ALIVE_MARGIN_MS);
    if (idleMs <= 0) return false;
    if (idleMs !== this.#idleMs) {
      this.#idleMs = idleMs;
      this.#socket.setTimeout(idleMs);
    }
    return true;
  }

  /**
   * Servers close connections that were unused for a while, and a request can meet that moment. One that ends later has read
   * the request, and may have done what it asks for.
   */
  #isStale(): boolean {
    return this.#kept && this.#answer.untouched && this.#clock.nowMs() - this.#sentAtMs < STALE_CONNECTION_MS;
  }

  /** The other side ended it, or it failed. */
  #over(error: Error | null): void {
    if (this.#state === 'gone') return;
    const failure = error === null ? null : failureOf(error);
    const unmade = this.#state === 'connecting';
    const exchange = this.#exchange;
    this.#state = 'gone';
    this.#exchange = null;
    this.#socket.destroy();
    const stale = exchange !== null && !exchange.sentAgain && this.#isStale();
    if (stale) this.#owner.stale(exchange);
    this.#owner.gone(this, unmade ? (failure ?? CLOSED_AT_ONCE) : null);
    if (exchange === null || stale) return;
    const answer = this.#answer;
    if (failure !== null) exchange.settle(failure);
    else if (answer.ended() === 'broken') exchange.settle(answer.failure);
    else exchange.settle({ kind: 'answered', statusCode: answer.statusCode, body: answer.text });
  }
}
