// One request and its response over uWebSockets.js. The library frees a response when the client disconnects or the
// response is complete; touching it afterwards crashes the process. Only this class knows whether touching it is safe.

import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { STATUS_CODES } from 'node:http';
import { assert } from '#engine/base/assert.ts';
import { REQUEST_BODY_BYTES_MAX, REQUEST_DISCARD_BYTES_MAX } from '#engine/base/limits.ts';
import type { ConnectionCount } from './address-connections.ts';
import { ApiError } from './api-error.ts';
import type { EventChannel } from './event-channel.ts';
import { type Exchange, type HeaderList, headerLinesOf, headerOf } from './exchange.ts';

type State = 'waiting' | 'streaming' | 'responded' | 'aborted';

const NOTHING: Uint8Array = new Uint8Array();

export class UwsExchange implements Exchange {
  readonly isPassedOn = false;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly #response: HttpResponse;
  readonly #peer: string;
  /** Where its connection counts as busy; null if it does not, or no more. */
  #busyOf: ConnectionCount | null;
  /** Where it will count again when its stream has ended. */
  #streamOf: ConnectionCount | null = null;
  /** Names and values in turn, as sent. */
  #headers: string[] = [];
  #state: State = 'waiting';
  #closeListeners: (() => void)[] | null = null;
  #bodyOver: ((body: Uint8Array | ApiError) => void) | null = null;
  /** Part of the body has not arrived yet. */
  #bodyUnread = false;

  /** Copies the request, since the library frees it when the request callback returns. */
  constructor(response: HttpResponse, request: HttpRequest, peer: string, connections: ConnectionCount | null) {
    this.#response = response;
    this.#peer = peer;
    this.#busyOf = connections;
    connections?.busy();
    this.method = request.getCaseSensitiveMethod().toUpperCase();
    this.path = request.getUrl();
    // Undefined without a question mark, which its type does not say.
    this.query = request.getQuery() ?? '';
    request.forEach((name, value) => void this.#headers.push(name, value));
    response.onAborted(() => {
      this.#state = 'aborted';
      this.#leave();
      if (this.#bodyOver !== null) this.giveUpBody();
      const listeners = this.#closeListeners;
      this.#closeListeners = null;
      for (const listener of listeners ?? []) listener();
    });
  }

  get headers(): HeaderList {
    return this.#headers;
  }

  header(name: string): string {
    return headerOf(this.#headers, name);
  }

  headerLines(name: string): string {
    return headerLinesOf(this.#headers, name);
  }

  keepHeaders(names: ReadonlySet<string>): void {
    this.#headers = this.#headers.filter((_, i, all) => {
      const name = all[i - (i % 2)]!;
      return name === 'connection' || names.has(name);
    });
  }

  get hasAmbiguousBody(): boolean {
    let lines = 0;
    for (let i = 0; i < this.#headers.length; i += 2) {
      const name = this.#headers[i];
      if (name === 'transfer-encoding' && this.#headers[i + 1]!.toLowerCase() !== 'chunked') return true;
      if (name === 'transfer-encoding' || name === 'content-length') lines++;
    }
    return lines > 1;
  }

  hangUp(): void {
    this.#response.close();
  }

  remoteAddress(): string {
    return this.#peer;
  }

  get isWaiting(): boolean {
    return this.#state === 'waiting';
  }

  receiveBody(over: (body: Uint8Array | ApiError) => void): void {
    this.#bodyOver = over;
    const chunks: Buffer[] = [];
    let length = 0;
    this.#bodyUnread = true;
    this.#response.onData((chunk, isLast) => {
      length += chunk.byteLength;
      // The library frees the memory when this returns.
      if (length <= REQUEST_BODY_BYTES_MAX) chunks.push(Buffer.from(new Uint8Array(chunk)));
      if (isLast) this.#bodyUnread = false;
      if (isLast && length <= REQUEST_BODY_BYTES_MAX) this.#endBody(Buffer.concat(chunks));
      else if (isLast || length > REQUEST_DISCARD_BYTES_MAX) this.#endBody(new ApiError('body_too_large'));
    });
    if (Number(this.header('content-length')) > REQUEST_DISCARD_BYTES_MAX)
      this.#endBody(new ApiError('body_too_large'));
  }

  giveUpBody(): void {
    this.#endBody(new ApiError('request_timeout'));
  }

  #endBody(body: Uint8Array | ApiError): void {
    const over = this.#bodyOver;
    this.#bodyOver = null;
    over?.(body);
  }

