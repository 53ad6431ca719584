// How many of unequal coins come up heads.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '#engine/base/random.ts';
import { tossAll } from '#engine/racing/analytics/coin-tosses.ts';

const COINS_MAX = 25;

test('the chances of heads are to the last digit those of one coin after the other', () => {
  const random = seededRandom(7);
  const heads = new Float64Array(COINS_MAX + 1).fill(Number.NaN);
  for (let coins = 0; coins <= COINS_MAX; coins++) {
    const chances = Float64Array.from({ length: COINS_MAX }, () => random.next());
    let expected = [1];
    for (const chance of chances.subarray(0, coins)) {
      expected = [...expected, 0].map((own, count) => own * (1 - chance) + (expected[count - 1] ?? 0) * chance);
    }
    tossAll(heads, chances, coins);
    assert.deepEqual([...heads.subarray(0, coins + 1)], expected, `${coins} coins`);
  }
});
