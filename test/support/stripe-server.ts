// A local server for the part of Stripe's API that the service uses. It records requests and responds as the test
// wants. Events are signed by Stripe's own library.

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';
import type { StripeParts, StripeSettings } from '#api/billing/stripe-payments.ts';

export interface StripeRequest {
  readonly path: string;
  readonly authorization: string;
  readonly fields: Readonly<Record<string, string>>;
}

export interface StripeCheckout {
  readonly id: string;
  status: 'open' | 'complete' | 'expired';
  /** Null unless it is open. */
  url: string | null;
  readonly customer: string | null;
  /** Null until it is complete. */
  subscription: { readonly id: string; readonly status: string } | null;
}

export interface StripeServer {
  readonly api: NonNullable<StripeParts['api']>;
  readonly requests: StripeRequest[];
  /** Subscriptions that were cancelled. Stripe knows no such subscription when it is asked again. */
  readonly cancelled: string[];
  /** Whether it cancels subscriptions; otherwise it fails. */
  cancels: boolean;
  /** What Stripe says about a subscription when it is asked, by id. */
  readonly subscriptions: Map<string, { readonly status: string; readonly customer: string; readonly created: number }>;
  /** Customers that were deleted. */
  readonly deleted: Set<string>;
  /** Checkouts by id. */
  readonly checkouts: Map<string, StripeCheckout>;
  /** Responds to the next requests. Without it, Stripe does what it is asked for. */
  answer: ((response: ServerResponse) => void) | null;
}

export const STRIPE_SETTINGS: StripeSettings = {
  secretKey: 'sk_test_only_in_tests',
  webhookSecret: 'whsec_only_in_tests',
  priceId: 'price_developer',
};

export async function withStripe(scope: { after(end: () => unknown): void }): Promise<StripeServer> {
  const requests: StripeRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const fields = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
    requests.push({ path: request.url!, authorization: request.headers.authorization ?? '', fields });
    if (stripe.answer !== null) return stripe.answer(response);
    response.setHeader('content-type', 'application/json');
    const [, subscription] = /^\/v1\/subscriptions\/(\w+)$/.exec(request.url!) ?? [];
    if (subscription !== undefined && request.method === 'DELETE') {
      if (!stripe.cancels) return response.writeHead(500, { 'stripe-should-retry': 'false' }).end('{}');
      if (stripe.cancelled.includes(subscription))
        return refuse(response, 404, `No such subscription: '${subscription}'`, 'id');
      stripe.cancelled.push(subscription);
      return response.end(JSON.stringify({ id: subscription, object: 'subscription', status: 'canceled' }));
    }
    if (subscription !== undefined)
      return response.end(
        JSON.stringify({ id: subscription, object: 'subscription', ...stripe.subscriptions.get(subscription) }),
      );
    if (fields.customer !== undefined && stripe.deleted.has(fields.customer))
      return refuse(response, 400, `No such customer: '${fields.customer}'`, 'customer');
    const [, checkoutId] =
      /^\/v1\/checkout\/sessions\/(\w+)\?expand\[0\]=subscription&expand\[1\]=customer$/.exec(request.url!) ?? [];
    if (checkoutId !== undefined) {
      const found = stripe.checkouts.get(checkoutId);
      if (found === undefined) return refuse(response, 404, `No such checkout.session: ${checkoutId}`, 'session');
      const { customer } = found;
      const expanded = customer === null ? null : { id: customer, deleted: stripe.deleted.has(customer) };
      return response.end(JSON.stringify({ ...found, customer: expanded }));
    }
    if (request.url === '/v1/checkout/sessions') {
      const id = `cs_${requests.length}`;
      const url = `https://pay.example.com/${id}`;
      const opened: StripeCheckout = { id, status: 'open', url, customer: fields.customer ?? null, subscription: null };
      stripe.checkouts.set(id, opened);
      return response.end(JSON.stringify(opened));
    }
    response.end(JSON.stringify({ id: 'bps_1', url: `https://pay.example.com${request.url}` }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  scope.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const api = { protocol: 'http', host: '127.0.0.1', port } as const;
  const stripe: StripeServer = {
    api,
    requests,
    cancelled: [],
    cancels: true,
    subscriptions: new Map(),
    deleted: new Set(),
    checkouts: new Map(),
    answer: null,
  };
  return stripe;
}

/** What Stripe says about something that it does not have (any more). */
function refuse(response: ServerResponse, status: number, message: string, param: string): void {
  const error = { type: 'invalid_request_error', code: 'resource_missing', message, param };
  response.writeHead(status).end(JSON.stringify({ error }));
}

/** The `Stripe-Signature` header for this body. */
export function stripeSignature(payload: string, options: { secret?: string; atMs?: number } = {}): string {
  const { secret = STRIPE_SETTINGS.webhookSecret, atMs = Date.now() } = options;
  const { webhooks } = new Stripe(STRIPE_SETTINGS.secretKey);
  return webhooks.generateTestHeaderString({ payload, secret, timestamp: Math.floor(atMs / 1_000) });
}
