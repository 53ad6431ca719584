import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run, smoke } from '#bench/load/prepare.ts';

test('the prepare bench imports and prepares a race, which then has as many updates as were imported', async () => {
  const { measurements, faults, parameters } = await run(smoke, () => {});
  assert.deepEqual(faults, { failed: 0, differing: 0 });
  assert.equal(parameters.recording, 'demo');
  assert.ok(Number(parameters.updates) > 1_000);
  assert.deepEqual(
    measurements.map(({ name }) => name),
    ['import', 'prepare, from the question to ready', 'prepare, ready already'],
  );
  for (const { name, samples } of measurements) {
    assert.ok(samples.length === 1 && Number.isFinite(samples[0]) && samples[0]! > 0, name);
  }
});

test('the prepare bench rejects a missing recording with the name of the option', async () => {
  await assert.rejects(
    run(['--recording', '/nowhere'], () => {}),
    /^Error: --recording: \/nowhere does not exist/,
  );
});
