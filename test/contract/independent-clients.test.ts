// The service works with independent software: an OAuth client, a client for the OpenAPI document, a library for Standard
// Webhooks, and a reader of server-sent events.

import assert from 'node:assert/strict';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import * as oauth from 'oauth4webapi';
import createClient from 'openapi-fetch';
import { Webhook } from 'standardwebhooks';
import { contractService } from '#test/support/contract-service.ts';
import { eventually } from '#test/support/patience.ts';
import { type Received, startWebhookReceiver } from '#test/support/webhook-receiver.ts';
import { IN_SEASON, importShortSession, prepare, replay, SHORT_SESSION } from './short-session.ts';

const service = await contractService({ after }, IN_SEASON, importShortSession);
before(async () => prepare(await service.client('custom')));

const PLAINLY = { [oauth.allowInsecureRequests]: true };
const SERVER: oauth.AuthorizationServer = { issuer: service.baseUrl, token_endpoint: `${service.baseUrl}/oauth` };

for (const [name, authentication] of [
  ['client_secret_basic', oauth.ClientSecretBasic],
  ['client_secret_post', oauth.ClientSecretPost],
] as const) {
  test(`oauth4webapi gets a token with ${name} and uses it, and distinguishes a wrong secret from a wrong token`, async () => {
    const { clientId, clientSecret } = await service.client('free');
    const client: oauth.Client = { client_id: clientId };
    const grant = (secret: string) =>
      oauth.clientCredentialsGrantRequest(SERVER, client, authentication(secret), {}, PLAINLY);
    const answer = await grant(clientSecret);
    const token = await oauth.processClientCredentialsResponse(SERVER, client, answer);
    assert.deepEqual([token.token_type, token.expires_in], ['bearer', 43_200]);
    const feeds = new URL(`${service.baseUrl}/feeds`);
    const get = (accessToken: string) =>
      oauth.protectedResourceRequest(accessToken, 'GET', feeds, undefined, undefined, PLAINLY);
    assert.equal((await get(token.access_token)).status, 200);
    const challenged = (scheme: string) => (error: unknown) => {
      assert.ok(error instanceof oauth.WWWAuthenticateChallengeError, String(error));
      assert.equal(error.status, 401);
      assert.deepEqual([error.cause[0]!.scheme, error.cause[0]!.parameters.realm], [scheme, 'slipstream']);
      return true;
    };
    const refused = await grant('another secret');
    await assert.rejects(oauth.processClientCredentialsResponse(SERVER, client, refused), challenged('basic'));
    await assert.rejects(get('another token'), challenged('bearer'));
  });
}

type Answer<Status extends number, Data> = {
  [Key in Status]: { content: { 'application/json': { data: Data } } };
} & { default: { content: { 'application/json': { error: string; code: string; statusCode: number } } } };
type OfWebhook = { parameters: { path: { webhookId: string } } };

/** The part of the interface that the test below needs, in the form of types generated from an OpenAPI document. */
interface Paths {
  '/webhooks': {
    post: {
      parameters: object;
      requestBody: { content: { 'application/json': { webhookUrl: string; feedIds: string[] } } };
      responses: Answer<201, { webhookId: string; webhookSecret: string; active: boolean }>;
    };
  };
  '/webhooks/{webhookId}': { delete: OfWebhook & { responses: Answer<200, { deleted: boolean }> } };
  '/webhooks/{webhookId}/test': {
    post: OfWebhook & { responses: Answer<200, { delivered: boolean; statusCode: number | null }> };
  };
  '/webhooks/{webhookId}/logs': {
    get: { parameters: OfWebhook['parameters'] & { query?: { limit?: number } } } & {
      responses: Answer<200, { logs: { logId: string; mode: string; statusCode: number | null }[] }>;
    };
  };
  '/webhooks/{webhookId}/rotate-secret': { post: OfWebhook & { responses: Answer<200, { webhookSecret: string }> } };
}

/** "Signature rules" of the interface: HMAC-SHA256 of the raw body, keyed with the secret, compared in constant time. */
function isSigned({ headers, body }: Received, secret: string): boolean {
  const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const given = String(headers['x-service-signature']);
  return given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
}

