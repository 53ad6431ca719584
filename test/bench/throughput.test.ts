import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureThroughput } from '../../bench/load/throughput.ts';

test('the throughput bench runs, and finds nothing lost, doubled, misordered, wrongly signed or unrecorded', async () => {
  const rounds: string[] = [];
  const result = await measureThroughput({
    deliveries: 2_000,
    endpoints: 10,
    shards: 2,
    bodyBytes: 450,
    rounds: 1,
    progress: (line) => rounds.push(line),
  });
  assert.equal(rounds.length, 1);
  const { lost, doubled, misordered, wronglySigned, unrecorded } = result;
  assert.deepEqual(
    { lost, doubled, misordered, wronglySigned, unrecorded },
    { lost: 0, doubled: 0, misordered: 0, wronglySigned: 0, unrecorded: 0 },
  );
  assert.ok(result.enginePerSecond > 0 && result.undiciPerSecond > 0);
});
