import assert from 'node:assert/strict';
import { test } from 'node:test';
import { histogramQuantile, run, smoke } from '#bench/load/live.ts';
import { resultErrors } from '#bench/suite/result-check.ts';

test('in the live bench every attempt arrives once, correctly signed, is recorded, and has its latency counted', async () => {
  const result = await run(smoke, () => {});
  assert.deepEqual(resultErrors(result), []);
  assert.deepEqual(result.faults, { lost: 0, doubled: 0, 'wrongly signed': 0, unrecorded: 0 });
  for (const kind of ['one driver', 'everything']) {
    const sample = (name: string) =>
      result.measurements.find((measurement) => measurement.name === `${kind}, ${name}`)!.samples[0]!;
    assert.ok(sample('attempts') > 0);
    assert.ok(sample('p99') >= sample('p50') && sample('p50') > 0);
  }
});

test('nothing is not told as a latency of 0 ms', () => {
  assert.ok(Math.abs(histogramQuantile([0, 2, 2], 0.5) - 0.15) < 1e-9);
  assert.throws(() => histogramQuantile([0, 0, 0], 0.99), /^Error: no attempt started/);
});
