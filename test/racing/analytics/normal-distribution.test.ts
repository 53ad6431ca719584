// The table of the normal distribution against known values.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normalBelow } from '#engine/racing/analytics/normal-distribution.ts';

test('the table holds the known values of the normal distribution', () => {
  const known = [
    [0, 0.5],
    [1, 0.841344746],
    [-1.2816, 0.09999],
    [1.96, 0.975002105],
    [-3, 0.001349898],
  ] as const;
  for (const [x, chance] of known) assert.ok(Math.abs(normalBelow(x) - chance) < 1e-5, `${x}: ${normalBelow(x)}`);
});

test('the table never falls, and is 0 and 1 far out', () => {
  let before = 0;
  for (let x = -9; x <= 9; x += 0.0137) {
    assert.ok(normalBelow(x) >= before);
    before = normalBelow(x);
  }
  assert.deepEqual([normalBelow(-100), normalBelow(100), normalBelow(-Infinity), normalBelow(Infinity)], [0, 1, 0, 1]);
});
