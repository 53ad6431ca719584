import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run, smoke } from '#bench/load/abuse.ts';

test('an honest customer loses nothing and is refused nothing beside any abuse', async () => {
  const plays: string[] = [];
  const { measurements, faults } = await run(smoke, (line) => plays.push(line));
  assert.deepEqual(
    Object.entries(faults).filter(([, count]) => count !== 0),
    [],
  );
  for (const { name, samples } of measurements) {
    assert.equal(samples.length, 1, name);
    assert.ok(Number.isFinite(samples[0]!) && samples[0]! > 0, `${name}: ${samples}`);
  }
  assert.equal(measurements.filter(({ target }) => target === 1.5).length, 4);
  const beside = (abuse: string): string => plays.find((line) => line.includes(`${abuse}, turn 1 of 1, beside: `))!;
  assert.match(beside('tokens'), /\d+ x 200, \d+ x 401/);
  assert.match(beside('runs'), /\d+ x 202.*1 runs held open/);
});

test('an unknown abuse is rejected by name', async () => {
  await assert.rejects(
    run(['--abuses', 'tests,rain'], () => {}),
    /--abuses: "rain"/,
  );
});