function isStandard({ headers, body }: Received, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

test('openapi-fetch creates a webhook, reads its deliveries and logs, rotates its secret and deletes it', async (t) => {
  const receiver = await startWebhookReceiver();
  t.after(() => receiver.close());
  const client = await service.client('developer');
  const api = createClient<Paths>({
    baseUrl: service.baseUrl,
    headers: { authorization: `Bearer ${client.token}` },
  });
  const body = { webhookUrl: receiver.url, feedIds: ['timing.data'] };
  const created = await api.POST('/webhooks', { body });
  assert.equal(created.response.status, 201, JSON.stringify(created.error));
  const { webhookId, webhookSecret } = created.data!.data;
  const params = { path: { webhookId } };

  const tested = await api.POST('/webhooks/{webhookId}/test', { params });
  assert.deepEqual([tested.data!.data.delivered, tested.data!.data.statusCode], [true, 200]);

  const runId = await replay(client);
  const delivery = await eventually('a delivery', () => receiver.received[1]);
  assert.deepEqual([isSigned(delivery, webhookSecret), isStandard(delivery, webhookSecret)], [true, true]);
  const forged = { ...delivery, body: delivery.body.replace('"timing.data"', '"timing.date"') };
  assert.deepEqual([isSigned(forged, webhookSecret), isStandard(forged, webhookSecret)], [false, false]);

  const logs = await eventually('log entries of the replay', async () => {
    const page = await api.GET('/webhooks/{webhookId}/logs', { params: { ...params, query: { limit: 500 } } });
    return page.data!.data.logs.some(({ mode }) => mode === 'replay') && page.data!.data.logs;
  });
  assert.equal(logs.filter(({ mode }) => mode === 'test').length, 1);
  assert.ok(logs.filter(({ mode }) => mode === 'replay').every(({ statusCode }) => statusCode === 200));

  const rotated = await api.POST('/webhooks/{webhookId}/rotate-secret', { params });
  const newSecret = rotated.data!.data.webhookSecret;
  const next = await eventually('a delivery with the new secret', () =>
    receiver.received.find((later) => isSigned(later, newSecret)),
  );
  assert.deepEqual([isStandard(next, newSecret), isSigned(next, webhookSecret)], [true, false]);
  assert.equal(isStandard(next, webhookSecret), true, 'Standard Webhooks receivers have a day to change the secret');

  const deleted = await api.DELETE('/webhooks/{webhookId}', { params });
  assert.equal(deleted.data!.data.deleted, true);
  const gone = await api.POST('/webhooks/{webhookId}/test', { params });
  assert.deepEqual([gone.response.status, gone.error!.code], [404, 'not_found']);
  await client.call('DELETE', `/simulate/stream?runId=${runId}`);
});

test('eventsource-parser reads a replay: a run event, then each update with its sequence as id and its feed as event, then a run event', async (t) => {
  const receiver = await startWebhookReceiver();
  t.after(() => receiver.close());
  const client = await service.client('custom');
  await client.webhook({ webhookUrl: receiver.url, feedId: undefined, feedIds: ['*'] });
  const response = await fetch(`${service.baseUrl}/simulate/stream?session=${SHORT_SESSION}&speed=10&sinks=both`, {
    headers: { authorization: `Bearer ${client.token}`, accept: 'text/event-stream' },
  });
  assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'text/event-stream']);
  assert.equal(response.headers.get('cache-control'), 'no-store');
  const events: EventSourceMessage[] = [];
  const parser = createParser({
    onEvent: (event) => events.push(event),
    onError(error) {
      throw error;
    },
  });
  const decoder = new TextDecoder();
  for await (const bytes of response.body!) parser.feed(decoder.decode(bytes, { stream: true }));

  const [first, ...updates] = events;
  const last = updates.pop()!;
  for (const { event, id } of [first!, last]) assert.deepEqual([event, id], ['run', undefined]);
  const { runId, sessionId, speed, updateCount, state } = JSON.parse(first!.data);
  assert.deepEqual([sessionId, speed, state], [SHORT_SESSION, 10, 'running']);
  assert.equal(JSON.parse(last.data).runId, runId);
  assert.deepEqual(
    updates.map(({ id }) => id),
    Array.from({ length: updateCount }, (_, index) => String(index + 1)),
  );
  for (const { id, event, data } of updates) {
    const { feed, sequence } = JSON.parse(data);
    assert.deepEqual([event, id], [feed, String(sequence)]);
  }
  await eventually('all deliveries', () => receiver.received.length === updateCount);
  const payloads = new Map(receiver.received.map(({ sequence, body }) => [String(sequence), body]));
  for (const { id, data } of updates) assert.equal(data, payloads.get(id!), 'the same payload as webhooks get');
  assert.equal(receiver.received[0]!.headers['x-service-replay-run-id'], runId);
});
