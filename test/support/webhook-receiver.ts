// A customer's receiver: a real local HTTP server that keeps and verifies deliveries.

import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';

export interface Received {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** When all of it had arrived, on the monotonic clock. */
  readonly atMs: number;
  readonly body: string;
  readonly feed: string;
  readonly sequence: number;
  readonly attempt: number;
}

export interface WebhookReceiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** Sets the status of responses from now on; null for no response. */
  answer(status: number | null): void;
  /** Number of deliveries whose signature does not match this secret. */
  wronglySigned(secret: string): number;
  close(): Promise<void>;
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: Received[] = [];
  let status: number | null = 200;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const { feed, sequence } = JSON.parse(body) as { feed: string; sequence: number };
      received.push({
        method: request.method!,
        atMs: performance.now(),
        headers: request.headers,
        body,
        feed,
        sequence,
        attempt: Number(request.headers['x-service-attempt']),
      });
      if (status !== null) response.writeHead(status).end('thanks');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://localhost:${port}/hook`,
    received,
    answer(next) {
      status = next;
    },
    wronglySigned: (secret) =>
      received.filter(({ headers, body }) => {
        const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
        return headers['x-service-signature'] !== expected;
      }).length,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
