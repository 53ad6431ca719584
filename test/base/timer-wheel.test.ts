import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TIMER_SLOTS, TIMER_TICK_MS } from '#engine/base/limits.ts';
import { Timer, TimerWheel } from '#engine/base/timer-wheel.ts';

test('I4: a timer never fires early and at most two ticks late', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1e7, noNaN: true }),
      fc.array(fc.double({ min: 0, max: 60_000, noNaN: true }), { minLength: 1, maxLength: 60 }),
      (startMs, delays) => {
        const wheel = new TimerWheel<number>(startMs);
        for (const [index, delay] of delays.entries()) wheel.start(new Timer(index), startMs + delay);
        const firedAt = new Map<number, number>();
        let nowMs = startMs;
        while (wheel.running > 0) {
          const next = wheel.nextDueMs();
          assert.ok(next >= nowMs, 'the next due time lies ahead');
          nowMs = next;
          wheel.advance(nowMs, (index) => firedAt.set(index, nowMs));
        }
        delays.forEach((delay, index) => {
          const lateMs = firedAt.get(index)! - (startMs + delay);
          assert.ok(lateMs >= 0 && lateMs <= 2 * TIMER_TICK_MS, `late by ${lateMs} ms`);
        });
        assert.equal(wheel.nextDueMs(), Number.POSITIVE_INFINITY);
      },
    ),
  );
});

test('a cancelled timer does not fire, and the others of its tick do', () => {
  const wheel = new TimerWheel<string>(0);
  const timers = ['first', 'second', 'third'].map((name) => new Timer(name));
  for (const timer of timers) wheel.start(timer, 100);
  wheel.cancel(timers[1]!);
  const fired: string[] = [];
  wheel.advance(200, (name) => fired.push(name));
  assert.deepEqual(fired.sort(), ['first', 'third']);
});

test('timers may be started and cancelled while others fire', () => {
  const wheel = new TimerWheel<string>(0);
  const victim = new Timer('victim');
  const again = new Timer('again');
  wheel.start(new Timer('killer'), 40);
  wheel.start(victim, 44);
  const fired: string[] = [];
  wheel.advance(1_000, (name) => {
    fired.push(name);
    if (name !== 'killer') return;
    wheel.cancel(victim);
    wheel.start(again, 60);
  });
  assert.deepEqual(fired, ['killer', 'again']);
});

test('after a long sleep all due timers fire in order', () => {
  const wheel = new TimerWheel<number>(0);
  for (const dueMs of [30_000, 10, 5_000]) wheel.start(new Timer(dueMs), dueMs);
  const fired: number[] = [];
  wheel.advance(10_000_000, (dueMs) => fired.push(dueMs));
  assert.deepEqual(fired, [10, 5_000, 30_000]);
});

test('I4: a timer that starts after the thread has stalled for longer than the wheel spans is not early', () => {
  const wheel = new TimerWheel<string>(0);
  const span = TIMER_TICK_MS * TIMER_SLOTS;
  wheel.start(new Timer('before'), 40);
  wheel.start(new Timer('after'), span + 40);
  wheel.start(new Timer('later'), span * 3 + 40);
  const fired: string[] = [];
  wheel.advance(span, (name) => fired.push(name));
  assert.deepEqual(fired, ['before']);
  wheel.advance(span + 40, (name) => fired.push(name));
  assert.deepEqual(fired, ['before', 'after']);
  wheel.advance(span * 3 + 39, (name) => fired.push(name));
  assert.equal(fired.length, 2);
  wheel.advance(span * 3 + 40, (name) => fired.push(name));
  assert.deepEqual(fired, ['before', 'after', 'later']);
});

test('a timer without a finite due time is refused', () => {
  assert.throws(() => new TimerWheel(0).start(new Timer('never'), Number.POSITIVE_INFINITY), /a finite due time/);
});
