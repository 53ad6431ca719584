// Which client address a request counts for, seen from outside: whose requests the resend limit refuses.

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, test } from 'node:test';
import type { TrustProxy } from '#api/http/client-address.ts';
import { RESEND_RATE_MAX } from '#engine/base/limits.ts';
import { withApi } from '#test/support/api-harness.ts';
import { BEHIND_PROXY, someEmail } from '#test/support/people.ts';

const { sql } = await withApi({ after });

/** Whether requests that claim the first address use up the limit of the second one. */
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

test('without TRUST_PROXY a client cannot get around a limit with a header', async () => {
  assert.equal(await shareLimit({ kind: 'none' }, '203.0.113.1', '203.0.113.2'), true);
});

test('with TRUST_PROXY=true the address is the last one in the header, added by the nearest proxy', async () => {
  assert.equal(await shareLimit({ kind: 'all' }, '203.0.113.1', '203.0.113.2'), false);
});

test('with ranges the address is the last one in the header that is not a trusted proxy', async () => {
  assert.equal(await shareLimit(OWN, '203.0.113.1, 10.0.0.1', '203.0.113.2, 10.0.0.1'), false);
  assert.equal(
    await shareLimit(OWN, '1.1.1.1, 203.0.113.1', '2.2.2.2, 203.0.113.1, 10.0.0.1'),
    true,
    'a client forged the first address',
  );
  const others: TrustProxy = { kind: 'ranges', ranges: ['10.0.0.0/8'] };
  assert.equal(await shareLimit(others, '203.0.113.1', '203.0.113.2'), true, 'the sender is not a trusted proxy');
});

test('the addresses of one IPv6 network share a limit', async () => {
  assert.equal(await shareLimit(OWN, '2001:db8::1', '2001:db8::2'), true);
  assert.equal(await shareLimit(OWN, '2001:db8::1', '2001:db8:0:1::1'), false);
});

test('a trusted proxy may add a header line of its own instead of extending the existing line', async (t) => {
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
