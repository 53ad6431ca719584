// What all responses have in common: the prefix of their paths, and the headers that browsers, proxies and caches obey.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { contractService } from '#test/support/contract-service.ts';
import { PASSWORD } from '#test/support/people.ts';
import { BEHIND_PROXY, grantOf, mailedToken, member, signUp, visit } from './visitor.ts';

const PUBLIC_URL = 'https://api.races.example.com';
const HSTS = 'strict-transport-security';

const service = await contractService({ after }, { ...BEHIND_PROXY, PUBLIC_URL });
const { call } = service;

/** All of "Endpoints" of the interface. */
const ENDPOINTS = `
POST /auth/signup
GET /auth/verify-email
POST /auth/verify-email
POST /auth/resend-verification
POST /auth/login
POST /auth/logout
POST /oauth/credentials
POST /oauth
POST /console/regenerate-secret
POST /webhooks
GET /webhooks
GET /webhooks/{webhookId}/secret
PATCH /webhooks/{webhookId}
PATCH /webhooks/{webhookId}/feeds/{feedId}
DELETE /webhooks/{webhookId}
GET /webhooks/{webhookId}/logs
POST /webhooks/{webhookId}/test
POST /webhooks/{webhookId}/rotate-secret
GET /feeds
GET /events
GET /simulate/sessions
GET /simulate/quota
POST /simulate/prepare
GET /simulate/status
GET /simulate/stream
DELETE /simulate/stream
GET /preview/upcoming
GET /preview/{sessionId}
GET /fantasy/races/{raceId}/scores
GET /fantasy/session/{sessionId}/scores
GET /fantasy/session/{sessionId}/pit-times
GET /usage
GET /usage/by-feed
GET /usage/latency`
  .trim()
  .split('\n')
  .map((line) => line.split(' ') as [method: string, path: string]);

test('Versioning: every endpoint of the interface is under /v1, allows its method, and is documented', async () => {
  const paths = service.document.paths as Record<string, Record<string, unknown>>;
  for (const [method, path] of ENDPOINTS) {
    const real = path.replaceAll(/\{\w+\}/g, 'x');
    const { status, headers } = await call('OPTIONS', real);
    assert.equal(status, 204, path);
    assert.ok(headers.get('allow')!.split(', ').includes(method), `${method} ${path}`);
    assert.ok(paths[path]?.[method.toLowerCase()] !== undefined, `${method} ${path} is documented`);
    const bare = await fetch(`${service.process.address}${real}`, { method });
    // Below /console/ every path is a page of the console.
    const isPage = path.startsWith('/console/');
    assert.equal(bare.status, isPage ? 405 : 404, `${path} without /v1`);
    assert.match(await bare.text(), isPage ? /supports GET/ : /begin with \/v1/);
  }
});

test('Versioning: the OpenAPI document gives the public address, ending in /v1, as {base_url}', () => {
  assert.deepEqual(service.document.servers, [{ url: `${PUBLIC_URL}/v1` }]);
});

test('X-Request-Id: a response repeats the id of its request or gets a new one, on refusals too', async () => {
  for (const path of ['/auth/verify-email?token=x', '/feeds', '/nothing']) {
    const given = await call('GET', path, undefined, { headers: { 'x-request-id': 'from-the-client.1' } });
    assert.equal(given.headers.get('x-request-id'), 'from-the-client.1');
    const made = await Promise.all([call('GET', path), call('GET', path)]);
    const ids = made.map(({ headers }) => headers.get('x-request-id'));
    for (const id of ids) assert.match(id!, /^[0-9a-f-]{36}$/);
    assert.notEqual(ids[0], ids[1]);
  }
});

