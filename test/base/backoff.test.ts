import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Backoff } from '#engine/base/backoff.ts';

test('each pause is twice the one before, up to the longest, after any number of failures', () => {
  const backoff = new Backoff(100, 750);
  assert.deepEqual(
    [0, 1, 2, 3, 4, 10_000].map((failures) => backoff.pauseMs(failures)),
    [100, 200, 400, 750, 750, 750],
  );
});

test('pauses that could not grow are refused', () => {
  assert.throws(() => new Backoff(0, 100), /the first pause is positive and not above the longest/);
  assert.throws(() => new Backoff(101, 100), /the first pause is positive and not above the longest/);
  assert.equal(new Backoff(100, 100).pauseMs(3), 100);
});
