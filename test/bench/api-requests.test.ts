import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureApi } from '../../bench/load/api-requests.ts';

test('the API bench runs, and every answer is the one that was asked for', async () => {
  const result = await measureApi({ seconds: 0.5, connections: 4, rounds: 1, progress: () => {} });
  assert.equal(result.refused, 0);
  for (const rate of [result.servicePerSecond, result.barePerSecond, result.halfLoad.perSecond]) assert.ok(rate > 0);
  assert.ok(result.token.p50 > 0 && result.halfLoad.p99 >= result.halfLoad.p50);
});
