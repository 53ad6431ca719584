// The real network, through undici: kept-alive HTTP/1.1 connections of one endpoint's own, no redirects, no decompression,
// a bounded answer. Deadlines are the actor's; undici's own timers are off but for the one on connecting.

import { buildConnector, type Dispatcher, Pool } from 'undici';
import {
  ANSWER_HEADER_BYTES_MAX,
  ANSWER_KEPT_BYTES_MAX,
  ANSWER_READ_BYTES_MAX,
  DEADLINE_MS,
  IN_FLIGHT_MAX,
  KEEP_ALIVE_MS,
  RETRIES_IN_FLIGHT_MAX,
} from '#engine/limits.ts';
import { checkHost, type EgressPolicy, guardedLookup } from './egress-guard.ts';
import type { Answered, Connections, Destination, Exchange, Transport } from './transport.ts';

export class UndiciTransport implements Transport {
  readonly #isOwnPort: (port: number) => boolean;

  /** `isOwnPort`: whether this service listens on a port of this machine; no delivery may reach it. */
  constructor(isOwnPort: (port: number) => boolean) {
    this.#isOwnPort = isOwnPort;
  }

  connect(origin: string, allowLoopback: boolean): Connections {
    return new UndiciConnections(origin, { allowLoopback, isOwnPort: this.#isOwnPort });
  }
}

class UndiciConnections implements Connections {
  readonly #pool: Pool;

  constructor(origin: string, policy: EgressPolicy) {
    const connector = buildConnector({
      timeout: DEADLINE_MS,
      allowH2: false,
      autoSelectFamily: true,
      // The types of undici and node:net disagree on overloads only.
      lookup: guardedLookup(policy) as never,
    });
    this.#pool = new Pool(origin, {
      connect: (options, callback) => {
        try {
          const port = options.port === '' ? (options.protocol === 'https:' ? 443 : 80) : Number(options.port);
          checkHost(options.hostname, port, policy);
        } catch (refusal) {
          callback(refusal as Error, null);
          return;
        }
        connector(options, callback);
      },
      connections: IN_FLIGHT_MAX + RETRIES_IN_FLIGHT_MAX,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: ANSWER_HEADER_BYTES_MAX,
      allowH2: false,
    });
  }

  send(destination: Destination, headers: string[], body: Uint8Array, answered: Answered): Exchange {
    const exchange = new UndiciExchange(answered);
    this.#pool.dispatch({ path: destination.path, method: destination.method, headers, body }, exchange);
    exchange.sent();
    return exchange;
  }

  close(): void {
    this.#pool.close().catch(() => {});
  }
}

/** One request's handler. Its identity is what tells a late answer from a wanted one, so it is never pooled. */
class UndiciExchange implements Exchange, Dispatcher.DispatchHandler {
  #answered: Answered | null;
  #controller: Dispatcher.DispatchController | null = null;
  #statusCode = 0;
  #kept: Buffer | null = null;
  #readBytes = 0;
  #sending = true;

  constructor(answered: Answered) {
    this.#answered = answered;
  }

  /** `send` is over: from here on the outcome may be told at once. */
  sent(): void {
    this.#sending = false;
  }

  abandon(): void {
    this.#answered = null;
    this.#controller?.abort(new Error('abandoned'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#answered === null) controller.abort(new Error('abandoned'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, statusCode: number): void {
    this.#statusCode = statusCode;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#readBytes += chunk.length;
    const keptBytes = this.#kept?.length ?? 0;
    if (keptBytes < ANSWER_KEPT_BYTES_MAX) {
      const piece = chunk.subarray(0, ANSWER_KEPT_BYTES_MAX - keptBytes);
      this.#kept = this.#kept === null ? Buffer.from(piece) : Buffer.concat([this.#kept, piece]);
    }
    if (this.#readBytes <= ANSWER_READ_BYTES_MAX) return;
    this.#settle(this.#statusCode, null);
    controller.abort(new Error('the answer is too long'));
  }

  onResponseEnd(): void {
    this.#settle(this.#statusCode, null);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#settle(null, failureName(error));
  }

  #settle(statusCode: number | null, error: string | null): void {
    if (this.#sending) {
      // undici refuses a request that it finds malformed before `dispatch` returns; the actor hears of it afterwards.
      queueMicrotask(() => this.#settle(statusCode, error));
      return;
    }
    const answered = this.#answered;
    this.#answered = null;
    if (answered === null) return;
    answered.answered(statusCode, error, statusCode === null ? null : (this.#kept?.toString('utf8') ?? ''));
  }
}

/** The error's code where it has one (`ECONNREFUSED`), else its message. */
function failureName(error: Error): string {
  const { code, cause } = error as Error & { code?: unknown };
  if (typeof code === 'string') return code === 'ADDRESS_REFUSED' ? error.message : code;
  if (cause instanceof Error) return failureName(cause);
  return error.message;
}
