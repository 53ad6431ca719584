// Moments, with a simulated clock whose timers are as late as the platform's.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Alarms } from '#engine/base/alarms.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';

/** A thread whose timers of more than two milliseconds end `lateMs` late. */
class Thread {
  readonly time = new SimulatedTime();
  readonly alarms: Alarms;
  readonly works: (() => void)[] = [];
  heldMs = 0;

  constructor(lateMs = 0) {
    const { time } = this;
    const schedule = time.schedule.bind(time);
    time.schedule = (delayMs, callback) => schedule(delayMs > 2 ? delayMs + lateMs : delayMs, callback);
    this.alarms = new Alarms({
      clock: time,
      later: (work) => this.works.push(work),
      hold: (ms) => {
        this.heldMs += ms;
        time.spend(ms);
      },
    });
  }
}

test('AL1, AL3: a moment is noticed when it has come, however late the timer is', async () => {
  for (const lateMs of [0, 0.4, 1.2, 1.9]) {
    for (const atMs of [500, 500.3, 500.9, 7.5, 3.1]) {
      const thread = new Thread(lateMs);
      const { alarms, time } = thread;
      let noticedMs = Number.NaN;
      alarms.at(atMs, () => {
        noticedMs = time.nowMs();
      });
      await time.pass(600);
      assert.ok(noticedMs >= atMs && noticedMs < atMs + 0.001, `${atMs}, ${lateMs} late: ${noticedMs}`);
      assert.ok(thread.heldMs < 1);
    }
  }
});

test('AL1: what is due within a millisecond, or is late, comes after other work of the thread', () => {
  for (const atMs of [0.4, 0, -5]) {
    const thread = new Thread();
    let noticedMs = Number.NaN;
    thread.alarms.at(atMs, () => {
      noticedMs = thread.time.nowMs();
    });
    assert.deepEqual([noticedMs, thread.works.length], [Number.NaN, 1]);
    thread.works[0]!();
    assert.equal(noticedMs, Math.max(0, atMs));
  }
});

test('AL2, AL3: with moments in every millisecond, a thread is held for a tenth of the time, and none is early', async () => {
  const thread = new Thread();
  const { alarms, time } = thread;
  let noticed = 0;
  for (let no = 0; no < 5_000; no++) {
    const atMs = 10.7 + no;
    alarms.at(atMs, () => {
      assert.ok(time.nowMs() >= atMs);
      noticed++;
    });
  }
  await time.pass(6_000);
  assert.equal(noticed, 5_000);
  assert.ok(thread.heldMs > 0.05 * 5_000 && thread.heldMs < 0.11 * 5_000, `${thread.heldMs}`);
});

test('a moment that is cancelled is not noticed', async () => {
  const thread = new Thread();
  const cancels = [0.5, 2.5, 500].map((atMs) => thread.alarms.at(atMs, () => assert.fail('it was cancelled')));
  for (const cancel of cancels) cancel();
  for (const work of thread.works) work();
  assert.equal(await thread.time.step(Number.MAX_SAFE_INTEGER), false, 'no timer is left');
  const late = thread.alarms.at(700.5, () => assert.fail('it was cancelled'));
  await thread.time.pass(99);
  late();
  await thread.time.pass(10);
});

test('AL1, AL3: a moment that is months away asks for no timer that the platform does not have', async () => {
  const { time, alarms } = new Thread(1.9);
  const asked: number[] = [];
  const schedule = time.schedule.bind(time);
  time.schedule = (delayMs, callback) => {
    asked.push(delayMs);
    return schedule(delayMs, callback);
  };
  const atMs = 70 * 24 * 3_600_000 + 0.4;
  let noticedMs = Number.NaN;
  alarms.at(atMs, () => {
    noticedMs = time.nowMs();
  });
  await time.pass(atMs + 10);
  assert.ok(noticedMs >= atMs && noticedMs < atMs + 0.001, `${noticedMs - atMs} late`);
  // Node makes 1 ms of anything longer.
  assert.ok(Math.max(...asked) < 2 ** 31);
});
