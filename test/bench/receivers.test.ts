// The smallest size of the receivers bench: every misbehaviour in one play, with a clock that leaps past the deadline.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run, smoke } from '#bench/load/receivers.ts';
import { MISBEHAVIOURS } from '#bench/receivers/hostile/hostile-kit.ts';

test('I1: every misbehaviour has its expected outcome, and healthy endpoints beside it get every update', async () => {
  const lines: string[] = [];
  const { measurements, faults } = await run(smoke, (line) => lines.push(line));
  assert.deepEqual(
    Object.entries(faults).filter(([name, count]) => count !== 0 && name !== 'late'),
    [],
    lines.filter((line) => line.includes('BUT')).join('\n'),
  );
  const survived = measurements.find(({ name }) => name === 'receivers survived')!;
  assert.deepEqual([survived.samples, survived.target], [[MISBEHAVIOURS.length], MISBEHAVIOURS.length]);
  assert.ok(measurements.every(({ samples }) => samples.every(Number.isFinite)));
  assert.equal(lines.length, MISBEHAVIOURS.length + 1);
});

test('an invalid option is rejected by name', async () => {
  const silent = (): void => {};
  await assert.rejects(run(['--only', 'silence,kindness'], silent), /--only: there is no receiver "kindness"/);
  await assert.rejects(run(['--port', '9100'], silent), /--port: needs --serve/);
  await assert.rejects(run(['--serve', '--port', '65500'], silent), /--port: 65500 leaves no room/);
  await assert.rejects(run(['--rate', '0'], silent), /--rate/);
});
