// The API requests of a customer who does nothing unusual, at an even rate from an address of its own: reads its list of
// endpoints and its usage, creates an endpoint and deletes it again.

import { Agent, request } from 'node:http';
import { monotonicMs } from '../suite/monotonic.ts';

const ADDRESS = '127.0.0.2';
/** Enough that no request waits for another one. */
const CONNECTIONS_MAX = 256;

export interface HonestResult {
  /** From when a request was due to the end of its response, sorted. */
  readonly latenciesMs: Float64Array;
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

  /** Sends requests for so long, and waits for the last responses. */
  async play(seconds: number, perSecond: number): Promise<HonestResult> {
    const startMs = monotonicMs();
    const latencies: number[] = [];
    let refused = 0;
    const under: Promise<void>[] = [];
    for (let sent = 0; sent < seconds * perSecond; sent++) {
      const dueMs = startMs + (sent * 1_000) / perSecond;
      const waitMs = dueMs - monotonicMs();
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      under.push(
        this.#send(sent % 4).then((ok) => {
          latencies.push(monotonicMs() - dueMs);
          if (!ok) refused++;
        }),
      );
    }
    await Promise.all(under);
    return { latenciesMs: new Float64Array(latencies).sort(), refused };
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
