// One request and its answer over uWebSockets.js. The library frees a response when the client leaves or the answer is
// complete, and touching it afterwards stops the process; this is the only place that knows whether it still may be touched.

import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { STATUS_CODES } from 'node:http';
import { assert } from '#engine/base/assert.ts';
import { REQUEST_BODY_BYTES_MAX, REQUEST_DISCARD_BYTES_MAX } from '#engine/base/limits.ts';
import { ApiError } from './api-error.ts';
import type { EventChannel } from './event-channel.ts';

/** Names and values, one after the other: what most answers have in common is made once and written many times. */
export type HeaderList = readonly string[];

type State = 'waiting' | 'streaming' | 'answered' | 'aborted';

export class UwsExchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly authorization: string;
  readonly contentType: string;
  readonly givenRequestId: string;
  readonly #response: HttpResponse;
  /** The library takes it back when the request callback returns. */
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

  /** To be called when the request callback returns. */
  requestGone(): void {
    this.#request = null;
  }

  /** A header by its name in small letters, empty when it was not sent. Only until the request callback returns. */
  header(name: string): string {
    assert(this.#request !== null, 'headers are read before the request callback returns');
    return this.#request.getHeader(name);
  }

  /** All lines of a header, joined as one: proxies may add a line of their own. Only until the request callback returns. */
  headerLines(name: string): string {
    assert(this.#request !== null, 'headers are read before the request callback returns');
    const values: string[] = [];
    this.#request.forEach((key, value) => {
      if (key === name) values.push(value);
    });
    return values.join(',');
  }

  /**
   * Whether the end of the body is told in more ways than one, or in one that the library takes for another: a proxy before us
   * may have found another end, and what we take for the next request would be somebody else's. Only until the request callback
   * returns.
   */
  get hasAmbiguousBody(): boolean {
    const coding = this.header('transfer-encoding');
    if (coding === '' && this.header('content-length') === '') return false;
    const told = this.#count('content-length') + this.#count('transfer-encoding');
    return told !== 1 || (coding !== '' && coding.toLowerCase() !== 'chunked');
  }

  /** Ends the connection without an answer: after one the library would read on. */
  hangUp(): void {
    this.#response.close();
  }

  /** How many lines of the request's head have this name. */
  #count(name: string): number {
    let lines = 0;
    this.#request!.forEach((key) => {
      if (key === name) lines++;
    });
    return lines;
  }

  /** The other side's address as text. Only until the request callback returns. */
  remoteAddress(): string {
    assert(this.#request !== null, 'the address is read before the request callback returns');
    return Buffer.from(this.#response.getRemoteAddressAsText()).toString();
  }

  /** Whether part of the body has still to come. */
  get bodyUnread(): boolean {
    return this.#bodyUnread;
  }

  /** The body, whole. Must be called before the request callback returns, since the bytes come at once. */
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
        // The library takes the memory back when this returns.
        if (length <= REQUEST_BODY_BYTES_MAX) chunks.push(Buffer.from(new Uint8Array(chunk)));
        if (isLast) this.#bodyUnread = false;
        if (length > REQUEST_DISCARD_BYTES_MAX) refuse();
        else if (isLast && length > REQUEST_BODY_BYTES_MAX) refuse();
        else if (isLast) resolve(Buffer.concat(chunks));
      });
    });
  }

  /** Answers, or does nothing when the client has gone. A HEAD request gets the headers only. */
  answer(status: number, headers: HeaderList, body: string | Uint8Array): void {
    if (this.#state !== 'waiting') return;
    this.#state = 'answered';
    this.#closeListeners = [];
    // A body that is still coming would be read as the next request.
    const closes = this.#bodyUnread;
    this.#response.cork(() => {
      this.#writeHead(status, headers);
      if (this.method === 'HEAD') this.#response.endWithoutBody(Buffer.byteLength(body), closes);
      else if (body.length === 0) this.#response.endWithoutBody(undefined, closes);
      else if (closes) this.#response.end(body, closes);
      else this.#send(body);
    });
  }

  /**
   * Sends a body as the client takes it, without a copy in the library's memory. Until it is sent, the library ends the
   * connection on which another request comes: otherwise one packet of requests for a large file would fill the memory.
   */
  #send(body: string | Uint8Array): void {
    const bytes = Buffer.byteLength(body);
    const start = this.#response.getWriteOffset();
    const [, sent] = this.#response.tryEnd(body, bytes);
    if (sent) return;
    const whole = typeof body === 'string' ? Buffer.from(body) : body;
    this.#response.onWritable((offset) => this.#response.tryEnd(whole.subarray(offset - start), bytes)[0]);
  }

  /** Answers with an event stream; when the client has gone, the channel says so. `over` is called once, at its end. */
  answerWithEvents(headers: HeaderList, over: () => void): EventChannel {
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
        this.#state = 'answered';
        this.#closeListeners = [];
        this.#response.cork(() => this.#response.end());
        over();
      },
      close: () => {
        if (this.#state === 'streaming') this.#response.close();
      },
    };
  }

  /** Calls back when the client leaves before the answer is complete; soon when there is nobody to answer any more. */
  #onClose(callback: () => void): void {
    if (this.#state === 'waiting' || this.#state === 'streaming') this.#closeListeners.push(callback);
    else queueMicrotask(callback);
  }

  #writeHead(status: number, headers: HeaderList): void {
    // The library writes this one by itself.
    if (status !== 200) this.#response.writeStatus(`${status} ${STATUS_CODES[status] ?? ''}`.trimEnd());
    for (let i = 0; i < headers.length; i += 2) this.#response.writeHeader(headers[i]!, headers[i + 1]!);
    // The library closes without saying so, and some clients would send their next request on the same connection.
    if (this.#lastOfConnection) this.#response.writeHeader('connection', 'close');
  }
}
