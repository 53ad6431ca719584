// Lookups of names at a real name server: how long they wait, and how long their answers are kept.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { NameAnswer } from '#bench/receivers/hostile/misbehaviour.ts';
import { NameServer } from '#bench/receivers/hostile/name-server.ts';
import { systemClock } from '#engine/base/clock.ts';
import { NAME_KEPT_MS_MAX, RETRY_DELAYS_MS } from '#engine/base/limits.ts';
import { createNameLookup } from '#engine/delivery/transport/name-lookup.ts';

const ADDRESS = '93.184.216.34';
const NEVER_MS = 60_000;
const NAMES: Readonly<Record<string, NameAnswer>> = {
  'both.example.com': { kind: 'addresses', v4: [ADDRESS], v6: ['2606:2800:220:1::1'] },
  'half.example.com': { kind: 'half silence', v4: [ADDRESS] },
  'lost.example.com': { kind: 'lost query', v4: [ADDRESS], v6: ['2606:2800:220:1::1'] },
  'changing.example.com': { kind: 'change', first: ADDRESS, after: '93.184.216.35' },
  'broken.example.com': { kind: 'code', code: 2 },
};

const server = new NameServer(new Map(Object.entries(NAMES)), '127.0.0.1');
await server.listen(0);
after(() => server.close());
let aheadMs = 0;
const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + aheadMs };
/** Nothing is kept between two of them. */
const newLookup = () => createNameLookup(clock, [server.address], NEVER_MS);

const queriesOf = (name: string): number => server.queries.get(name) ?? 0;

test('a name server that is silent on IPv6 does not hold up the IPv4 addresses', async () => {
  const found = await Promise.race([newLookup()('half.example.com'), pause(NEVER_MS / 6, null, { ref: false })]);
  assert.deepEqual(found, [{ address: ADDRESS, family: 4 }]);
});

test('a name with addresses of both families has all of them', async () => {
  assert.deepEqual(await newLookup()('both.example.com'), [
    { address: ADDRESS, family: 4 },
    { address: '2606:2800:220:1::1', family: 6 },
  ]);
});

test('addresses are kept as long as the name server says, and asked for again after that', async () => {
  const lookup = newLookup();
  const before = queriesOf('both.example.com');
  for (let i = 0; i < 3; i++) await lookup('both.example.com');
  assert.equal(queriesOf('both.example.com'), before + 1);
  aheadMs += NAME_KEPT_MS_MAX;
  await lookup('both.example.com');
  assert.equal(queriesOf('both.example.com'), before + 2);
});

test('the addresses of one family alone, as the answer for the other was lost, are asked for again before the first retry', async () => {
  const lookup = newLookup();
  assert.deepEqual(await lookup('lost.example.com'), [{ address: '2606:2800:220:1::1', family: 6 }]);
  aheadMs += RETRY_DELAYS_MS[1]!;
  const found = await lookup('lost.example.com');
  assert.deepEqual(
    found.map(({ family }) => family),
    [4, 6],
  );
});

test('addresses that the name server wants nobody to keep are asked for each time', async () => {
  const lookup = newLookup();
  const [first] = await lookup('changing.example.com');
  const [second] = await lookup('changing.example.com');
  assert.deepEqual([first!.address, second!.address], [ADDRESS, '93.184.216.35']);
});

test('lookups of one name at the same moment share a query', async () => {
  const lookup = newLookup();
  const before = queriesOf('both.example.com');
  const all = await Promise.all(Array.from({ length: 50 }, () => lookup('both.example.com')));
  assert.ok(all.every((addresses) => addresses.length === 2));
  assert.equal(queriesOf('both.example.com'), before + 1);
});

test('a failed lookup is not kept', async () => {
  const lookup = newLookup();
  const before = queriesOf('broken.example.com');
  for (let i = 0; i < 2; i++) await assert.rejects(lookup('broken.example.com'), /has no address/);
  assert.ok(queriesOf('broken.example.com') >= before + 2);
});
