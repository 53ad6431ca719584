// The proxy example of docs/operating.md against the bounds of the service. Whether nginx takes it is not tested: that
// needs nginx.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REFUSALS } from '#api/http/api-error.ts';
import { PLANS, TERMS } from '#api/plans/plan.ts';
import {
  ADDRESS_BODIES_ARRIVING_MAX,
  REQUEST_BODY_BYTES_MAX,
  REQUEST_DEADLINE_MS,
  REQUEST_DISCARD_BYTES_MAX,
} from '#engine/base/limits.ts';
import { read } from './documents.ts';

const [, section] = /\n## Proxy\n([\s\S]*?)\n##+ /.exec(read('docs/operating.md'))!;
const example = section!
  .split('\n')
  .filter((line) => line.startsWith('    '))
  .map((line) => line.trim())
  .filter((line) => line !== '');

/** The arguments of a directive that occurs once. */
function directive(name: string): string[] {
  const found = example.filter((line) => line.startsWith(`${name} `));
  assert.equal(found.length, 1, name);
  return found[0]!
    .slice(name.length + 1)
    .replace(/;$/, '')
    .split(' ');
}

const seconds = (text: string): number => Number(/^(\d+)s$/.exec(text)![1]);
const bytes = (text: string): number => {
  const [, digits, unit] = /^(\d+)([km])$/.exec(text)!;
  return Number(digits) * (unit === 'k' ? 1_024 : 1_024 * 1_024);
};

test('every line of the example is a directive or opens or closes a block', () => {
  for (const line of example) assert.match(line, /[;{}]$/);
  const count = (end: string): number => example.filter((line) => line.endsWith(end)).length;
  assert.equal(count('{'), count('}'));
});

test('the example cuts off no request that the service would take', () => {
  assert.ok(seconds(directive('client_body_timeout')[0]!) * 1_000 < REQUEST_DEADLINE_MS);
  assert.ok(seconds(directive('client_header_timeout')[0]!) * 1_000 < REQUEST_DEADLINE_MS);
  assert.ok(seconds(directive('proxy_read_timeout')[0]!) * 1_000 > REQUEST_DEADLINE_MS);
  // The service itself answers bodies between these two sizes.
  assert.equal(bytes(directive('client_max_body_size')[0]!), REQUEST_DISCARD_BYTES_MAX);
  assert.equal(bytes(directive('client_body_buffer_size')[0]!), REQUEST_BODY_BYTES_MAX);
  assert.equal(Number(directive('limit_conn')[1]), ADDRESS_BODIES_ARRIVING_MAX);
  const rate = Number(/rate=(\d+)r\/s/.exec(directive('limit_req_zone').join(' '))![1]);
  const requestsPerHour = Math.max(...PLANS.map((plan) => TERMS[plan].requestsPerHour));
  assert.equal(rate, (10 * requestsPerHour) / 3_600);
});

test('the zones of the example exist, and its refusal has the form of ours', () => {
  assert.ok(directive('limit_conn_zone')[1]!.startsWith(`zone=${directive('limit_conn')[0]}:`));
  assert.ok(directive('limit_req_zone')[1]!.startsWith(`${directive('limit_req')[0]}:`));
  const status = directive('limit_req_status')[0];
  assert.equal(directive('limit_conn_status')[0], status);
  assert.deepEqual(directive('error_page'), [status, '=', '@too_many']);
  const [returned, ...text] = directive('return');
  const body = JSON.parse(text.join(' ').slice(1, -1));
  assert.deepEqual(Object.keys(body), ['error', 'code', 'statusCode']);
  assert.deepEqual([returned, String(body.statusCode), String(REFUSALS.rate_limit_exceeded[0])], Array(3).fill(status));
  assert.equal(body.code, 'rate_limit_exceeded');
});
