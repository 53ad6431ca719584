// The steps of a stop under a simulated clock: their order, their limits, and that they fit into the documented time.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { SERVER_STOP_MS_MAX, SERVICE_STOP_MS_MAX } from '#engine/base/limits.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';
import { StopBegun, StopSteps } from '#workers/stop-steps.ts';

function setUp() {
  const time = new SimulatedTime();
  const told: string[] = [];
  const log = {
    error: (details: object, message: string) => told.push(`${message}: ${(details as { err: Error }).err.message}`),
  };
  const steps = new StopSteps(time, log);
  const done = (what: string) => () => void told.push(`${what} at ${time.nowMs()} ms`);
  return { time, told, steps, done };
}

test('the steps are taken in reverse order, each after the one before', async () => {
  const { time, told, steps, done } = setUp();
  steps.add('first', 1_000, done('first'));
  steps.add('second', 1_000, async () => {
    await time.sleep(400);
    done('second')();
  });
  steps.add('third', 1_000, done('third'));
  const taken = steps.take();
  await time.pass(1_000);
  await taken;
  assert.deepEqual(told, ['third at 0 ms', 'second at 400 ms', 'first at 400 ms']);
});

test('a step that never ends, or fails, is logged and holds up the others for its limit at most', async () => {
  const { time, told, steps, done } = setUp();
  steps.add('the last', 1_000, done('the last'));
  steps.add('the silent one', 2_500, () => new Promise(() => {}));
  steps.add('the rejecting one', 1_000, () => Promise.reject(new Error('a reason')));
  steps.add('the throwing one', 1_000, () => {
    throw new Error('another reason');
  });
  const taken = steps.take();
  await time.pass(10_000);
  await taken;
  assert.deepEqual(told, [
    'the throwing one did not close cleanly: another reason',
    'the rejecting one did not close cleanly: a reason',
    'the silent one did not close cleanly: not within 2.5 s',
    'the last at 2500 ms',
  ]);
});

test('a step may be added while steps are taken: it is taken next', async () => {
  const { steps, told, done, time } = setUp();
  steps.add('first', 1_000, done('first'));
  steps.add('second', 1_000, () => steps.add('late', 1_000, done('late')));
  await Promise.all([steps.take(), time.pass(10)]);
  assert.deepEqual(told, ['late at 0 ms', 'first at 0 ms']);
});

test('after a stop has begun, the start ends at the next step that it adds, which is taken too', async () => {
  const { steps, told, done, time } = setUp();
  steps.add('first', 1_000, done('first'));
  steps.begin();
  assert.throws(() => steps.add('second', 1_000, done('second')), StopBegun);
  await Promise.all([steps.take(), time.pass(10)]);
  assert.deepEqual(told, ['second at 0 ms', 'first at 0 ms']);
});

test('systemd waits longer than a stop may take, and the documents name the times', () => {
  const operating = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');
  const [, seconds] = /^ {4}TimeoutStopSec=(\d+)$/m.exec(operating)!;
  assert.ok(Number(seconds) * 1_000 > SERVICE_STOP_MS_MAX + SERVER_STOP_MS_MAX);
  assert.match(operating, new RegExp(`within ${SERVICE_STOP_MS_MAX / 1_000} seconds`));
  assert.match(operating, new RegExp(`another ${SERVER_STOP_MS_MAX / 1_000} seconds`));
});
