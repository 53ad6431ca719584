import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureLive } from '../../bench/load/live.ts';

test('the live bench runs: every attempt arrives once, rightly signed, and its lag is counted', async () => {
  const rounds = await measureLive({ rate: 50, seconds: 1, endpoints: 2, shards: 1, rounds: 1, progress: () => {} });
  assert.deepEqual(
    rounds.map(({ wish }) => wish),
    ['one driver', 'everything'],
  );
  for (const { lost, doubled, wronglySigned, attemptsPerSecond } of rounds) {
    assert.deepEqual({ lost, doubled, wronglySigned }, { lost: 0, doubled: 0, wronglySigned: 0 });
    assert.ok(attemptsPerSecond > 0);
  }
});
