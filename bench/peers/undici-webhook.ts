// One delivery as the job of a queue: computes the HMAC of the body, sends a POST with undici, checks the status. If it
// throws, the queue retries it. Both queue peers use this, so they differ only in their queues.

import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { Pool } from 'undici';

/** A job carries the body itself, because the queue is where an update waits. */
export interface WebhookJob {
  readonly endpoint: number;
  readonly body: string;
}

/** Attempts of one delivery, the first included, as in the engine. */
export const ATTEMPTS = 4;

export class UndiciWebhooks {
  readonly #connections: number;
  #pool: Pool | null = null;
  #keys: readonly KeyObject[] = [];

  constructor(connections: number) {
    this.#connections = connections;
  }

  /** Sets the target of all following deliveries, and their secrets by endpoint. */
  aim(origin: string, secrets: readonly string[]): void {
    this.#pool ??= new Pool(origin, { connections: this.#connections, pipelining: 1 });
    this.#keys = secrets.map((secret) => createSecretKey(Buffer.from(secret)));
  }

  async deliver({ endpoint, body }: WebhookJob): Promise<void> {
    const signature = createHmac('sha256', this.#keys[endpoint]!).update(body).digest('hex');
    const { statusCode, body: responseBody } = await this.#pool!.request({
      path: `/${endpoint}`,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'X-Service-Signature': `sha256=${signature}` },
      body,
    });
    await responseBody.dump();
    if (statusCode < 200 || statusCode > 299) throw new Error(`the receiver answered ${statusCode}`);
  }

  async close(): Promise<void> {
    await this.#pool?.close();
  }
}

/** The jobs of one load in the order of the timeline, `size` at a time. */
export function* jobChunks(endpoints: number, bodies: readonly Uint8Array[], size: number): Generator<WebhookJob[]> {
  const decoder = new TextDecoder();
  let chunk: WebhookJob[] = [];
  for (const bytes of bodies) {
    // The bytes are in shared memory, which a decoder does not accept.
    const body = decoder.decode(bytes.slice());
    for (let endpoint = 0; endpoint < endpoints; endpoint++) {
      chunk.push({ endpoint, body });
      if (chunk.length === size) {
        yield chunk;
        chunk = [];
      }
    }
  }
  if (chunk.length > 0) yield chunk;
}
