// "Limits" of the interface: rules 2, 9 and 10. Rule 10 is also tested for requests through proxies.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { type ContractClient, contractService } from '#test/support/contract-service.ts';
import { eventually } from '#test/support/patience.ts';
import { PASSWORD, signUpBody, someEmail } from '#test/support/people.ts';
import { startWebhookReceiver } from '#test/support/webhook-receiver.ts';
import { IN_SEASON, importShortSession, prepare, replay } from './short-session.ts';
import { mailedToken, visit } from './visitor.ts';

// The requests come from 127.0.0.1, which acts as a proxy. Behind it is another proxy with an address from 10/8.
const service = await contractService(
  { after },
  { ...IN_SEASON, TRUST_PROXY: '127.0.0.1, 10.0.0.0/8' },
  importShortSession,
);
const { call, sql } = service;

/** Sends requests, up to 20 at a time. Returns the number of responses by status. */
async function flood(client: ContractClient, requests: number): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  let left = requests;
  const send = async () => {
    while (left-- > 0) {
      const { status } = await client.call('GET', '/feeds');
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 20 }, send));
  return statuses;
}

test('Limits rule 2: past the requests of an hour the API gives 429 with X-RateLimit-* headers and Retry-After', async () => {
  const HOUR_S = 3_600;
  // Limits reset on the hour, so the test must not run across one.
  await eventually('an hour that does not end soon', () => HOUR_S - ((Date.now() / 1_000) % HOUR_S) > 15, 20_000);
  const client = await service.client('free');
  const first = await client.call('GET', '/feeds');
  const reset = Number(first.headers.get('x-ratelimit-reset'));
  assert.equal(first.headers.get('x-ratelimit-limit'), '600');
  assert.equal(first.headers.get('x-ratelimit-remaining'), '599');
  assert.ok(reset % HOUR_S === 0 && reset > Date.now() / 1_000 && reset <= Date.now() / 1_000 + HOUR_S, String(reset));
  assert.deepEqual(await flood(client, 601), { 200: 599, 429: 2 });
  const { status, body, headers } = await client.call('POST', '/webhooks', {});
  assert.deepEqual([status, body.code], [429, 'rate_limit_exceeded']);
  assert.equal(headers.get('x-ratelimit-limit'), '600');
  assert.equal(headers.get('x-ratelimit-remaining'), '0');
  assert.equal(headers.get('x-ratelimit-reset'), String(reset));
  const retryAfterS = Number(headers.get('retry-after'));
  assert.ok(Math.abs(Date.now() / 1_000 + retryAfterS - reset) < 5, `${retryAfterS} seconds`);
  assert.match(body.error, new RegExp(`600 requests per hour: try again in ${retryAfterS} seconds`));
  const other = await service.client('free');
  assert.equal((await other.call('GET', '/feeds')).status, 200, 'another account is not affected');
});

test('Limits rule 9: a token that is 12 hours old gives 401', async () => {
  const { token, accountId } = await service.client('free');
  // The test cannot move the clock of the service, so it moves the expiry of the token, which is unused and not yet cached.
  await sql`update access_token set expires_at = expires_at - interval '12 hours' where account_id = ${accountId}`;
  assert.equal((await call('GET', '/feeds', undefined, { token })).status, 401);
});

test('Limits rule 9: an attempt without a response within 10 seconds fails', async (t) => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.after(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const { port } = silent.address() as AddressInfo;
  const client = await service.client('free');
  const webhookId = await client.webhook({ webhookUrl: `http://localhost:${port}/hook`, feedId: 'session.info' });
  await prepare(client);
  await replay(client);
  const [entry] = await eventually('a log entry', async () => {
    const { logs } = (await client.call('GET', `/webhooks/${webhookId}/logs`)).body.data;
    return logs.length > 0 && logs;
  });
  assert.deepEqual([entry.statusCode, entry.responseBody], [null, null]);
  assert.ok(entry.latencyMs >= 10_000 && entry.latencyMs < 15_000, `${entry.latencyMs} ms`);
  await client.call('DELETE', `/webhooks/${webhookId}`);
});

test('Limits rule 9: a refused attempt is retried on schedule', async (t) => {
  const receiver = await startWebhookReceiver();
  t.after(() => receiver.close());
  receiver.answer(500);
  const client = await service.client('free');
  const webhookId = await client.webhook({ webhookUrl: receiver.url, feedId: 'session.info' });
  await prepare(client);
  await replay(client);
  await eventually('a third attempt', () => receiver.received.length === 3);
  receiver.answer(200);
  const deliveries = new Set(receiver.received.map(({ headers }) => headers['x-service-delivery-id']));
  assert.equal(deliveries.size, 1);
  const logs = await eventually('three log entries', async () => {
    const { data } = (await client.call('GET', `/webhooks/${webhookId}/logs`)).body;
    return data.logs.length === 3 && data.logs;
  });
  const [third, second, first] = logs.map(({ createdAt }: { createdAt: string }) => Date.parse(createdAt));
  // The log records whole milliseconds.
  assert.ok(second - first >= 999 && third - second >= 4_999, `${second - first} ms, ${third - second} ms`);
  assert.deepEqual(
    logs.map(({ attempt, statusCode }: { attempt: number; statusCode: number }) => [attempt, statusCode]),
    [3, 2, 1].map((attempt) => [attempt, 500]),
  );
  await client.call('DELETE', `/webhooks/${webhookId}`);
});

