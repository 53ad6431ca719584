import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run, smoke } from '#bench/load/live-memory.ts';
import { resultErrors } from '#bench/suite/result-check.ts';

test('the live-memory bench feeds a whole race to the service and reads its memory along the way', async () => {
  const result = await run(smoke, () => {});
  assert.deepEqual(resultErrors(result), []);
  assert.deepEqual(result.faults, { refused: 0, idle: 0 });
  for (const { name, samples } of result.measurements) assert.ok(Number.isFinite(samples[0]), name);
  const [{ x, y }] = result.plots[0]!.series as [(typeof result.plots)[0]['series'][0]];
  assert.equal(y.length, 13);
  assert.ok(y.every((mib) => mib! > 10));
  const [frames, updates] = result.notes[0]!.match(/\d+/g)!.map(Number) as [number, number];
  assert.equal(x.at(-1), frames);
  assert.ok(updates > 0.9 * frames);
});
