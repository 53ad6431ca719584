// A local server for Stripe's billing meters, as they are documented: an identifier counts once within a rolling day,
// a time is in the past 35 days or at most five minutes ahead, sums follow later. It fails on demand.

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StripeMeterParts } from '#api/billing/overage/stripe-usage-meter.ts';

/** `lost`: the event counts, but its answer does not arrive. `failed`: 500, and it does not count. `failed_late`: 500, and it counts. */
export type Fault = 'lost' | 'failed' | 'failed_late' | 'limited' | 'refused_key' | 'down';

export interface CountedEvent {
  readonly identifier: string;
  readonly customerId: string;
  readonly value: number;
  readonly timestampS: number;
  readonly receivedMs: number;
}

export interface StripeMeterServer {
  readonly api: NonNullable<StripeMeterParts['api']>;
  readonly events: CountedEvent[];
  /** Every request to count an event, as it came, also those that were repeated or refused. */
  readonly requests: Readonly<Record<string, string>>[];
  readonly customers: Set<string>;
  /** Requests by path. */
  readonly paths: string[];
  /** What happens to the next requests, one each. */
  readonly faults: Fault[];
  /** What happens to every request. */
  fault: Fault | null;
  /** Called when an event has come and counts, before it is answered. */
  counted: () => void;
  /** How long an event is missing in the sums. */
  lagMs: number;
  price: Record<string, unknown>;
  meter: Record<string, unknown>;
  /** Attempts that an invoice of the customer would hold. */
  billed(customerId: string): number;
}

export const OVERAGE_PRICE_ID = 'price_overage';
const DAY_MS = 86_400_000;

export async function withStripeMeter(
  scope: { after(end: () => unknown): void },
  wallMs: () => number,
): Promise<StripeMeterServer> {
  const seen = new Map<string, number>();
  const refuse = (response: ServerResponse, status: number, message: string, type = 'invalid_request_error'): void => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { type, message } }));
  };
  const answer = (response: ServerResponse, body: object): void => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };

  /** The refusal, or null: the event counts. */
  const take = (fields: URLSearchParams): string | null => {
    const customerId = fields.get('payload[stripe_customer_id]') ?? '';
    const identifier = fields.get('identifier') ?? '';
    const timestampS = Number(fields.get('timestamp'));
    const value = fields.get('payload[value]') ?? '';
    const nowMs = wallMs();
    if (fields.get('event_name') !== server.meter.event_name) return 'No active meter found for this event name.';
    if (!server.customers.has(customerId)) return `No such customer: '${customerId}'`;
    if (!/^\d{1,15}$/.test(value)) return 'The value must be a whole number.';
    if (!Number.isInteger(timestampS) || timestampS * 1_000 < nowMs - 35 * DAY_MS)
      return 'The timestamp is too far in the past.';
    if (timestampS * 1_000 > nowMs + 5 * 60_000) return 'The timestamp is in the future.';
    if (nowMs - (seen.get(identifier) ?? Number.NEGATIVE_INFINITY) < DAY_MS)
      return `An event already exists with identifier ${identifier}.`;
    seen.set(identifier, nowMs);
    server.events.push({ identifier, customerId, value: Number(value), timestampS, receivedMs: nowMs });
    return null;
  };

  const summary = (query: URLSearchParams): number | string => {
    const [start, end] = [Number(query.get('start_time')), Number(query.get('end_time'))];
    if (start % 60 !== 0 || end % 60 !== 0) return 'Times must be aligned with minute boundaries.';
    if (end <= start) return 'end_time must be after start_time.';
    if (!server.customers.has(query.get('customer') ?? '')) return `No such customer: '${query.get('customer')}'`;
    return server.events
      .filter(
        ({ customerId, timestampS }) => customerId === query.get('customer') && timestampS >= start && timestampS < end,
      )
      .filter(({ receivedMs }) => receivedMs <= wallMs() - server.lagMs)
      .reduce((sum, { value }) => sum + value, 0);
  };

  const http = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url!, 'http://stripe');
    server.paths.push(`${request.method} ${url.pathname}`);
    const fault = server.faults.shift() ?? server.fault;
    if (fault === 'down') return void request.socket.destroy();
    if (fault === 'limited') return refuse(response, 429, 'Too many requests.', 'invalid_request_error');
    if (fault === 'refused_key') return refuse(response, 401, 'Invalid API Key provided: sk_test_****ests');
    if (fault === 'failed') return refuse(response, 500, 'Something went wrong.', 'api_error');
    if (url.pathname === `/v1/prices/${OVERAGE_PRICE_ID}`) return answer(response, server.price);
    if (url.pathname === '/v1/billing/meters/mtr_1') return answer(response, server.meter);
    if (url.pathname === '/v1/billing/meters/mtr_1/event_summaries') {
      const sum = summary(url.searchParams);
      if (typeof sum === 'string') return refuse(response, 400, sum);
      return answer(response, { object: 'list', has_more: false, data: [{ id: 'mtrusg_1', aggregated_value: sum }] });
    }
    if (url.pathname !== '/v1/billing/meter_events') return refuse(response, 404, 'Unrecognized request URL');
    const fields = new URLSearchParams(Buffer.concat(chunks).toString());
    server.requests.push(Object.fromEntries(fields));
    const refusal = take(fields);
    if (refusal === null) server.counted();
    if (fault === 'lost') return void request.socket.destroy();
    if (fault === 'failed_late') return refuse(response, 500, 'Something went wrong.', 'api_error');
    if (refusal !== null) return refuse(response, 400, refusal);
    answer(response, { object: 'billing.meter_event' });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  scope.after(() => {
    http.close();
    http.closeAllConnections();
  });
  const server: StripeMeterServer = {
    api: { protocol: 'http', host: '127.0.0.1', port: (http.address() as AddressInfo).port },
    events: [],
    requests: [],
    customers: new Set(),
    paths: [],
    faults: [],
    fault: null,
    counted: () => {},
    lagMs: 0,
    price: {
      id: OVERAGE_PRICE_ID,
      currency: 'usd',
      unit_amount_decimal: '0.3',
      recurring: { usage_type: 'metered', meter: 'mtr_1' },
    },
    meter: {
      id: 'mtr_1',
      event_name: 'slipstream_overage',
      status: 'active',
      default_aggregation: { formula: 'sum' },
      event_time_window: null,
      customer_mapping: { type: 'by_id', event_payload_key: 'stripe_customer_id' },
      value_settings: { event_payload_key: 'value' },
    },
    billed: (customerId) =>
      server.events.filter((event) => event.customerId === customerId).reduce((sum, { value }) => sum + value, 0),
  };
  return server;
}
