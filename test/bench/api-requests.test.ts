import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run, smoke } from '#bench/load/api-requests.ts';
import { resultErrors } from '#bench/suite/result-check.ts';

test('the API bench measures both sides without a refused request', async () => {
  const result = await run(smoke, () => {});
  assert.deepEqual(resultErrors(result), []);
  assert.deepEqual(result.faults, { refused: 0 });
  for (const { name, samples } of result.measurements) assert.ok(samples.length === 1 && samples[0]! >= 0, name);
  const sample = (name: string) => result.measurements.find((measurement) => measurement.name === name)!.samples[0]!;
  assert.ok(sample('service') > 0 && sample('bare handler') > 0);
  assert.ok(sample('token request, p50') > 0);
  assert.ok(sample('service at half of its rate, p99') >= sample('service at half of its rate, p50'));
  assert.ok(result.plots[0]!.series.every(({ x }) => x.length > 5));
});
