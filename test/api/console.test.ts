// What the service does for the console: its page and files, tokens of a sign-in, and the demo race for visitors.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { EventReader } from '#api/client/event-reader.ts';
import { buildConsole } from '#api/console/esbuild-console.ts';
import { deriveRace } from '#bench/load/race-slice.ts';
import { DEMO_VISITORS_ADDRESS_MAX } from '#engine/base/limits.ts';
import { until, withApi } from '#test/support/api-harness.ts';
import { BEHIND_PROXY, member, PASSWORD, post } from '#test/support/people.ts';

test('the first page needs at most 150 KB of compressed script, and every file of it is named by its content', async () => {
  const { files, script, imports, style } = await buildConsole('console');
  const first = [script, ...imports].map((name) => files.get(name)!.br.length);
  assert.ok(first.reduce((sum, bytes) => sum + bytes, 0) <= 150_000);
  assert.ok(files.has(style));
  for (const [name, { plain, br, gzip }] of files) {
    assert.match(name, /^(console|part|[\w-]+)-[0-9A-Z]{8}\.(js|css)$/);
    assert.deepEqual(brotliDecompressSync(br), Buffer.from(plain));
    assert.deepEqual(gunzipSync(gzip), Buffer.from(plain));
  }
});

test('every address of the console answers with the page, under a policy that allows no inline script', async (t) => {
  const api = await withApi(t);
  const page = await api.call('GET', '/');
  for (const path of ['/console/home', '/console/endpoints/whk_1', '/console/replay/demo-race'])
    assert.equal((await api.call('GET', path)).body, page.body);
  assert.match(page.headers.get('content-security-policy')!, /^default-src 'self'; .*frame-ancestors 'none'/);
  assert.doesNotMatch(page.headers.get('content-security-policy')!, /unsafe/);
  assert.equal(page.headers.get('referrer-policy'), 'no-referrer');
  assert.doesNotMatch(page.body as string, /<script>|style=|onload=/);
  const again = await api.call('GET', '/', undefined, { 'if-none-match': page.headers.get('etag')! });
  assert.equal(again.status, 304);

  const [, script] = /src="([^"]+)"/.exec(page.body as string)!;
  const file = await api.call('GET', script!);
  assert.equal(file.status, 200);
  assert.equal(file.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.equal(file.headers.get('vary'), 'Accept-Encoding');
  assert.equal((await api.call('GET', '/console/files/console-00000000.js')).status, 404);
});

test('with CONSOLE=off nothing of it is served', async (t) => {
  const api = await withApi(t, { servesConsole: false });
  for (const path of ['/', '/console/home', '/console/icon.svg', '/v1/console/account', '/v1/console/demo'])
    assert.equal((await api.call('GET', path)).status, 404, path);
  assert.equal((await api.call('POST', '/v1/console/token')).status, 404);
});

test('a page gets a token for its cookie, for a quarter of an hour, and the token ends with the sign-in', async (t) => {
  const api = await withApi(t, { front: BEHIND_PROXY });
  const owner = await member(api);
  assert.equal((await api.call('POST', '/v1/console/token')).status, 401);
  const issued = await api.call('POST', '/v1/console/token', undefined, owner.headers);
  assert.equal(issued.status, 200);
  assert.equal(issued.headers.get('cache-control'), 'no-store');
  assert.equal(issued.body.expires_in, 900);
  const bearer = { authorization: `Bearer ${issued.body.access_token}` };
  assert.equal((await api.call('GET', '/v1/usage', undefined, bearer)).status, 200);

  // Another sign-in of the same owner goes on.
  const other = await post(api, '/auth/login', { email: owner.email, password: PASSWORD });
  const cookie = { cookie: other.headers.getSetCookie()[0]!.split(';')[0]! };
  const elsewhere = await api.call('POST', '/v1/console/token', undefined, cookie);
  // Without the notices of the database, so that only the answer itself counts.
  await api.sql`alter table access_token disable trigger user`;
  assert.equal((await api.call('POST', '/v1/auth/logout', undefined, owner.headers)).status, 200);
  assert.equal((await api.call('GET', '/v1/usage', undefined, bearer)).status, 401, 'in force once it is answered');
  const stays = { authorization: `Bearer ${elsewhere.body.access_token}` };
  assert.equal((await api.call('GET', '/v1/usage', undefined, stays)).status, 200);
});

