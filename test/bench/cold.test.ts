import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run, smoke } from '#bench/load/cold.ts';

test('I1, I6, I10: over connections that are opened for it, every endpoint gets the update once, signed and recorded', async () => {
  const { measurements, plots, faults } = await run(smoke, () => {});
  assert.deepEqual(faults, { lost: 0, doubled: 0, wronglySigned: 0, unexpected: 0, unrecorded: 0 });
  const samples = new Map(measurements.map((measurement) => [measurement.name, measurement.samples]));
  for (const name of [
    'engine, cold',
    'engine, resumed',
    'engine, cold, due after 3 s',
    'bare loop, cold',
    'bare loop, resumed',
  ]) {
    assert.deepEqual(samples.get(`connections, ${name}`), [20], `${name}: one for each endpoint`);
    assert.ok(samples.get(`last arrival, ${name}`)![0]! >= samples.get(`lag p50, ${name}`)![0]!, name);
    assert.ok(samples.get(`lag p50, ${name}`)![0]! > 0, `${name}: nothing arrives before it is due (I4)`);
    assert.ok(samples.get(`CPU for each endpoint, ${name}`)![0]! > 0, name);
  }
  for (const who of ['engine', 'bare loop']) {
    assert.deepEqual(samples.get(`share of handshakes resumed, ${who}`), [1]);
    assert.ok(Number.isFinite(samples.get(`memory of a connection, ${who}`)![0]), who);
  }
  assert.deepEqual(
    measurements.filter(({ target }) => target !== undefined).map(({ name, target }) => [name, target]),
    [
      ['cold: engine / bare loop', 1.3],
      ['resumed: engine / bare loop', 1.3],
      ['share of handshakes resumed, engine', 0.9],
    ],
  );
  assert.equal(plots[0]!.series.length, 5);
});

test('the cold bench rejects invalid values with the name of the option', async () => {
  const silent = (): void => {};
  await assert.rejects(run(['--endpoints', 'many'], silent), /^Error: --endpoints/);
  await assert.rejects(run(['--endpoints', '2049'], silent), /^Error: --endpoints: at most 2048/);
  await assert.rejects(run(['--rounds', '0'], silent), /^Error: --rounds/);
  await assert.rejects(run(['--round', '1'], silent), /--round/);
});