test('Limits rule 9: logs are kept for 90 days after the deletion of their webhook', async () => {
  const client = await service.client('free');
  const webhookId = await client.webhook({ webhookUrl: 'https://receiver.invalid/hook' });
  assert.equal((await client.call('POST', `/webhooks/${webhookId}/test`)).status, 200);
  assert.equal((await client.call('DELETE', `/webhooks/${webhookId}`)).status, 200);
  // The test cannot move the clock of the service, so it moves the deletion into the past.
  const read = async (ago: string) => {
    await sql`update webhook set deleted_at = now() - ${ago}::interval where webhook_id = ${webhookId}`;
    return client.call('GET', `/webhooks/${webhookId}/logs`);
  };
  assert.equal((await read('1 minute')).body.data.logs.length, 1);
  assert.equal((await read('89 days 23 hours')).status, 200);
  assert.equal((await read('90 days 1 minute')).status, 404);
});

test('Limits rule 10: passwords have 8 to 72 characters, and an error says which limit is broken', async () => {
  let address = 0;
  const signUp = (password: string) => {
    const headers = { 'x-forwarded-for': `198.51.100.${++address}` };
    return visit(service, 'POST', '/auth/signup', signUpBody(someEmail(), { password }), headers);
  };
  // The length counts characters, not bytes or UTF-16 units.
  for (const password of ['x'.repeat(8), 'x'.repeat(72), 'é'.repeat(72), '😀'.repeat(72)]) {
    assert.equal((await signUp(password)).status, 201, password);
  }
  for (const [password, text] of [
    ['x'.repeat(7), 'password must have at least 8 characters'],
    ['😀'.repeat(7), 'password must have at least 8 characters'],
    ['x'.repeat(73), 'password must have at most 72 characters'],
  ] as const) {
    const { status, body } = await signUp(password);
    assert.deepEqual([status, body.code, body.error], [400, 'invalid_body', text]);
  }
  const email = someEmail();
  const password = `${'😀'.repeat(71)}a`;
  await visit(service, 'POST', '/auth/signup', signUpBody(email, { password }));
  await visit(service, 'POST', '/auth/verify-email', { token: await mailedToken(service, email) });
  const login = (text: string) => visit(service, 'POST', '/auth/login', { email, password: text });
  assert.equal((await login(`${'😀'.repeat(71)}b`)).status, 401, 'the last of 72 characters counts');
  assert.equal((await login(password)).status, 200);
});

/** Sends ten logins with these X-Forwarded-For values, then one with `way`. Returns the status of the last one. */
async function afterTenLogins(ways: (login: number) => string, way: string): Promise<number> {
  const login = async (forwardedFor: string) => {
    const body = { email: someEmail(), password: PASSWORD };
    return (await visit(service, 'POST', '/auth/login', body, { 'x-forwarded-for': forwardedFor })).status;
  };
  for (let i = 0; i < 10; i++) assert.equal(await login(ways(i)), 401);
  return login(way);
}

test('Limits rule 10: behind trusted proxies, the address that the outermost proxy saw counts', async () => {
  const behind = (client: string) => () => `${client}, 10.0.0.1`;
  assert.equal(await afterTenLogins(behind('203.0.113.1'), '203.0.113.1, 10.0.0.1'), 429);
  assert.equal(await afterTenLogins(behind('203.0.113.2'), '203.0.113.3, 10.0.0.1'), 401, 'another customer');
});

test("Limits rule 10: a client's own X-Forwarded-For entries do not gain it more requests", async () => {
  const claimed = (login: number) => `192.0.2.${login}, 203.0.113.9, 10.0.0.1`;
  assert.equal(await afterTenLogins(claimed, '192.0.2.200, 203.0.113.9, 10.0.0.1'), 429);
});

test('Limits rule 10: all addresses of one IPv6 /64 network count as one', async () => {
  const neighbours = (login: number) => `2001:db8:1:1::${login + 1}`;
  assert.equal(await afterTenLogins(neighbours, '2001:db8:1:1:ffff::1'), 429);
  assert.equal(await afterTenLogins(() => '2001:db8:1:2::1', '2001:db8:1:3::1'), 401);
});

test('Limits: a flood of wrong client secrets is refused by its address, and keeps the owner out nowhere else', async () => {
  const { clientId, clientSecret } = await service.client('free');
  const ask = (secret: string, address: string) => {
    const grant = { grant_type: 'client_credentials', client_id: clientId, client_secret: secret };
    return call('POST', '/oauth', grant, { headers: { 'x-forwarded-for': address } });
  };
  const statuses = { 401: 0, 429: 0 };
  let left = 610;
  const flooding = async () => {
    while (left-- > 0) statuses[(await ask('wrong', '203.0.113.77')).status as 401 | 429]++;
  };
  await Promise.all(Array.from({ length: 20 }, flooding));
  assert.deepEqual(statuses, { 401: 600, 429: 10 });
  const { status, body, headers } = await ask(clientSecret, '203.0.113.77');
  assert.deepEqual([status, body.code], [429, 'rate_limit_exceeded']);
  const retryAfterS = Number(headers.get('retry-after'));
  assert.ok(retryAfterS > 0 && retryAfterS <= 600, String(retryAfterS));
  assert.match(body.error, new RegExp(`600 failed token requests per address .*: try again in ${retryAfterS} seconds`));
  assert.equal((await ask(clientSecret, '203.0.113.78')).status, 200);
});
