import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureIdleActors } from '#bench/engines/idle-actors.ts';
import { run, smoke } from '#bench/load/endpoints.ts';

test('I1, I6, I10: in the endpoints bench every endpoint gets every update once, correctly signed and recorded', async () => {
  const lines: string[] = [];
  const { measurements, faults, parameters, plots } = await run(smoke, (line) => lines.push(line));
  assert.deepEqual(faults, { lost: 0, doubled: 0, wronglySigned: 0, unrecorded: 0 });
  assert.equal(lines.length, 1);
  assert.equal(parameters.endpoints, '10');
  const timed = measurements.filter(({ unit }) => unit === 'ms' || unit === '/s');
  assert.deepEqual(
    timed.map(({ name }) => name),
    [
      'fan-out, connections to be made, 10 endpoints',
      'fan-out, connections kept, 10 endpoints',
      'slowest fan-out, connections kept, 10 endpoints',
      'flat out, 10 endpoints',
    ],
  );
  for (const { name, samples } of timed) assert.ok(samples.length === 1 && samples[0]! > 0, name);
  for (const { title, series } of plots)
    assert.ok(
      series.every(({ x, y }) => x.length === 1 && y.length === 1),
      title,
    );
});

test('idle actors are counted object by object, one per endpoint', async () => {
  const { heapBytes, kinds } = await measureIdleActors(300);
  const actor = kinds.find(({ name }) => name === 'EndpointActor');
  assert.equal(actor?.count, 1);
  assert.ok(heapBytes > actor.bytes);
});

test('the endpoints bench rejects invalid values with the name of the option', async () => {
  for (const option of ['--most', '--deliveries', '--updates', '--shards', '--rounds']) {
    await assert.rejects(
      run([option, 'many'], () => {}),
      new RegExp(`^Error: ${option}`),
    );
  }
  await assert.rejects(
    run(['--most', '9'], () => {}),
    /^Error: --most/,
  );
});
