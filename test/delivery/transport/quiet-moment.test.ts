// When a thread waits: what holds on for that, and for how long at most.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QUIET_LOOK_MS, QUIET_WAIT_MS_MAX } from '#engine/base/limits.ts';
import { atQuietMoment } from '#engine/delivery/transport/quiet-moment.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';

/** A thread that works for a share of each millisecond. */
function scene() {
  const time = new SimulatedTime();
  let idleMs = 0;
  let calls = 0;
  const clock = {
    nowMs: () => time.nowMs(),
    schedule: (delayMs: number, callback: () => void) => time.schedule(delayMs, callback),
    idleMs: () => idleMs,
  };
  atQuietMoment(clock, () => calls++);
  const pass = async (ms: number, share: number): Promise<number> => {
    idleMs += ms * (1 - share);
    await time.pass(ms);
    return calls;
  };
  return { pass };
}

test('a thread that waits is asked once, and work begins then', async () => {
  const { pass } = scene();
  assert.equal(await pass(QUIET_LOOK_MS - 1, 0), 0);
  assert.equal(await pass(1, 0), 1);
  assert.equal(await pass(10 * QUIET_WAIT_MS_MAX, 0), 1);
});

test('work that nobody waits for lets a burst pass', async () => {
  const { pass } = scene();
  for (let look = 0; look < 5; look++) assert.equal(await pass(QUIET_LOOK_MS, 0.5), 0);
  assert.equal(await pass(QUIET_LOOK_MS, 0), 1);
});

test('beside a thread that never waits it holds on for so long', async () => {
  const { pass } = scene();
  for (let ms = QUIET_LOOK_MS; ms < QUIET_WAIT_MS_MAX; ms += QUIET_LOOK_MS)
    assert.equal(await pass(QUIET_LOOK_MS, 1), 0);
  assert.equal(await pass(QUIET_LOOK_MS, 1), 1);
});