test('Cache-Control: every response with a secret, a token or a cookie has no-store', async () => {
  const email = await signUp(service);
  const confirmed = await visit(service, 'POST', '/auth/verify-email', { token: await mailedToken(service, email) });
  const login = await visit(service, 'POST', '/auth/login', { email, password: PASSWORD });
  const { cookie } = await member(service);
  const credentials = await call('POST', '/oauth/credentials', undefined, { cookie });
  const token = await call('POST', '/oauth', await grantOf(service, cookie));
  const regenerated = await call('POST', '/console/regenerate-secret', undefined, { cookie });
  const logout = await call('POST', '/auth/logout', undefined, { cookie });
  const client = await service.client('free');
  const hook = { webhookUrl: 'https://8.8.8.8/hook', feedId: 'session.status' };
  const created = await client.call('POST', '/webhooks', hook);
  const { webhookId } = created.body.data;
  const secret = await client.call('GET', `/webhooks/${webhookId}/secret`);
  const rotated = await client.call('POST', `/webhooks/${webhookId}/rotate-secret`);
  const answers = { confirmed, login, credentials, token, regenerated, logout, created, secret, rotated };
  for (const [name, { status, headers }] of Object.entries(answers)) {
    assert.ok(status < 300, `${name}: ${status}`);
    assert.equal(headers.get('cache-control'), 'no-store', name);
  }
});

test('CORS: without settings, pages of other origins can neither read a response nor send a token', async () => {
  const { token } = await service.client('free');
  const origin = { origin: 'https://elsewhere.example.com' };
  const preflight = {
    ...origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization',
  };
  for (const { status, headers } of [
    await call('GET', '/feeds', undefined, { token, headers: origin }),
    await call('OPTIONS', '/webhooks', undefined, { headers: preflight }),
  ]) {
    assert.ok(status < 300);
    assert.deepEqual(
      [...headers.keys()].filter((name) => name.startsWith('access-control-')),
      [],
    );
  }
});

test('webhookUrl: a service with a public address refuses URLs of its own machine', async () => {
  const client = await service.client('free');
  for (const host of ['localhost', '127.0.0.1', '[::1]']) {
    const hook = { webhookUrl: `http://${host}:5432/`, feedId: 'session.status' };
    const { status, body } = await client.call('POST', '/webhooks', hook);
    assert.deepEqual([status, body.code], [400, 'invalid_body']);
    assert.match(body.error, /^webhookUrl must be publicly reachable/);
  }
  const hook = { webhookUrl: 'https://8.8.8.8/hook', feedId: 'session.status' };
  const { webhookId } = (await client.call('POST', '/webhooks', hook)).body.data;
  const { status } = await client.call('PATCH', `/webhooks/${webhookId}`, { webhookUrl: 'http://localhost:5432/' });
  assert.equal(status, 400);
});

test('HSTS: with an https PUBLIC_URL every response has the header, and the cookie is Secure', async () => {
  const { email, cookie } = await member(service);
  for (const path of ['/auth/verify-email?token=x', '/feeds', '/nothing']) {
    assert.match((await call('GET', path)).headers.get(HSTS)!, /^max-age=\d{8}/);
  }
  assert.ok((await call('OPTIONS', '/webhooks')).headers.has(HSTS));
  const login = await visit(service, 'POST', '/auth/login', { email, password: PASSWORD });
  assert.match(login.headers.getSetCookie()[0]!, /; HttpOnly; SameSite=Lax; Secure$/);
  const logout = await call('POST', '/auth/logout', undefined, { cookie });
  assert.match(logout.headers.getSetCookie()[0]!, /^__Host-session=; .*; Secure$/);
});

test('HEAD: gives the response of GET without its body, and starts no replay', async () => {
  const { token } = await service.client('free');
  for (const path of ['/feeds', '/webhooks', '/usage']) {
    const get = await call('GET', path, undefined, { token });
    const head = await call('HEAD', path, undefined, { token });
    assert.deepEqual([head.status, head.body], [200, '']);
    for (const name of ['content-type', 'content-length', 'x-ratelimit-limit']) {
      assert.equal(head.headers.get(name), get.headers.get(name), `${name} of ${path}`);
    }
  }
  const started = await call('HEAD', '/simulate/stream?session=demo-race', undefined, { token });
  assert.deepEqual([started.status, started.headers.get('allow')], [405, 'GET, DELETE, OPTIONS']);
});

test('OPTIONS: gives 204 with Allow for every known path without credentials, and 404 for others', async () => {
  const { status, body, headers } = await call('OPTIONS', '/webhooks');
  assert.deepEqual([status, body, headers.get('allow')], [204, '', 'POST, GET, HEAD, OPTIONS']);
  assert.equal((await call('OPTIONS', '/nothing')).status, 404);
});
