// Streams of a real service that is killed, to subscribers whose connections break all the time. The bench does the same
// for longer.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run, smoke } from '#bench/load/streams-faults.ts';

test('ST1, SM4: subscribers that are cut at random get every update once and in order, over a kill -9 of the service', async (t) => {
  const told: string[] = [];
  const { faults, measurements } = await run(smoke, (line) => told.push(line));
  for (const line of told) t.diagnostic(line);
  for (const [fault, count] of Object.entries(faults)) assert.equal(count, 0, fault);
  const figures = new Map(measurements.map(({ name, samples }) => [name, samples[0]!]));
  assert.ok(figures.get('updates')! > 1_000, 'the subscribers were served');
  assert.ok(figures.get('cut')! > 10, 'connections were cut');
});
