import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '#engine/base/clock.ts';
import type { Log } from '#engine/base/log.ts';
import { type Client, withApi } from '#test/support/api-harness.ts';

const lines: { details: Record<string, unknown>; message: string }[] = [];
const log: Log = {
  info: (details, message) => lines.push({ details: details as Record<string, unknown>, message }),
  warn() {},
  error() {},
};
let wallMs = Date.UTC(2026, 3, 1, 12, 30, 0);
const clock = { ...systemClock, wallMs: () => wallMs };

const api = await withApi({ after }, { log, clock });
const PAGE = 'https://app.example.com';
const browsers = await withApi(
  { after },
  {
    sql: api.sql,
    front: { trustProxy: { kind: 'none' }, https: true, corsOrigins: new Set([PAGE]) },
  },
);

/** The account's request quota, from the response headers. */
async function standing(client: Client) {
  const { status, headers, body } = await client.call('GET', '/v1/feeds');
  const numbers = ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`x-ratelimit-${name}`)));
  return { status, code: body.code, numbers, retryAfter: headers.get('retry-after') };
}

test('every response to a bearer request reports the hourly quota of the account, errors too', async () => {
  const client = await api.client('developer');
  const hourEnds = Date.UTC(2026, 3, 1, 13) / 1_000;
  assert.deepEqual((await standing(client)).numbers, [1_800, 1_799, hourEnds]);
  for (const [method, path, body] of [
    ['GET', '/v1/webhooks/wh_nothing/secret', undefined],
    ['POST', '/v1/webhooks', {}],
    ['GET', '/v1/webhooks?limit=x', undefined],
  ] as const) {
    const { headers } = await client.call(method, path, body);
    assert.ok(Number(headers.get('x-ratelimit-remaining')) < 1_799, path);
  }
  assert.equal((await standing(client)).numbers[1], 1_795);
  const unknown = await api.call('GET', '/v1/feeds');
  assert.equal(unknown.headers.get('x-ratelimit-limit'), null);
});

test('an account over its request quota gets 429 with Retry-After until the hour ends; other accounts do not', async () => {
  const [free, other] = [await api.client('free'), await api.client('free')];
  wallMs = Date.UTC(2026, 3, 1, 14, 59, 0);
  for (let sent = 0; sent < 600; sent += 50) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => standing(free)));
    assert.ok(answers.every(({ status }) => status === 200));
  }
  const reset = Date.UTC(2026, 3, 1, 15) / 1_000;
  assert.deepEqual(await standing(free), {
    status: 429,
    code: 'rate_limit_exceeded',
    numbers: [600, 0, reset],
    retryAfter: '60',
  });
  assert.deepEqual((await standing(other)).numbers, [600, 599, reset]);
  wallMs = Date.UTC(2026, 3, 1, 15, 0, 0);
  assert.deepEqual((await standing(free)).numbers, [600, 599, reset + 3_600]);
});

test('a request id is echoed or generated, and the log has it with the request and its status', async () => {
  const client = await api.client('free');
  lines.length = 0;
  const given = await client.call('POST', '/v1/webhooks?secret=1', {}, { 'x-request-id': 'mine-1' });
  assert.equal(given.headers.get('x-request-id'), 'mine-1');
  const line = lines.find(({ details }) => details.requestId === 'mine-1')!;
  assert.deepEqual(
    { ...line.details, ms: 0 },
    {
      requestId: 'mine-1',
      method: 'POST',
      path: '/v1/webhooks',
      status: 400,
      ms: 0,
      accountId: client.accountId,
      code: 'invalid_query',
    },
  );
  const strange = await client.call('GET', '/v1/feeds', undefined, { 'x-request-id': 'a b\tc' });
  assert.match(strange.headers.get('x-request-id')!, /^[0-9a-f-]{36}$/);
});

test('without CORS settings no page of another origin may read a response', async () => {
  const { headers } = await api.call('GET', '/v1/feeds', undefined, { origin: PAGE });
  assert.equal(headers.get('access-control-allow-origin'), null);
  const preflight = await api.call('OPTIONS', '/v1/feeds', undefined, {
    origin: PAGE,
    'access-control-request-method': 'GET',
  });
  assert.deepEqual([preflight.status, preflight.headers.get('access-control-allow-methods')], [204, null]);
});

test('pages of configured origins may read responses and send cookies; other pages may not', async () => {
  const allowed = await browsers.call('GET', '/v1/feeds', undefined, { origin: PAGE });
  assert.equal(allowed.status, 401);
  assert.equal(allowed.headers.get('access-control-allow-origin'), PAGE);
  assert.equal(allowed.headers.get('access-control-allow-credentials'), 'true');
  assert.match(allowed.headers.get('access-control-expose-headers')!, /X-RateLimit-Remaining/);
  assert.equal(allowed.headers.get('vary'), 'Origin');
  const other = await browsers.call('GET', '/v1/feeds', undefined, { origin: 'https://evil.example' });
  assert.deepEqual([other.headers.get('access-control-allow-origin'), other.headers.get('vary')], [null, 'Origin']);
  const preflight = await browsers.call('OPTIONS', '/v1/webhooks', undefined, {
    origin: PAGE,
    'access-control-request-method': 'POST',
  });
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers.get('access-control-allow-methods'), 'POST, GET, HEAD, OPTIONS');
  assert.equal(
    preflight.headers.get('access-control-allow-headers'),
    'Authorization, Content-Type, Last-Event-ID, X-Request-Id',
  );
});

test('a page of another site can neither sign its visitor in nor act on behalf of a signed-in user', async () => {
  const crossSite = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
  const body = { email: 'somebody@example.com', password: 'a good password' };
  for (const path of ['/v1/auth/login', '/v1/auth/verify-email', '/v1/auth/logout', '/v1/oauth/credentials']) {
    for (const each of [api, browsers]) {
      const refused = await each.call('POST', path, body, crossSite);
      assert.deepEqual([refused.status, refused.body.code], [403, 'cross_site'], path);
      const own = await each.call('POST', path, body, { ...crossSite, 'sec-fetch-site': 'same-origin' });
      assert.notEqual(own.body.code, 'cross_site', path);
    }
    const allowed = await browsers.call('POST', path, body, { ...crossSite, origin: PAGE });
    assert.notEqual(allowed.body.code, 'cross_site', path);
  }
});

test('every response has Strict-Transport-Security behind https, and none has it otherwise', async () => {
  for (const path of ['/v1/feeds', '/healthz', '/nothing']) {
    const secure = await browsers.call('GET', path);
    assert.equal(secure.headers.get('strict-transport-security'), 'max-age=31536000', path);
    const plain = await api.call('GET', path);
    assert.equal(plain.headers.get('strict-transport-security'), null, path);
  }
});

test('HEAD returns the same status and headers as GET, without the body', async () => {
  const client = await api.client('free');
  const get = await client.call('GET', '/v1/webhooks');
  const head = await client.call('HEAD', '/v1/webhooks');
  assert.deepEqual([head.status, head.body], [200, '']);
  assert.equal(head.headers.get('content-length'), get.headers.get('content-length'));
  assert.equal(head.headers.get('content-type'), 'application/json');
});
