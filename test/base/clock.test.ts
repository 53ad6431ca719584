// The timers of the machine's clock.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { holdThread, systemClock } from '#engine/base/clock.ts';

test('a scheduled callback runs once, never early, and not at all after it was cancelled', async () => {
  const calls: string[] = [];
  const beganMs = systemClock.nowMs();
  const cancel = systemClock.schedule(5, () => calls.push('cancelled'));
  await new Promise<void>((resolve) => {
    systemClock.schedule(20, () => {
      calls.push('kept');
      resolve();
    });
    cancel();
  });
  // The platform rounds to whole milliseconds.
  assert.ok(systemClock.nowMs() - beganMs >= 19);
  assert.deepEqual(calls, ['kept']);
});

test('a sleep ends at its time, or at once with an AbortError', async () => {
  const beganMs = systemClock.nowMs();
  await systemClock.sleep(20);
  assert.ok(systemClock.nowMs() - beganMs >= 19);
  const closing = new AbortController();
  const asleep = systemClock.sleep(60_000, closing.signal);
  closing.abort();
  await assert.rejects(asleep, { name: 'AbortError' });
  await assert.rejects(systemClock.sleep(60_000, closing.signal), { name: 'AbortError' });
});

test('what waits for a poll runs together with what joined it in time, each once and in order; what comes later waits for another', async () => {
  const calls: string[] = [];
  await new Promise<void>((resolve) => {
    systemClock.afterPoll(() => calls.push('first'));
    systemClock.afterPoll(() => calls.push('joined'));
    setImmediate(() => {
      systemClock.afterPoll(() => {
        calls.push('later');
        resolve();
      });
      // With the first ones, after the next poll. The later one must not be among them.
      setImmediate(() => calls.push('polled once'));
    });
    assert.deepEqual(calls, [], 'nothing at once');
  });
  assert.deepEqual(calls, ['first', 'joined', 'polled once', 'later']);
});

test('repeated work waits for its previous run, and can be stopped while it runs', async () => {
  let underWay = 0;
  let times = 0;
  const beganMs = systemClock.nowMs();
  const stop = systemClock.every(10, async () => {
    assert.equal(underWay++, 0);
    await systemClock.sleep(20);
    underWay--;
    if (++times === 3) stop();
  });
  while (times < 3) await systemClock.sleep(5);
  assert.ok(systemClock.nowMs() - beganMs >= 85);
  await systemClock.sleep(50);
  assert.deepEqual([times, underWay], [3, 0]);
});

test('repeated work does not keep the process alive, a scheduled callback does', async () => {
  const script = `
    import { systemClock } from '#engine/base/clock.ts';
    systemClock.every(10, async () => console.log('every'));
    systemClock.schedule(35, () => console.log('scheduled'));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    cwd: import.meta.dirname,
    timeout: 20_000,
  });
  assert.match(stdout, /^(every\n)+scheduled\n/);
});

test('a thread that is held does nothing else until then', () => {
  let others = 0;
  systemClock.schedule(1, () => others++);
  const beganMs = systemClock.nowMs();
  holdThread(4.5);
  assert.ok(systemClock.nowMs() - beganMs >= 4.4);
  assert.equal(others, 0);
});
