// Counts by bounds, in shared memory.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Histogram, histogramCells, quantile } from '#engine/delivery/meter/histogram.ts';

const BOUNDS = [1, 10, 100];

test("values are counted up to and with their bound, in the cells that are the histogram's", () => {
  const cells = new Float64Array(histogramCells(BOUNDS) + 2);
  const histogram = new Histogram(BOUNDS, cells, 1);
  for (const value of [0, 1, 1.5, 100, 101, 5_000]) histogram.record(value);
  assert.deepEqual(histogram.counts, [2, 1, 1, 2]);
  assert.equal(histogram.sum, 5_203.5);
  assert.deepEqual([cells[0], cells.at(-1)], [0, 0]);
});

test('quantiles are read between the bounds; what is above all of them is the last one', () => {
  assert.equal(quantile(BOUNDS, [0, 0, 0, 0], 0.5), null);
  assert.equal(quantile(BOUNDS, [0, 10, 0, 0], 0.5), 5.5);
  assert.equal(quantile(BOUNDS, [99, 1, 0, 0], 0.99), 1);
  assert.equal(quantile(BOUNDS, [0, 0, 0, 3], 0.5), 100);
});
