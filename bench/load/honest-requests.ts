// The API requests of a customer who does nothing unusual, at an even rate from an address of its own: reads its list of
// endpoints and its usage, creates an endpoint and deletes it again.

import { Agent, request } from 'node:http';
import { monotonicMs } from '../suite/monotonic.ts';

const ADDRESS = '127.0.0.2';
/** Enough that no request waits for another one. */
const CONNECTIONS_MAX = 256;

/** The requests so far. */
export interface HonestResult {
  /** When each was due, on the monotonic clock, and how long it then took to the end of its response. */
  readonly dueMs: readonly number[];
  readonly latencyMs: readonly number[];
  /** Responses other than 2xx, and requests without one. */
  readonly refused: number;
}

export class HonestClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS_MAX, localAddress: ADDRESS });
  readonly #port: number;
  readonly #token: string;
  /** Endpoints that it made and has not deleted yet. */
  readonly #made: string[] = [];

  constructor(port: number, token: string) {
    this.#port = port;
    this.#token = token;
  }

  /** Sends requests from now on. Returns how to end it, which waits for the last responses. */
  play(perSecond: number): () => Promise<HonestResult> {
    const startMs = monotonicMs();
    const dueMs: number[] = [];
    const latencyMs: number[] = [];
    const under = new Set<Promise<void>>();
    let refused = 0;
    let number = 0;
    const send = (): void => {
      for (;;) {
        const due = startMs + (number * 1_000) / perSecond;
        const waitMs = due - monotonicMs();
        if (waitMs > 0) {
          timer = setTimeout(send, waitMs);
          return;
        }
        const one = this.#send(number++ % 4).then((ok) => {
          dueMs.push(due);
          latencyMs.push(monotonicMs() - due);
          if (!ok) refused++;
          under.delete(one);
        });
        under.add(one);
      }
    };
    let timer = setTimeout(send, 0);
    return async () => {
      clearTimeout(timer);
      await Promise.all(under);
      return { dueMs, latencyMs, refused };
    };
  }

  close(): void {
    this.#agent.destroy();
  }

  async #send(kind: number): Promise<boolean> {
    if (kind === 0) return (await this.#call('GET', '/webhooks')).ok;
    if (kind === 2) {
      const { ok, data } = await this.#call('POST', '/webhooks', {
        webhookUrl: 'http://localhost:9/made',
        feedId: 'session.status',
      });
      if (ok) this.#made.push(data.webhookId!);
      return ok;
    }
    const made = kind === 3 ? this.#made.shift() : undefined;
    return (await (made === undefined ? this.#call('GET', '/usage') : this.#call('DELETE', `/webhooks/${made}`))).ok;
  }

  #call(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ readonly ok: boolean; readonly data: Record<string, string> }> {
    return new Promise((resolve) => {
      const sent = request(
        {
          ...{ host: '127.0.0.1', port: this.#port, agent: this.#agent, method, path: `/v1${path}` },
          headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
        },
        (response) => {
          let text = '';
          response.on('data', (chunk) => {
            text += chunk;
          });
          response.on('end', () => {
            const ok = response.statusCode! < 300;
            resolve({ ok, data: ok ? JSON.parse(text).data : {} });
          });
        },
      );
      sent.on('error', () => resolve({ ok: false, data: {} }));
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}
