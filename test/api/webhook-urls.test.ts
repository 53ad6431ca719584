// The webhook URL policy at the three places that apply it: when an endpoint is created, when it is changed, and when it is
// called. All three refuse the same addresses, both as literals in a URL and as addresses that a name resolves to.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  type Boundary,
  boundaries,
  isLoopback,
  isPublic,
  RANGES_V4,
  RANGES_V6,
} from '#test/delivery/transport/address-ranges.ts';
import { withApi } from '#test/support/api-harness.ts';
import { connected, send } from '#test/support/bare-http.ts';

const PUBLIC = '93.184.216.34';
const NAME = 'inside.example.com';
const ALL: readonly Boundary[] = [...boundaries(RANGES_V4), ...boundaries(RANGES_V6)];
const INSIDE = ALL.filter(({ value, bits }) => !isPublic(value, bits) && !isLoopback(value, bits));
const OUTSIDE = ALL.filter(({ value, bits }) => isPublic(value, bits));

const api = await withApi({ after });
const client = await api.client('custom');
const webhookId = await client.webhook();

const literal = ({ text, bits }: Boundary): string => (bits === 32 ? text : `[${text}]`);

async function statusesOf(
  webhookUrl: string,
): Promise<{ readonly create: number; readonly update: number; readonly error: string }> {
  const create = await client.call('POST', '/v1/webhooks', { webhookUrl, feedId: 'session.status' });
  const update = await client.call('PATCH', `/v1/webhooks/${webhookId}`, { webhookUrl });
  if (create.status === 201) await client.call('DELETE', `/v1/webhooks/${create.body.data.webhookId}`);
  return { create: create.status, update: update.status, error: create.body.error ?? '' };
}

test('create, update and connect refuse an address that is not public, both in the URL and behind a name', async (t) => {
  for (const address of INSIDE) {
    const origin = `https://${literal(address)}`;
    const { create, update } = await statusesOf(`${origin}/hook`);
    assert.deepEqual([create, update], [400, 400], `${origin}: ${address.what}`);
    for (const isReplay of [false, true]) {
      assert.match(
        (await send(connected(origin, [], isReplay), origin)).error!,
        /is not a public address$/,
        address.what,
      );
    }
  }
  for (const address of INSIDE) {
    api.names.set(NAME, [PUBLIC, address.text]);
    const origin = `https://${NAME}`;
    const { create, update, error } = await statusesOf(`${origin}/hook`);
    assert.deepEqual([create, update], [400, 400], `a name of ${address.text}: ${address.what}`);
    assert.ok(!error.includes(address.text), 'the error does not reveal the address');
    const addresses = [PUBLIC, address.text].map((text) => ({ address: text, family: text.includes(':') ? 6 : 4 }));
    const outcome = await send(
      connected(origin, [], true, async () => addresses),
      origin,
    );
    assert.equal(outcome.error, `${NAME} has an address that is not allowed`, address.what);
  }
  t.diagnostic(`addresses refused at three sites, as literals and behind a name: ${INSIDE.length}`);
});

test('create and update accept the public neighbours of special ranges', async (t) => {
  for (const address of OUTSIDE) {
    const { create, update } = await statusesOf(`https://${literal(address)}/hook`);
    assert.deepEqual([create, update], [201, 200], `${address.text}: ${address.what}`);
  }
  t.diagnostic(`addresses accepted: ${OUTSIDE.length}`);
});

test('create, update and connect refuse loopback behind a name other than localhost', async () => {
  for (const address of ['127.0.0.1', '::1']) {
    api.names.set(NAME, [address]);
    const { create, update } = await statusesOf(`https://${NAME}/hook`);
    assert.deepEqual([create, update], [400, 400]);
    const lookup = async () => [{ address, family: address === '::1' ? 6 : 4 }];
    const origin = `https://${NAME}`;
    assert.match((await send(connected(origin, [], true, lookup), origin)).error!, /not allowed$/);
  }
});
