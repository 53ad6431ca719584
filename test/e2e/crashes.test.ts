// Kills the whole service for real in the middle of replays and of a live session. The bench does the same with more
// kills.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run, smoke } from '#bench/load/crashes.ts';

test('I1, I7, I9, I10: kill -9 of the service, a thread, PostgreSQL and one of its processes, and SIGTERM: nothing is lost, and no recorded attempt is repeated', async (t) => {
  const told: string[] = [];
  const { faults, measurements } = await run(smoke, (line) => told.push(line));
  for (const line of told) t.diagnostic(line);
  for (const [fault, count] of Object.entries(faults)) assert.equal(count, 0, fault);
  const survived = measurements.filter(({ name }) => name.startsWith('kills survived'));
  assert.deepEqual(
    survived.map(({ samples }) => samples[0]),
    [1, 1, 1, 1, 1],
  );
});
