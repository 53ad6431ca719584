import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AddressLimit } from '#api/http/address-limit.ts';
import { ApiError } from '#api/http/api-error.ts';
import { MemoryEventCounts } from '#api/http/memory-event-counts.ts';
import type { Rate } from '#api/http/recent-events.ts';
import { ADDRESSES_COUNTED_MAX } from '#engine/base/limits.ts';

let nowMs = 0;
const clock = { nowMs: () => nowMs, wallMs: () => 0 };

const limitOf = (rate: Rate): AddressLimit => new AddressLimit(new MemoryEventCounts(clock), 'tries', rate);

/** The seconds until the next try, or null when the request is admitted. */
async function retryAfter(limit: AddressLimit, clientIp: string): Promise<number | null> {
  try {
    await limit.admit(clientIp);
    return null;
  } catch (error) {
    assert.ok(error instanceof ApiError && error.code === 'rate_limit_exceeded');
    return Number(error.headers['retry-after']);
  }
}

test('the window slides: a slot becomes free when the oldest request is one window old, and not before', async () => {
  const limit = limitOf({ requests: 2, windowMs: 60_000 });
  nowMs = 1_000;
  assert.equal(await retryAfter(limit, '192.0.2.1'), null);
  nowMs = 31_000;
  assert.equal(await retryAfter(limit, '192.0.2.1'), null);
  assert.equal(await retryAfter(limit, '192.0.2.1'), 30);
  nowMs = 60_999.5;
  assert.equal(await retryAfter(limit, '192.0.2.1'), 1);
  nowMs = 61_000;
  assert.equal(await retryAfter(limit, '192.0.2.1'), null);
  assert.equal(await retryAfter(limit, '192.0.2.1'), 30);
});

test('a refused request does not count towards the limit', async () => {
  const limit = limitOf({ requests: 1, windowMs: 1_000 });
  nowMs = 0;
  assert.equal(await retryAfter(limit, '192.0.2.1'), null);
  for (nowMs = 100; nowMs < 1_000; nowMs += 100) assert.equal(await retryAfter(limit, '192.0.2.1'), 1);
  assert.equal(await retryAfter(limit, '192.0.2.1'), null);
});

test('each IPv4 address counts separately, IPv6 addresses count by their /64', async () => {
  const limit = limitOf({ requests: 1, windowMs: 1_000 });
  assert.equal(await retryAfter(limit, '192.0.2.1'), null);
  assert.equal(await retryAfter(limit, '192.0.2.2'), null);
  assert.equal(await retryAfter(limit, '2001:db8:1:2::1'), null);
  assert.equal(await retryAfter(limit, '2001:db8:1:2:ffff::1'), 1);
  assert.equal(await retryAfter(limit, '2001:db8:1:3::1'), null);
});

test('the addresses of an IPv6 /48 share four times the rate of a /64', async () => {
  const limit = limitOf({ requests: 5, windowMs: 1_000 });
  let admitted = 0;
  for (let i = 0; i < 60; i++) if ((await retryAfter(limit, `2001:db8:9:${i}::1`)) === null) admitted++;
  assert.equal(admitted, 20);
  assert.equal(await retryAfter(limit, '2001:db8:a::1'), null);
});

test('the number of tracked addresses is bounded; the least recently seen one is dropped first', async () => {
  const limit = limitOf({ requests: 1, windowMs: 1_000 });
  const address = (i: number) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`;
  for (let i = 0; i < ADDRESSES_COUNTED_MAX; i++) await limit.admit(address(i));
  assert.equal(await retryAfter(limit, address(1)), 1);
  await limit.admit('192.0.2.1');
  assert.equal(await retryAfter(limit, address(ADDRESSES_COUNTED_MAX - 1)), 1);
  assert.equal(await retryAfter(limit, address(0)), null);
});
