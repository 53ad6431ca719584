// Histograms in shared memory.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Histogram, histogramCells, quantile } from '#engine/delivery/meter/histogram.ts';

const BOUNDS = [1, 10, 100];

test("a value counts in the first bucket whose bound it does not exceed, in the histogram's own cells", () => {
  const cells = new Float64Array(histogramCells(BOUNDS) + 2);
  const histogram = new Histogram(BOUNDS, cells, 1);
  for (const value of [0, 1, 1.5, 100, 101, 5_000]) histogram.record(value);
  assert.deepEqual(histogram.counts, [2, 1, 1, 2]);
  assert.equal(histogram.sum, 5_203.5);
  assert.deepEqual([cells[0], cells.at(-1)], [0, 0]);
});

test('quantiles are interpolated between the bounds; above all bounds they are the last bound', () => {
  assert.equal(quantile(BOUNDS, [0, 0, 0, 0], 0.5), null);
  assert.equal(quantile(BOUNDS, [0, 10, 0, 0], 0.5), 5.5);
  assert.equal(quantile(BOUNDS, [99, 1, 0, 0], 0.99), 1);
  assert.equal(quantile(BOUNDS, [0, 0, 0, 3], 0.5), 100);
});
