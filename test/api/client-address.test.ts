import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClientAddress, limitGroup, type TrustProxy } from '#api/http/client-address.ts';

const NOBODY: TrustProxy = { kind: 'none' };
const EVERYBODY: TrustProxy = { kind: 'all' };
const SOME: TrustProxy = { kind: 'ranges', ranges: ['10.0.0.0/8', '192.0.2.7', '2001:db8::/32', '::1'] };

function address(trust: TrustProxy, remote: string, forwardedFor = ''): string {
  return new ClientAddress(trust).of(remote, forwardedFor);
}

test('X-Forwarded-For from an untrusted address is ignored', () => {
  assert.equal(address(NOBODY, '10.0.0.1', '198.51.100.1'), '10.0.0.1');
  assert.equal(address(SOME, '198.51.100.9', '198.51.100.1'), '198.51.100.9');
});

test('the header is read from its end, up to the first untrusted address', () => {
  assert.equal(address(SOME, '10.0.0.1', '198.51.100.1'), '198.51.100.1');
  assert.equal(address(SOME, '10.0.0.1', '203.0.113.5, 198.51.100.1, 10.9.9.9'), '198.51.100.1');
  assert.equal(address(SOME, '192.0.2.7', '203.0.113.5'), '203.0.113.5');
  assert.equal(address(SOME, '192.0.2.8', '203.0.113.5'), '192.0.2.8');
  assert.equal(address(SOME, '2001:db8::1', '203.0.113.5'), '203.0.113.5');
  assert.equal(address(EVERYBODY, '10.0.0.1', '203.0.113.5, 198.51.100.1'), '203.0.113.5');
});

test('an entry that is not an address ends the reading', () => {
  assert.equal(address(EVERYBODY, '10.0.0.1', '203.0.113.5, unknown, 198.51.100.1'), '198.51.100.1');
  assert.equal(address(EVERYBODY, '10.0.0.1', ',,'), '10.0.0.1');
  assert.equal(address(EVERYBODY, 'unknown', '203.0.113.5'), 'unknown');
});

test('ports are dropped, and an IPv4-mapped IPv6 address counts as IPv4', () => {
  assert.equal(address(EVERYBODY, '10.0.0.1', '203.0.113.5:1234'), '203.0.113.5');
  assert.equal(address(EVERYBODY, '10.0.0.1', '[2001:db8::5]:1234'), '2001:db8::5');
  assert.equal(address(SOME, '::ffff:10.0.0.1', '::ffff:203.0.113.5'), '203.0.113.5');
});

test('a header of any length takes a bounded number of steps', () => {
  const long = Array(10_000).fill('10.0.0.2').join(',');
  assert.equal(address(EVERYBODY, '10.0.0.1', `203.0.113.5,${long}`), '10.0.0.2');
});

test('each IPv4 address is its own limit group, and an IPv6 /64 is one group', () => {
  assert.notEqual(limitGroup('192.0.2.1'), limitGroup('192.0.2.2'));
  assert.equal(limitGroup('2001:db8::1'), limitGroup('2001:db8::ffff:0:0:2'));
  assert.notEqual(limitGroup('2001:db8::1'), limitGroup('2001:db8:0:1::1'));
});
