// Whose address a request has, seen from outside: by whom the limit of resending hits.

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, test } from 'node:test';
import type { TrustProxy } from '#api/http/client-address.ts';
import { RESEND_RATE_MAX } from '#engine/base/limits.ts';
import { withApi } from '#test/support/api-harness.ts';
import { BEHIND_PROXY, someEmail } from '#test/support/people.ts';

const { sql } = await withApi({ after });

/** Whether requests that say that they come from the first address use up what the second one may send. */
async function shareLimit(trustProxy: TrustProxy, first: string, second: string): Promise<boolean> {
  const ends: (() => unknown)[] = [];
  const api = await withApi({ after: (end) => ends.push(end) }, { sql, front: { ...BEHIND_PROXY, trustProxy } });
  const send = async (forwardedFor: string) => {
    const headers = { 'x-forwarded-for': forwardedFor };
    return (await api.call('POST', '/v1/auth/resend-verification', { email: someEmail() }, headers)).status;
  };
  for (let i = 0; i < RESEND_RATE_MAX.requests; i++) assert.equal(await send(first), 200);
  assert.equal(await send(first), 429);
  const shared = (await send(second)) === 429;
  for (const end of ends) await end();
  return shared;
}

const OWN: TrustProxy = { kind: 'ranges', ranges: ['127.0.0.0/8', '10.0.0.0/8'] };

test('without TRUST_PROXY nobody gets around a limit by a header', async () => {
  assert.equal(await shareLimit({ kind: 'none' }, '203.0.113.1', '203.0.113.2'), true);
});

test('with TRUST_PROXY=true the nearest proxy is believed, which adds the address at the end', async () => {
  assert.equal(await shareLimit({ kind: 'all' }, '203.0.113.1', '203.0.113.2'), false);
});

test('with ranges the address is the first one, from the end, that is not a proxy', async () => {
  assert.equal(await shareLimit(OWN, '203.0.113.1, 10.0.0.1', '203.0.113.2, 10.0.0.1'), false);
  assert.equal(
    await shareLimit(OWN, '1.1.1.1, 203.0.113.1', '2.2.2.2, 203.0.113.1, 10.0.0.1'),
    true,
    'forged by a client',
  );
  const others: TrustProxy = { kind: 'ranges', ranges: ['10.0.0.0/8'] };
  assert.equal(await shareLimit(others, '203.0.113.1', '203.0.113.2'), true, 'whoever sends is no trusted proxy');
});

test('the addresses of one IPv6 network share a limit', async () => {
  assert.equal(await shareLimit(OWN, '2001:db8::1', '2001:db8::2'), true);
  assert.equal(await shareLimit(OWN, '2001:db8::1', '2001:db8:0:1::1'), false);
});

test('a proxy that adds a header line of its own is believed as one that adds to the line', async (t) => {
  const api = await withApi(t, { sql, front: { ...BEHIND_PROXY, trustProxy: OWN } });
  const send = (claimed: string) =>
    new Promise<number>((resolve, reject) => {
      const sending = request(
        `${api.address}/v1/auth/resend-verification`,
        { method: 'POST', headers: { 'x-forwarded-for': [claimed, '203.0.113.8'], connection: 'close' } },
        (response) => response.resume().on('end', () => resolve(response.statusCode!)),
      );
      sending.on('error', reject).end(JSON.stringify({ email: someEmail() }));
    });
  for (let i = 0; i < RESEND_RATE_MAX.requests; i++) assert.equal(await send(`8.8.8.${i}`), 200);
  assert.equal(await send('8.8.8.100'), 429);
});
