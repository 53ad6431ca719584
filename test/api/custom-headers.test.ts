import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import fc from 'fast-check';
import { headerLines, MASK, maskedHeaders, parseHeaders } from '#api/webhooks/custom-headers.ts';
import { HEADER_VALUE_CHARS_MAX, HEADERS_CHARS_MAX, HEADERS_MAX } from '#engine/base/limits.ts';
import { anyCharacter } from '#test/support/any-character.ts';
import { withApi } from '#test/support/api-harness.ts';

const api = await withApi({ after }, { headerPrefix: 'X-Race' });
const { control, sql, secretBox } = api;
const client = await api.client('developer');
const HOOK = { webhookUrl: 'https://hooks.example.com/in', feedId: 'lap.count' };

beforeEach(() => {
  control.changed.length = 0;
});

test('headers and a description are kept, answered with masked values, and sent to the delivery engine', async () => {
  const headers = { Authorization: 'Bearer top-secret-1', 'X-Api-Key': 'k' };
  const id = await client.webhook({ ...HOOK, headers, description: 'Pit wall, production' });
  const { body } = await client.call('GET', `/v1/webhooks/${id}`);
  assert.deepEqual(body.data.headers, { Authorization: MASK, 'X-Api-Key': MASK });
  assert.equal(body.data.description, 'Pit wall, production');
  const list = await client.call('GET', '/v1/webhooks?limit=100');
  assert.ok(!JSON.stringify(list.body).includes('top-secret'));
  await client.call('PATCH', `/v1/webhooks/${id}`, { active: false });
  assert.equal(control.changed[0]!.headerLines, 'Authorization: Bearer top-secret-1\r\nX-Api-Key: k\r\n');
  const [row] = await sql`select headers_sealed as sealed from webhook where webhook_id = ${id}`;
  assert.ok(!row!.sealed.includes('top-secret') && !row!.sealed.includes('Authorization'), 'sealed at rest');
  assert.deepEqual(JSON.parse(secretBox.open(row!.sealed)), Object.entries(headers));
});

test('PATCH replaces all headers, an empty object removes them, and what is not given stays', async () => {
  const id = await client.webhook({ ...HOOK, headers: { 'X-One': '1', 'X-Two': '2' }, description: 'first' });
  const patch = async (change: object) => (await client.call('PATCH', `/v1/webhooks/${id}`, change)).body.data;
  const kept = await patch({ active: true });
  assert.deepEqual([kept.headers, kept.description], [{ 'X-One': MASK, 'X-Two': MASK }, 'first']);
  const replaced = await patch({ headers: { 'X-Two': 'two' }, description: '' });
  assert.deepEqual([replaced.headers, replaced.description], [{ 'X-Two': MASK }, '']);
  assert.equal(control.changed.at(-1)!.headerLines, 'X-Two: two\r\n');
  assert.deepEqual((await patch({ headers: {} })).headers, {});
  assert.equal(control.changed.at(-1)!.headerLines, '');
  const [row] = await sql`select headers_sealed as sealed from webhook where webhook_id = ${id}`;
  assert.equal(row!.sealed, null);
});

test('a refusal names every wrong header and never its value', async () => {
  for (const headers of [
    { Host: 'other.example' },
    { 'Content-Length': '0' },
    { 'content-type': 'text/plain' },
    { 'Transfer-Encoding': 'chunked' },
    { Connection: 'close' },
    { 'Keep-Alive': 'x' },
    { 'Proxy-Authorization': 'x' },
    { Upgrade: 'h2c' },
    { 'User-Agent': 'x' },
    { 'webhook-signature': 'v1,x' },
    { 'x-race-signature': 'sha256=0' },
    { 'X-RACE-Mode': 'live' },
    { 'bad name': 'x' },
    { 'bad:name': 'x' },
    { '': 'x' },
    { näme: 'x' },
    { 'X-Value': 'a\r\nX-Race-Mode: live' },
    { 'X-Value': 'a\nb' },
    { 'X-Value': 'a\u0000b' },
    { 'X-Value': 'grün' },
    { 'X-Value': ' a' },
    { 'X-Value': '' },
    { 'X-Value': 7 },
    { 'X-Value': null },
    { 'X-Value': MASK },
    { 'X-Value': 'v'.repeat(HEADER_VALUE_CHARS_MAX + 1) },
    { ['X'.repeat(65)]: 'x' },
    { 'X-Same': '1', 'x-same': '2' },
    Object.fromEntries(Array.from({ length: HEADERS_MAX + 1 }, (_, index) => [`X-${index}`, 'x'])),
    Object.fromEntries([1, 2, 3].map((index) => [`X-${index}`, 'v'.repeat(HEADERS_CHARS_MAX / 3)])),
    [],
    'X-Value: a',
    null,
  ]) {
    const { status, body } = await client.call('POST', '/v1/webhooks', { ...HOOK, headers });
    assert.deepEqual([status, body.code], [400, 'invalid_body'], JSON.stringify(headers));
    assert.match(body.error, /^headers/);
  }
  const two = { 'X-Key': 'very secret ', Host: 'very secret' };
  const { body } = await client.call('POST', '/v1/webhooks', { ...HOOK, headers: two });
  assert.match(
    body.error,
    /headers\."X-Key" must have a value of printable ASCII.*; headers\."Host" belongs to the service/,
  );
  assert.ok(!body.error.includes('secret'));
  const long = await client.call('POST', '/v1/webhooks', { ...HOOK, description: 'd'.repeat(257) });
  assert.match(long.body.error, /^description must have at most 256 characters/);
  const control = await client.call('POST', '/v1/webhooks', { ...HOOK, description: 'a\u0000b' });
  assert.match(control.body.error, /^description must not contain control characters/);
});

test('ten headers at the bounds are accepted', async () => {
  const headers = Object.fromEntries(
    Array.from({ length: HEADERS_MAX }, (_, index) => [
      `X-${index}`,
      'v'.repeat(index === 0 ? HEADER_VALUE_CHARS_MAX : 100),
    ]),
  );
  await client.webhook({ ...HOOK, headers, description: 'd'.repeat(256) });
});

test('whatever is accepted makes as many header lines as headers, none of them ours', () => {
  const name = fc.oneof(
    fc.string({ maxLength: 12, unit: anyCharacter }),
    fc.constantFrom('Host', 'X-A', 'x-race-mode', 'content-x'),
  );
  const value = fc.oneof(fc.string({ maxLength: 12, unit: anyCharacter }), fc.constantFrom('a b', 'a\r\nb: c', ' '));
  fc.assert(
    fc.property(fc.dictionary(name, value, { maxKeys: 4 }), (given) => {
      const parsed = parseHeaders(given, 'X-Race');
      if ('violations' in parsed) return assert.ok(parsed.violations.length > 0);
      const lines = headerLines(parsed.ok);
      assert.match(lines, /^(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+: [\x20-\x7e]+\r\n)*$/);
      assert.equal(lines.split('\r\n').length - 1, Object.keys(given).length);
      assert.deepEqual(Object.keys(maskedHeaders(parsed.ok)), Object.keys(given));
      assert.ok(!/^(?:host|x-race-.*|content-.*):/im.test(lines));
    }),
    { numRuns: 2_000 },
  );
});
