import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AddressLimit } from '#api/http/address-limit.ts';
import { ApiError } from '#api/http/api-error.ts';
import { ADDRESSES_COUNTED_MAX } from '#engine/base/limits.ts';

let nowMs = 0;
const clock = { nowMs: () => nowMs, wallMs: () => 0 };

/** The seconds until the next try, or null when the request is admitted. */
function retryAfter(limit: AddressLimit, clientIp: string): number | null {
  try {
    limit.admit(clientIp);
    return null;
  } catch (error) {
    assert.ok(error instanceof ApiError && error.code === 'rate_limit_exceeded');
    return Number(error.headers['retry-after']);
  }
}

test('the window slides: a slot becomes free when the oldest request is one window old, and not before', () => {
  const limit = new AddressLimit({ requests: 2, windowMs: 60_000 }, clock);
  nowMs = 1_000;
  assert.equal(retryAfter(limit, '192.0.2.1'), null);
  nowMs = 31_000;
  assert.equal(retryAfter(limit, '192.0.2.1'), null);
  assert.equal(retryAfter(limit, '192.0.2.1'), 30);
  nowMs = 60_999.5;
  assert.equal(retryAfter(limit, '192.0.2.1'), 1);
  nowMs = 61_000;
  assert.equal(retryAfter(limit, '192.0.2.1'), null);
  assert.equal(retryAfter(limit, '192.0.2.1'), 30);
});

test('a refused request does not count towards the limit', () => {
  const limit = new AddressLimit({ requests: 1, windowMs: 1_000 }, clock);
  nowMs = 0;
  assert.equal(retryAfter(limit, '192.0.2.1'), null);
  for (nowMs = 100; nowMs < 1_000; nowMs += 100) assert.equal(retryAfter(limit, '192.0.2.1'), 1);
  assert.equal(retryAfter(limit, '192.0.2.1'), null);
});

test('each IPv4 address counts separately, IPv6 addresses count by their /64', () => {
  const limit = new AddressLimit({ requests: 1, windowMs: 1_000 }, clock);
  assert.equal(retryAfter(limit, '192.0.2.1'), null);
  assert.equal(retryAfter(limit, '192.0.2.2'), null);
  assert.equal(retryAfter(limit, '2001:db8:1:2::1'), null);
  assert.equal(retryAfter(limit, '2001:db8:1:2:ffff::1'), 1);
  assert.equal(retryAfter(limit, '2001:db8:1:3::1'), null);
});

test('the addresses of an IPv6 /48 share four times the rate of a /64', () => {
  const limit = new AddressLimit({ requests: 5, windowMs: 1_000 }, clock);
  let admitted = 0;
  for (let i = 0; i < 60; i++) if (retryAfter(limit, `2001:db8:9:${i}::1`) === null) admitted++;
  assert.equal(admitted, 20);
  assert.equal(retryAfter(limit, '2001:db8:a::1'), null);
});

test('the number of tracked addresses is bounded; the least recently seen one is dropped first', () => {
  const limit = new AddressLimit({ requests: 1, windowMs: 1_000 }, clock);
  const address = (i: number) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`;
  for (let i = 0; i < ADDRESSES_COUNTED_MAX; i++) limit.admit(address(i));
  assert.equal(retryAfter(limit, address(1)), 1);
  limit.admit('192.0.2.1');
  assert.equal(retryAfter(limit, address(ADDRESSES_COUNTED_MAX - 1)), 1);
  assert.equal(retryAfter(limit, address(0)), null);
});
