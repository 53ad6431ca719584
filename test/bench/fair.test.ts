import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run, smoke } from '#bench/load/fair.ts';
import { resultErrors } from '#bench/suite/result-check.ts';

test('in the fair bench both accounts get every update once, correctly signed, in every part', async () => {
  const lines: string[] = [];
  const result = await run(smoke, (line) => lines.push(line));
  assert.deepEqual(resultErrors(result), []);
  assert.deepEqual(result.faults, { lost: 0, doubled: 0, wronglySigned: 0, unrecorded: 0 });
  assert.equal(lines.length, 1);
  for (const part of ['alone', 'updates', 'plan', 'creates']) {
    const sample = (name: string) =>
      result.measurements.find((measurement) => measurement.name === `${name}, ${part}`)!.samples[0]!;
    assert.ok(sample('p99') >= sample('p50') && sample('p50') > 0, part);
  }
  const created = result.measurements.find(({ name }) => name === 'endpoints created during a live session')!;
  assert.ok(created.samples[0]! > 0);
});

test('the fair bench rejects invalid values with the name of the option', async () => {
  for (const option of ['--large', '--small', '--rate', '--seconds', '--rounds']) {
    await assert.rejects(
      run([option, 'many'], () => {}),
      new RegExp(`^Error: ${option}`),
    );
  }
});
