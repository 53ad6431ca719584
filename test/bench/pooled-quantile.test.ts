import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pooledQuantile, pooledRatio } from '#bench/suite/pooled-quantile.ts';

const slice = (...values: number[]): Float64Array => new Float64Array(values);

test('a pooled quantile is that of all values, not the mean of the slices', () => {
  assert.equal(pooledQuantile([slice(9, 1), slice(2, 3, 4, 5)], 0.5), 3);
  assert.equal(pooledQuantile([slice(9, 1), slice(2, 3, 4, 5)], 1), 9);
});

test('slices that are all twice as slow have a ratio of two, without doubt', () => {
  const under = [slice(1, 2, 3), slice(1, 2, 3), slice(1, 2, 3)];
  const over = under.map((values) => values.map((value) => 2 * value));
  assert.deepEqual(pooledRatio(over, under, 0.99), { ratio: 2, low: 2, high: 2 });
});

test('a stall in one slice widens the interval down to what the other slices say', () => {
  const under = Array.from({ length: 4 }, () => slice(1, 1, 1));
  const over = [slice(1, 1, 50), slice(1, 1, 1), slice(1, 1, 1), slice(1, 1, 1)];
  assert.deepEqual(pooledRatio(over, under, 1), { ratio: 50, low: 1, high: 50 });
});
