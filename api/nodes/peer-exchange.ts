// A request that another node passes on, and the answer to it, over the platform's HTTP server.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '#api/http/api-error.ts';
import type { EventChannel } from '#api/http/event-channel.ts';
import { type Exchange, type HeaderList, headerLinesOf, headerOf } from '#api/http/exchange.ts';
import { REQUEST_BODY_BYTES_MAX } from '#engine/base/limits.ts';
import { CLIENT, receivedValue } from './passed-headers.ts';

export class PeerExchange implements Exchange {
  readonly isPassedOn = true;
  /** The node that passes it on has read the body of a client. */
  readonly hasAmbiguousBody = false;
  readonly path: string;
  readonly query: string;
  readonly headers: HeaderList;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  #bodyOver: ((body: Uint8Array | ApiError) => void) | null = null;

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.#request = request;
    this.#response = response;
    const target = request.url!;
    const mark = target.indexOf('?');
    this.path = mark === -1 ? target : target.slice(0, mark);
    this.query = mark === -1 ? '' : target.slice(mark + 1);
    this.headers = request.rawHeaders.map((text, i) => (i % 2 === 0 ? text.toLowerCase() : receivedValue(text)));
    response.sendDate = false;
    response.on('close', () => this.giveUpBody());
  }

  get method(): string {
    return this.#request.method!;
  }

  header(name: string): string {
    return headerOf(this.headers, name);
  }

  headerLines(name: string): string {
    return headerLinesOf(this.headers, name);
  }

  /** The node that passes it on has them, too. */
  keepHeaders(): void {}

  hangUp(): void {
    this.#request.destroy();
  }

  /** The client's, as the other node saw it. */
  remoteAddress(): string {
    return this.header(CLIENT);
  }

  get isWaiting(): boolean {
    return !this.#response.headersSent && !this.#response.destroyed;
  }

  receiveBody(over: (body: Uint8Array | ApiError) => void): void {
    this.#bodyOver = over;
    const chunks: Buffer[] = [];
    let length = 0;
    this.#request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= REQUEST_BODY_BYTES_MAX) chunks.push(chunk);
      else this.#endBody(new ApiError('body_too_large'));
    });
    this.#request.on('end', () => this.#endBody(Buffer.concat(chunks)));
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
    if (!this.isWaiting) return;
    const length = status === 204 || status === 304 ? [] : ['content-length', String(Buffer.byteLength(body))];
    this.#response.writeHead(status, [...headers, ...length]);
    this.#response.end(this.method === 'HEAD' || length.length === 0 ? undefined : body);
  }

  respondWithEvents(headers: HeaderList, over: () => void): EventChannel {
    const response = this.#response;
    let hasEnded = false;
    const onClose = (callback: () => void): void => {
      if (response.destroyed) queueMicrotask(() => void (hasEnded || callback()));
      else response.on('close', () => void (hasEnded || callback()));
    };
    onClose(over);
    if (this.isWaiting) {
      response.writeHead(200, [...headers]);
      response.flushHeaders();
    }
    return {
      write: (chunk) => response.destroyed || response.write(chunk),
      onDrain: (callback) => void response.on('drain', callback),
      onClose,
      end: () => {
        if (hasEnded || response.destroyed) return;
        hasEnded = true;
        response.end();
        over();
      },
      close: () => response.destroy(),
    };
  }
}
