// The local URL, over the HTTP of Node. Redirects are not followed, and no more of an answer is read than of a real endpoint's.

import * as http from 'node:http';
import * as https from 'node:https';
import { ENDPOINT_CONNECTIONS_MAX, RESPONSE_KEPT_BYTES_MAX, RESPONSE_READ_BYTES_MAX } from '#engine/base/limits.ts';
import { type AttemptResult, failed } from '#engine/delivery/attempt-result.ts';
import { networkFailureOf } from '#engine/delivery/transport/network-failure.ts';
import type { LocalReceiver } from './forwarder.ts';

export class HttpReceiver implements LocalReceiver {
  readonly #url: URL;
  readonly #protocol: typeof http | typeof https;
  readonly #agent: http.Agent;

  constructor(url: URL) {
    this.#url = url;
    this.#protocol = url.protocol === 'https:' ? https : http;
    // A server on 127.0.0.1 alone is reached where localhost means ::1 first. Node 18 tries both only if told to.
    const options = { keepAlive: true, maxSockets: ENDPOINT_CONNECTIONS_MAX, autoSelectFamily: true };
    this.#agent = new this.#protocol.Agent(options as http.AgentOptions);
  }

  get name(): string {
    return this.#url.href;
  }

  send(lines: string, body: Uint8Array, ended: (result: AttemptResult) => void): { abandon(): void } {
    let isOpen = true;
    const end = (result: AttemptResult): void => {
      if (!isOpen) return;
      isOpen = false;
      ended(result);
    };
    const request = this.#protocol.request(this.#url, {
      method: 'POST',
      agent: this.#agent,
      headers: { ...headersOf(lines), 'content-length': body.length },
    });
    request.on('error', (error) => end(failureOf(error)));
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      const answered = (): void => {
        const kept = Buffer.concat(chunks).subarray(0, RESPONSE_KEPT_BYTES_MAX);
        end({ kind: 'answered', statusCode: response.statusCode!, body: kept.toString() });
      };
      response.on('data', (chunk: Buffer) => {
        if (bytes < RESPONSE_KEPT_BYTES_MAX) chunks.push(chunk);
        bytes += chunk.length;
        if (bytes <= RESPONSE_READ_BYTES_MAX) return;
        answered();
        request.destroy();
      });
      response.on('end', answered);
      response.on('error', (error) => end(failureOf(error)));
    });
    request.end(body);
    return {
      abandon() {
        isOpen = false;
        request.destroy();
      },
    };
  }

  /** Closes its connections. */
  close(): void {
    this.#agent.destroy();
  }
}

/** No header comes twice. */
function headersOf(lines: string): Record<string, string> {
  const pairs = lines.split('\r\n').flatMap((line): [string, string][] => {
    const colon = line.indexOf(': ');
    return colon === -1 ? [] : [[line.slice(0, colon), line.slice(colon + 2)]];
  });
  return Object.fromEntries(pairs);
}

/** Node gives a connection that was closed without an answer the code of one that was reset. */
function failureOf(error: NodeJS.ErrnoException) {
  const { code = '', message } = error;
  if (code.startsWith('HPE_')) return failed('bad_answer', code);
  if (message === 'socket hang up' || message === 'aborted')
    return failed('connection_closed', 'the connection was closed before the response was complete');
  return networkFailureOf(error);
}
