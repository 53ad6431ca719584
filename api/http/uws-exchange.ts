// One request and its answer over uWebSockets.js. The library frees a response when the client leaves or the answer is
// complete, and touching it afterwards stops the process; this is the only place that knows whether it still may be touched.

import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { STATUS_CODES } from 'node:http';
import { REQUEST_BODY_BYTES_MAX, REQUEST_DISCARD_BYTES_MAX } from '#engine/limits.ts';
import { ApiError } from './api-error.ts';
import type { EventChannel } from './event-channel.ts';

export type Headers = Readonly<Record<string, string>>;

type State = 'waiting' | 'streaming' | 'answered' | 'aborted';

export class UwsExchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly authorization: string;
  readonly contentType: string;
  readonly givenRequestId: string;
  readonly #response: HttpResponse;
  readonly #declaredBytes: number;
  #state: State = 'waiting';
  #closeListeners: (() => void)[] = [];
  #bodyUnread = false;

  constructor(response: HttpResponse, request: HttpRequest) {
    this.#response = response;
    this.method = request.getCaseSensitiveMethod().toUpperCase();
    this.path = request.getUrl();
    this.query = request.getQuery();
    this.authorization = request.getHeader('authorization');
    this.contentType = request.getHeader('content-type');
    this.givenRequestId = request.getHeader('x-request-id');
    this.#declaredBytes = Number(request.getHeader('content-length')) || 0;
    response.onAborted(() => {
      this.#state = 'aborted';
      for (const listener of this.#closeListeners.splice(0)) listener();
    });
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
  answer(status: number, headers: Headers, body: string): void {
    if (this.#state !== 'waiting') return;
    this.#state = 'answered';
    this.#closeListeners = [];
    // A body that is still coming would be read as the next request.
    const closes = this.#bodyUnread;
    this.#response.cork(() => {
      this.#writeHead(status, headers);
      if (this.method === 'HEAD') this.#response.endWithoutBody(Buffer.byteLength(body), closes);
      else if (body === '') this.#response.endWithoutBody(undefined, closes);
      else this.#response.end(body, closes);
    });
  }

  /** Answers with an event stream; when the client has gone, the channel says so. */
  answerWithEvents(headers: Headers): EventChannel {
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

  #writeHead(status: number, headers: Headers): void {
    this.#response.writeStatus(`${status} ${STATUS_CODES[status] ?? ''}`.trimEnd());
    for (const [name, value] of Object.entries(headers)) this.#response.writeHeader(name, value);
  }
}