test('pages of other sites get no token, though the browser sends the cookie', async (t) => {
  const api = await withApi(t, { front: BEHIND_PROXY });
  const owner = await member(api);
  for (const foreign of [{ 'sec-fetch-site': 'same-site' }, { origin: 'https://evil.example' }]) {
    const { status, body } = await api.call('POST', '/v1/console/token', undefined, { ...owner.headers, ...foreign });
    assert.equal(status, 403);
    assert.equal(body.code, 'cross_site');
  }
});

test("requests of the console take nothing from the quota of the account's programs", async (t) => {
  const api = await withApi(t, { front: BEHIND_PROXY });
  const owner = await member(api);
  const { body } = await api.call('POST', '/v1/console/token', undefined, owner.headers);
  const page = await api.call('GET', '/v1/usage', undefined, { authorization: `Bearer ${body.access_token}` });
  assert.equal(page.headers.get('x-ratelimit-limit'), '7200');
  assert.equal(page.headers.get('x-ratelimit-remaining'), '7199');

  const { clientId, clientSecret } = (await api.call('POST', '/v1/oauth/credentials', undefined, owner.headers)).body;
  const grant = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const token = (await api.call('POST', '/v1/oauth', grant)).body.access_token;
  const program = await api.call('GET', '/v1/usage', undefined, { authorization: `Bearer ${token}` });
  assert.equal(program.headers.get('x-ratelimit-remaining'), '599');
});

test('a page learns who is signed in; a visitor who is not gets null, not an error', async (t) => {
  const api = await withApi(t, { front: BEHIND_PROXY });
  assert.deepEqual((await api.call('GET', '/v1/console/account')).body, { data: null });
  const owner = await member(api);
  const { body, headers } = await api.call('GET', '/v1/console/account', undefined, owner.headers);
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal(body.data.email, owner.email);
  assert.match(body.data.clientId, /^cli_/);
  assert.ok(!JSON.stringify(body).includes('ecret'));
  assert.equal(body.data.plan, 'free');
  assert.deepEqual(body.data.terms.opens, ['free']);
  assert.equal((await api.call('GET', '/v1/console/account', undefined, { cookie: 'session=no' })).body.data, null);
});

test('the demo race is shown to visitors, a few from one address at once, and room is made when they leave', async (t) => {
  const api = await withApi(t, { front: BEHIND_PROXY });
  await api.session('demo-race', { demo: true, timeline: deriveRace('demo') });
  const watch = (address: string): Promise<Response> =>
    fetch(`${api.address}/v1/console/demo`, { headers: { 'x-forwarded-for': address } });

  const shown = await Promise.all(Array.from({ length: DEMO_VISITORS_ADDRESS_MAX }, () => watch('10.0.0.1')));
  for (const { status } of shown) assert.equal(status, 200);
  const refused = await watch('10.0.0.1');
  assert.equal(refused.status, 503);
  assert.equal(refused.headers.get('retry-after'), '60');
  const other = await watch('10.0.0.2');
  const reader = other.body!.getReader();
  const events = new EventReader();
  const feeds = new Set<string>();
  while (!feeds.has('timing.data')) for (const { event } of events.read((await reader.read()).value!)) feeds.add(event);
  assert.ok(!feeds.has('car.telemetry') && !feeds.has('analytics.race-odds'));

  await Promise.all([reader.cancel(), ...shown.map(({ body }) => body!.cancel())]);
  await until(() => api.library.inUse === 0);
  const again = await watch('10.0.0.1');
  assert.equal(again.status, 200);
  await again.body!.cancel();
});
