// A program of a customer on this machine: it verifies both signatures, the second with a library, and answers as the test
// says.

import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export interface VerifiedDelivery {
  readonly id: string;
  readonly sessionId: string;
  readonly sequence: number;
  readonly attempt: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly atMs: number;
}

export interface VerifyingReceiver {
  readonly url: string;
  /** Genuine deliveries in the order in which they came. */
  readonly received: readonly VerifiedDelivery[];
  /** How many requests were not genuine. */
  readonly forged: number;
  /** The status for a delivery, or null for no answer; 204 unless the test says otherwise. */
  answer: (delivery: VerifiedDelivery) => number | null;
}

/** `secretOf`: asked with each request. */
export async function verifyingReceiver(
  scope: { after(end: () => unknown): void },
  secretOf: () => string,
): Promise<VerifyingReceiver> {
  const received: VerifiedDelivery[] = [];
  let forged = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const delivery = genuine(request.headers, Buffer.concat(chunks), secretOf());
      if (delivery === null) forged++;
      else received.push(delivery);
      const status = delivery === null ? 401 : receiver.answer(delivery);
      if (status !== null) response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  scope.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const receiver: VerifyingReceiver = {
    url: `http://localhost:${(server.address() as AddressInfo).port}/hook`,
    received,
    get forged() {
      return forged;
    },
    answer: () => 204,
  };
  return receiver;
}

function genuine(headers: IncomingHttpHeaders, bytes: Buffer, secret: string): VerifiedDelivery | null {
  const body = bytes.toString();
  const id = String(headers['webhook-id']);
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
  } catch {
    return null;
  }
  const first = `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`;
  if (headers['x-service-signature'] !== first || headers['x-service-delivery-id'] !== id) return null;
  const { sessionId, sequence } = JSON.parse(body) as { sessionId: string; sequence: number };
  return {
    id,
    sessionId,
    sequence,
    attempt: Number(headers['x-service-attempt']),
    headers,
    body,
    atMs: performance.now(),
  };
}
