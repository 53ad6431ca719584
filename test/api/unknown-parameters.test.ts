// A misspelt parameter is refused, not ignored: `?statsu=500` would otherwise answer the whole log. Pages are reached over
// links, to which others add parameters of theirs.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { QUOTED_CHARS_MAX } from '#engine/base/limits.ts';
import { withApi } from '#test/support/api-harness.ts';

const api = await withApi({ after });
const client = await api.client('developer');

test('an unknown parameter is invalid_query, and the error names the known ones', async () => {
  const webhookId = await client.webhook();
  for (const [method, path, error] of [
    ['GET', '/v1/webhooks?page=2&limit=5', '"page" is not a known parameter (known: limit, offset)'],
    ['GET', '/v1/webhooks?Limit=5', '"Limit" is not a known parameter (known: limit, offset)'],
    ['GET', '/v1/usage?month=2026-11', '"month" is not a known parameter (this operation takes none)'],
    ['GET', '/v1/webhooks?a=1&b=2&a=3', '"a", "b" are not known parameters (known: limit, offset)'],
    ['GET', '/v1/webhooks?=1', '"" is not a known parameter (known: limit, offset)'],
    ['DELETE', `/v1/webhooks/${webhookId}?force=true`, '"force" is not a known parameter (this operation takes none)'],
    [
      'GET',
      '/v1/webhooks?page=2&limit=0',
      '"page" is not a known parameter (known: limit, offset); limit must be at least 1',
    ],
  ] as const) {
    const { status, body } = await client.call(method, path);
    assert.deepEqual([status, body.code, body.error], [400, 'invalid_query', error], path);
  }
  assert.equal((await client.call('GET', `/v1/webhooks/${webhookId}/secret`)).status, 200, 'nothing was deleted');
});

test('public operations of the API refuse unknown parameters, too', async () => {
  for (const [method, path, body] of [
    ['GET', '/v1/auth/verify-email?token=abc&utm_source=mail', undefined],
    ['POST', '/v1/oauth?grant_type=client_credentials', { grant_type: 'client_credentials' }],
  ] as const) {
    const answer = await api.call(method, path, body);
    assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_query'], path);
  }
});

test('pages, probes and the messages of other services take any parameters', async () => {
  for (const path of [
    '/verify-email?token=abc&utm_source=mail',
    '/verify-email.js?v=2',
    '/billing?fbclid=1',
    '/healthz?1',
  ]) {
    assert.equal((await api.call('GET', path)).status, 200, path);
  }
  const event = await api.call('POST', '/v1/billing/stripe-events?source=stripe', {});
  assert.equal(event.body.code, 'billing_not_configured');
});

test('many and long unknown names make no long message', async () => {
  const names = Array.from({ length: 300 }, (_, index) => `${index}${'x'.repeat(100)}=1`);
  let sent = '';
  for (const name of names) if (sent.length + name.length < 3_000) sent += `${name}&`;
  const { status, body } = await client.call('GET', `/v1/usage?${sent}`);
  assert.equal(status, 400);
  assert.match(body.error, /^"0x+…", "1x+…".* and \d+ more are not known parameters \(this operation takes none\)$/);
  assert.ok(body.error.length < 20 * (QUOTED_CHARS_MAX + 10), String(body.error.length));
});
