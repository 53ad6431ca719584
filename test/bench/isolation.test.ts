import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run, smoke } from '#bench/load/isolation.ts';

test('I1: healthy endpoints get every update beside unhealthy ones, whose updates are all accounted for', async () => {
  const rounds: string[] = [];
  const { measurements, plots, faults } = await run(smoke, (line) => rounds.push(line));
  assert.deepEqual(
    Object.entries(faults).filter(([, count]) => count !== 0),
    [],
  );
  for (const { name, samples } of measurements) {
    assert.equal(samples.length, 1, name);
    assert.ok(
      samples.every((sample) => Number.isFinite(sample) && sample > 0),
      `${name}: ${samples}`,
    );
  }
  assert.deepEqual(
    measurements.filter(({ unit }) => unit === 'x').map(({ name }) => name),
    ['healthy p99 of that alone, 50 % mixed', 'healthy p99 of that alone, 90 % mixed'],
  );
  assert.equal(rounds.length, 3);
  // 3 healthy endpoints are half of 6 and a tenth of 30. The unhealthy ones get attempts, but no delivery.
  assert.match(rounds[1]!, / 3 unhealthy: [1-9]\d* attempts, 0 delivered/);
  assert.match(rounds[2]!, / 27 unhealthy: [1-9]\d* attempts, 0 delivered/);
  assert.deepEqual(
    plots.map(({ series }) => series.length),
    [3, 3],
  );
});

test('an invalid option is rejected by name', async () => {
  const silent = (): void => {};
  await assert.rejects(run(['--kinds', 'dead,sleepy'], silent), /--kinds: "sleepy"/);
  await assert.rejects(run(['--kinds', 'dead,dead'], silent), /--kinds/);
  await assert.rejects(run(['--rate', '0'], silent), /--rate/);
  await assert.rejects(run(['--helthy', '3'], silent), /--helthy/);
});
