import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mainThreadOf } from '#bench/browser/main-thread-trace.ts';
import { run, smoke } from '#bench/load/console.ts';
import { resultErrors } from '#bench/suite/result-check.ts';

test('the console bench measures the first page, the theatre and deliveries beside consoles without a fault', async () => {
  const result = await run(smoke, () => {});
  assert.deepEqual(resultErrors(result), []);
  assert.deepEqual(result.faults, {
    'errors of pages': 0,
    lost: 0,
    doubled: 0,
    misordered: 0,
    'consoles cut off': 0,
  });
  for (const { name, samples } of result.measurements)
    if (!/over 50|garbage/.test(name)) assert.ok(samples[0]! > 0, name);
});

test('a trace is split into tasks, and each moment counts once for what was done in it', () => {
  const main = { pid: 1, tid: 2 };
  const span = (name: string, ts: number, dur: number) => ({
    name,
    ph: 'X',
    ...main,
    ts: ts * 1_000,
    dur: dur * 1_000,
  });
  const { taskMs, workMs } = mainThreadOf([
    { name: 'thread_name', ph: 'M', ...main, ts: 0, args: { name: 'CrRendererMain' } },
    span('RunTask', 0, 20),
    span('FunctionCall', 1, 12),
    // Layout that a script asks for is layout.
    span('Layout', 2, 4),
    span('SomethingOfLayout', 3, 1),
    span('MinorGC', 8, 1),
    span('Paint', 15, 2),
    span('RunTask', 30, 5),
    { ...span('RunTask', 0, 99), tid: 3 },
  ]);
  assert.deepEqual(taskMs, [20, 5]);
  assert.deepEqual(
    [...workMs],
    [
      ['script', 7],
      ['style', 0],
      ['layout', 4],
      ['paint', 2],
      ['garbage collection', 1],
      ['other', 11],
    ],
  );
});
