import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retryDelayMs } from '#engine/delivery/endpoint/retry-schedule.ts';

test('I4: attempts 1 to 4 follow after 0, 1, 5 and 30 seconds, and there is no fifth', () => {
  assert.deepEqual([0, 1, 2, 3, 4].map(retryDelayMs), [0, 1_000, 5_000, 30_000, null]);
});
