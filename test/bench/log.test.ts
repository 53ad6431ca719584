import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run, smoke } from '#bench/load/log.ts';

test('FP1, I10: every attempt is in the log and in usage once, in rows and in pages, and is read from there', async () => {
  const { measurements, faults } = await run(smoke, () => {});
  assert.deepEqual(faults, { unrecorded: 0, misread: 0 });
  for (const { name, samples } of measurements) assert.ok(Number.isFinite(samples[0]), name);
  const targets = measurements.filter(({ target }) => target !== undefined);
  assert.equal(targets.length, 2 * 2 + 5 + 1 + 1);
});

test('the log bench rejects invalid values with the name of the option', async () => {
  const silent = (): void => {};
  await assert.rejects(run(['--parts', 'writing,all'], silent), /^Error: --parts: "all"/);
  await assert.rejects(run(['--endpoints', '50,many'], silent), /^Error: --endpoints/);
  await assert.rejects(run(['--batches', 'many'], silent), /^Error: --batches/);
  await assert.rejects(run(['--rounds', '0'], silent), /^Error: --rounds/);
});
