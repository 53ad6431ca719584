// One delivery as a job of a queue makes it: the body's HMAC, a POST with undici, the status checked. What throws is tried
// again by the queue. The peers differ in their queues alone.

import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { Pool } from 'undici';

/** What a job carries: the body itself, since its queue is where an update waits. */
export interface WebhookJob {
  readonly endpoint: number;
  readonly body: string;
}

/** Tries of one delivery, the first included, as the engine has it. */
export const ATTEMPTS = 4;

export class UndiciWebhooks {
  readonly #connections: number;
  #pool: Pool | null = null;
  #keys: readonly KeyObject[] = [];

  constructor(connections: number) {
    this.#connections = connections;
  }

  /** Where deliveries go from now on, and with which secrets. */
  aim(origin: string, secrets: readonly string[]): void {
    this.#pool ??= new Pool(origin, { connections: this.#connections, pipelining: 1 });
    this.#keys = secrets.map((secret) => createSecretKey(Buffer.from(secret)));
  }

  async deliver({ endpoint, body }: WebhookJob): Promise<void> {
    const signature = createHmac('sha256', this.#keys[endpoint]!).update(body).digest('hex');
    const { statusCode, body: answer } = await this.#pool!.request({
      path: `/${endpoint}`,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'X-Service-Signature': `sha256=${signature}` },
      body,
    });
    await answer.dump();
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
    // The bytes are in shared memory, which a decoder does not read.
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
