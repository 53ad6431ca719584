import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run, smoke } from '#bench/load/startup.ts';

test('the startup bench times each step of a start on a new and on an existing folder, and both stops', async () => {
  const lines: string[] = [];
  const { measurements, faults, parameters } = await run(smoke, (line) => lines.push(line));
  assert.equal(lines.length, 1);
  assert.deepEqual(faults, { unclean: 0, unanswered: 0 });
  assert.deepEqual(parameters, { rounds: 1 });
  const ms = new Map(measurements.map(({ name, samples }) => [name, samples[0]!]));
  assert.equal(ms.size, 6);
  for (const [name, value] of ms) assert.ok(Number.isFinite(value) && value > 0, name);
  const steps = ['of it until the database has its tables', 'of it until the built-in session is there'];
  const [database, session] = steps.map((step) => ms.get(step)!) as [number, number];
  assert.ok(database < session && session < ms.get('ready, new data folder')!, 'the steps are in order');
});

test('the startup bench rejects invalid options by name', async () => {
  await assert.rejects(
    run(['--rounds', '0'], () => {}),
    /^Error: --rounds/,
  );
  await assert.rejects(
    run(['--round', '1'], () => {}),
    /--round/,
  );
});