  respond(status: number, headers: HeaderList, body: string | Uint8Array): void {
    if (this.#state !== 'waiting') return;
    this.#state = 'responded';
    this.#closeListeners = null;
    // The rest of an incomplete body would be read as the next request.
    const closes = this.#bodyUnread;
    this.#response.cork(() => {
      this.#writeHead(status, headers);
      if (this.method === 'HEAD' || status === 204 || status === 304) this.#endWithoutBody(status, body);
      else if (closes || body.length === 0) this.#response.end(body, closes);
      else if (!this.#send(body)) return;
      this.#sent(closes);
    });
  }

  /**
   * The length of a body that is not sent is a header of ours. The library, if it knew the length, would wait for that
   * body and close the connection at the next request; and it takes `undefined` for a length of 2^63.
   */
  #endWithoutBody(status: number, body: string | Uint8Array): void {
    assert(!this.#bodyUnread, 'HEAD and OPTIONS have no body to read');
    if (status !== 204 && status !== 304) this.#response.writeHeader('content-length', String(Buffer.byteLength(body)));
    this.#response.endWithoutBody();
  }

  /**
   * Sends a body as fast as the client reads, without a copy in the library's memory. The library closes the connection
   * if another request arrives before the body is sent; so a packet full of requests for a large file cannot fill the
   * memory. Returns whether all of it was taken.
   */
  #send(body: string | Uint8Array): boolean {
    const bytes = Buffer.byteLength(body);
    const start = this.#response.getWriteOffset();
    const [, sent] = this.#response.tryEnd(body, bytes);
    if (sent) return true;
    const whole = typeof body === 'string' ? Buffer.from(body) : body;
    this.#response.onWritable((offset) => {
      const [taken, all] = this.#response.tryEnd(whole.subarray(offset - start), bytes);
      if (all) this.#sent(false);
      return taken;
    });
    return false;
  }

  /** The response is complete: its connection closes, or waits for the next request. */
  #sent(closes: boolean): void {
    if (closes || this.#asksToClose) this.#leave();
    else this.#busyOf?.rest();
    this.#busyOf = null;
  }

  /** Its connection is none any more that counts. */
  #leave(): void {
    this.#busyOf?.left();
    this.#busyOf = null;
  }

  get #asksToClose(): boolean {
    return this.header('connection').toLowerCase() === 'close';
  }

  respondWithEvents(headers: HeaderList, over: () => void): EventChannel {
    this.#onClose(over);
    if (this.#state === 'waiting') {
      this.#state = 'streaming';
      this.#streamOf = this.#busyOf;
      this.#leave();
      this.#response.cork(() => this.#writeHead(200, headers));
    }
    let chunk = NOTHING;
    let more = true;
    const writeChunk = (): void => {
      more = this.#response.write(chunk);
    };
    return {
      write: (bytes) => {
        if (this.#state !== 'streaming') return true;
        chunk = bytes;
        this.#response.cork(writeChunk);
        chunk = NOTHING;
        return more;
      },
      onDrain: (callback) => {
        if (this.#state !== 'streaming') return;
        this.#response.onWritable(() => {
          callback();
          return true;
        });
      },
      onClose: (callback) => this.#onClose(callback),
      end: () => {
        if (this.#state !== 'streaming') return;
        this.#state = 'responded';
        this.#closeListeners = null;
        this.#response.cork(() => this.#response.end());
        if (!this.#asksToClose) this.#streamOf?.quiet();
        over();
      },
      close: () => {
        if (this.#state === 'streaming') this.#response.close();
      },
    };
  }

  /**
   * Calls back when the client disconnects before the response is complete; right away if it is complete or aborted.
   */
  #onClose(callback: () => void): void {
    if (this.#state === 'waiting' || this.#state === 'streaming') {
      this.#closeListeners ??= [];
      this.#closeListeners.push(callback);
    } else {
      queueMicrotask(callback);
    }
  }

  #writeHead(status: number, headers: HeaderList): void {
    // The library writes 200 by itself.
    if (status !== 200) this.#response.writeStatus(`${status} ${STATUS_CODES[status] ?? ''}`.trimEnd());
    for (let i = 0; i < headers.length; i += 2) this.#response.writeHeader(headers[i]!, headers[i + 1]!);
    // The library closes the connection without this header, and some clients would reuse it for the next request.
    if (this.#asksToClose) this.#response.writeHeader('connection', 'close');
  }
}
