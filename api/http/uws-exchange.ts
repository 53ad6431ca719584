// One request and its response over uWebSockets.js. The library frees a response when the client disconnects or the
// response is complete; touching it afterwards crashes the process. Only this class knows whether touching it is safe.

import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { STATUS_CODES } from 'node:http';
import { assert } from '#engine/base/assert.ts';
import { REQUEST_BODY_BYTES_MAX, REQUEST_DISCARD_BYTES_MAX } from '#engine/base/limits.ts';
import { ApiError } from './api-error.ts';
import type { EventChannel } from './event-channel.ts';

/** Names and values in turn. Headers that most responses share are built once and reused. */
export type HeaderList = readonly string[];

type State = 'waiting' | 'streaming' | 'responded' | 'aborted';

export class UwsExchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly authorization: string;
  readonly contentType: string;
  readonly givenRequestId: string;
  readonly #response: HttpResponse;
  /** The library frees it when the request callback returns. */
  #request: HttpRequest | null;
  readonly #declaredBytes: number;
  readonly #lastOfConnection: boolean;
  #state: State = 'waiting';
  #closeListeners: (() => void)[] = [];
  #bodyUnread = false;

  constructor(response: HttpResponse, request: HttpRequest) {
    this.#response = response;
    this.#request = request;
    this.method = request.getCaseSensitiveMethod().toUpperCase();
    this.path = request.getUrl();
    this.query = request.getQuery();
    this.authorization = request.getHeader('authorization');
    this.contentType = request.getHeader('content-type');
    this.givenRequestId = request.getHeader('x-request-id');
    this.#declaredBytes = Number(request.getHeader('content-length')) || 0;
    this.#lastOfConnection = request.getHeader('connection').toLowerCase() === 'close';
    response.onAborted(() => {
      this.#state = 'aborted';
      for (const listener of this.#closeListeners.splice(0)) listener();
    });
  }

  /** Call when the request callback returns. */
  requestGone(): void {
    this.#request = null;
  }

  /** A header by its lower-case name; empty if not sent. Call before the request callback returns. */
  header(name: string): string {
    assert(this.#request !== null, 'headers are read before the request callback returns');
    return this.#request.getHeader(name);
  }

  /**
   * All lines of a header, joined, since proxies may add a line of their own. Call before the request callback returns.
   */
  headerLines(name: string): string {
    assert(this.#request !== null, 'headers are read before the request callback returns');
    const values: string[] = [];
    this.#request.forEach((key, value) => {
      if (key === name) values.push(value);
    });
    return values.join(',');
  }

  /**
   * Whether the headers give the length of the body in more than one way, or in one that the library misreads. A proxy
   * in front of us may then see another end of the body, and a client could smuggle a request past it. Call before the
   * request callback returns.
   */
  get hasAmbiguousBody(): boolean {
    const coding = this.header('transfer-encoding');
    if (coding === '' && this.header('content-length') === '') return false;
    const lines = this.#count('content-length') + this.#count('transfer-encoding');
    return lines !== 1 || (coding !== '' && coding.toLowerCase() !== 'chunked');
  }

  /** Closes the connection without a response. After a response, the library would read on. */
  hangUp(): void {
    this.#response.close();
  }

  /** How many header lines have this name. */
  #count(name: string): number {
    let lines = 0;
    this.#request!.forEach((key) => {
      if (key === name) lines++;
    });
    return lines;
  }

  /** The peer's address as text. Call before the request callback returns. */
  remoteAddress(): string {
    assert(this.#request !== null, 'the address is read before the request callback returns');
    return Buffer.from(this.#response.getRemoteAddressAsText()).toString();
  }

  /** Whether the client still waits for the response. */
  get isWaiting(): boolean {
    return this.#state === 'waiting';
  }

  /** Whether part of the body has not arrived yet. */
  get bodyUnread(): boolean {
    return this.#bodyUnread;
  }

  /**
   * Resolves with the complete body. Call before the request callback returns, or bytes are missed. Rejects with an
   * ApiError.
   */
  readBody(): Promise<Uint8Array> {
    this.#bodyUnread = true;
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let length = 0;
      const refuse = () => reject(new ApiError('body_too_large'));
      this.#onClose(() => reject(new ApiError('request_timeout')));
      if (this.#declaredBytes > REQUEST_DISCARD_BYTES_MAX) refuse();
      this.#response.onData((chunk, isLast) => {
        length += chunk.byteLength;
        // The library frees the memory when this returns.
        if (length <= REQUEST_BODY_BYTES_MAX) chunks.push(Buffer.from(new Uint8Array(chunk)));
        if (isLast) this.#bodyUnread = false;
        if (length > REQUEST_DISCARD_BYTES_MAX) refuse();
        else if (isLast && length > REQUEST_BODY_BYTES_MAX) refuse();
        else if (isLast) resolve(Buffer.concat(chunks));
      });
    });
  }

  /** Sends a response, unless the client has disconnected. HEAD requests get the headers only. */
  respond(status: number, headers: HeaderList, body: string | Uint8Array): void {
    if (this.#state !== 'waiting') return;
    this.#state = 'responded';
    this.#closeListeners = [];
    // The rest of an incomplete body would be read as the next request.
    const closes = this.#bodyUnread;
    this.#response.cork(() => {
      this.#writeHead(status, headers);
      if (this.method === 'HEAD' || status === 204 || status === 304) this.#endWithoutBody(status, body);
      else if (closes || body.length === 0) this.#response.end(body, closes);
      else this.#send(body);
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
   * memory.
   */
  #send(body: string | Uint8Array): void {
    const bytes = Buffer.byteLength(body);
    const start = this.#response.getWriteOffset();
    const [, sent] = this.#response.tryEnd(body, bytes);
    if (sent) return;
    const whole = typeof body === 'string' ? Buffer.from(body) : body;
    this.#response.onWritable((offset) => this.#response.tryEnd(whole.subarray(offset - start), bytes)[0]);
  }

  /**
   * Opens an event stream. If the client has disconnected, the channel reports it. Calls `over` once, when the stream
   * ends.
   */
  respondWithEvents(headers: HeaderList, over: () => void): EventChannel {
    this.#onClose(over);
    if (this.#state === 'waiting') {
      this.#state = 'streaming';
      this.#response.cork(() => this.#writeHead(200, headers));
    }
    return {
      write: (chunk) => {
        let more = true;
        if (this.#state === 'streaming') this.#response.cork(() => (more = this.#response.write(chunk)));
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
        this.#closeListeners = [];
        this.#response.cork(() => this.#response.end());
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
    if (this.#state === 'waiting' || this.#state === 'streaming') this.#closeListeners.push(callback);
    else queueMicrotask(callback);
  }

  #writeHead(status: number, headers: HeaderList): void {
    // The library writes 200 by itself.
    if (status !== 200) this.#response.writeStatus(`${status} ${STATUS_CODES[status] ?? ''}`.trimEnd());
    for (let i = 0; i < headers.length; i += 2) this.#response.writeHeader(headers[i]!, headers[i + 1]!);
    // The library closes the connection without this header, and some clients would reuse it for the next request.
    if (this.#lastOfConnection) this.#response.writeHeader('connection', 'close');
  }
}
