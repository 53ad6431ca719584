// A supervisor under a simulated clock: every state and every transition.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AssertionFailed } from '#engine/base/assert.ts';
import { DRAIN_DEADLINE_MS, THREAD_HEALTHY_MS, THREAD_RESTART_MS, THREAD_RESTART_MS_MAX } from '#engine/base/limits.ts';
import { Supervisor, type ThreadEvents } from '#engine/base/supervisor.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';

interface Thread extends ThreadEvents<string> {
  readonly posted: string[];
  readonly ends: number[];
}

const GONE = new Error('gone');

function supervise() {
  const time = new SimulatedTime();
  const threads: Thread[] = [];
  const told: string[] = [];
  const timers = new Set<() => void>();
  const supervisor = new Supervisor<string, string>({
    start(events) {
      const thread: Thread = { ...events, posted: [], ends: [] };
      threads.push(thread);
      return {
        post: (message) => thread.posted.push(message),
        async end() {
          thread.ends.push(time.nowMs());
        },
      };
    },
    heard: (message) => told.push(`heard ${message}`),
    died: (error, delayMs) => told.push(`${error.message}, ${delayMs} ms`),
    restarted: () => told.push('restarted'),
    endMs: DRAIN_DEADLINE_MS,
    schedule(delayMs, callback) {
      const cancel = time.schedule(delayMs, () => {
        timers.delete(cancel);
        callback();
      });
      timers.add(cancel);
      return () => {
        timers.delete(cancel);
        cancel();
      };
    },
  });
  const latest = (): Thread => threads.at(-1)!;
  /** Dies so often in a row; the last time the next thread is not started yet. */
  const die = async (times: number): Promise<void> => {
    for (let deaths = 1; deaths <= times; deaths++) {
      latest().died(GONE);
      if (deaths < times) await time.pass(THREAD_RESTART_MS_MAX);
    }
  };
  return { time, threads, told, timers, supervisor, latest, die };
}

test('the first thread starts at once and gets the messages posted before it is ready', () => {
  const { supervisor, threads, timers } = supervise();
  assert.equal(threads.length, 1);
  assert.deepEqual([supervisor.isUp, supervisor.isRestarting], [true, false]);
  supervisor.post('work');
  assert.deepEqual(threads[0]!.posted, ['work']);
  assert.equal(timers.size, 0, 'nothing limits how long a thread may take to get ready');
});

test('starting: a dead thread is restarted after a pause, counts as restarting until it is ready, and misses messages in between', async () => {
  const { supervisor, threads, time, told, latest, timers } = supervise();
  latest().died(GONE);
  assert.deepEqual([supervisor.isUp, supervisor.isRestarting], [false, true]);
  supervisor.post('lost');
  await time.pass(THREAD_RESTART_MS - 1);
  assert.equal(threads.length, 1);
  await time.pass(1);
  assert.equal(threads.length, 2);
  assert.deepEqual(told, [`gone, ${THREAD_RESTART_MS} ms`, 'restarted']);
  assert.deepEqual([supervisor.isUp, supervisor.isRestarting], [true, true]);
  supervisor.ready();
  assert.equal(supervisor.isRestarting, false);
  assert.deepEqual(latest().posted, []);
  assert.equal(timers.size, 1);
});

test('T3: pauses double with each death in a row, up to a bound, also when each thread was ready', async () => {
  const { supervisor, told, latest, time } = supervise();
  for (let deaths = 0; deaths < 8; deaths++) {
    if (deaths % 2 === 0) supervisor.ready();
    latest().died(GONE);
    await time.pass(THREAD_RESTART_MS_MAX);
  }
  const pauses = told.filter((line) => line !== 'restarted').map((line) => Number(/\d+/.exec(line)));
  assert.deepEqual(pauses, [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
});

test('T3: once a thread has been ready for a while, the count of deaths in a row starts over', async () => {
  const { supervisor, told, latest, die, time, timers } = supervise();
  await die(5);
  await time.pass(THREAD_RESTART_MS_MAX);
  supervisor.ready();
  await time.pass(THREAD_HEALTHY_MS);
  assert.equal(timers.size, 0);
  told.length = 0;
  latest().died(GONE);
  assert.deepEqual(told, [`gone, ${THREAD_RESTART_MS} ms`]);
});

test('T3: a thread that dies just before that does not count as healthy, nor does the next', async () => {
  const { supervisor, told, latest, die, time } = supervise();
  await die(5);
  await time.pass(THREAD_RESTART_MS_MAX);
  supervisor.ready();
  await time.pass(THREAD_HEALTHY_MS - 1);
  told.length = 0;
  latest().died(GONE);
  await time.pass(THREAD_RESTART_MS_MAX);
  latest().died(GONE);
  assert.deepEqual(told, ['gone, 3200 ms', 'restarted', 'gone, 5000 ms']);
});

test('T2: a late death or message of a replaced thread changes nothing', async () => {
  const { supervisor, threads, told, time } = supervise();
  threads[0]!.heard('first');
  threads[0]!.died(GONE);
  threads[0]!.heard('between');
  threads[0]!.died(GONE);
  await time.pass(THREAD_RESTART_MS);
  threads[0]!.heard('late');
  threads[0]!.died(GONE);
  await time.pass(THREAD_RESTART_MS_MAX);
  assert.equal(threads.length, 2, 'T1');
  assert.ok(supervisor.isUp);
  threads[1]!.heard('second');
  assert.deepEqual(told, ['heard first', `gone, ${THREAD_RESTART_MS} ms`, 'restarted', 'heard second']);
});

for (const state of ['starting', 'ready', 'sound'] as const) {
  test(`T4: a thread that is ${state} gets a farewell, may finish, and is terminated; no timer is left`, async () => {
    const { supervisor, threads, told, time, timers } = supervise();
    if (state !== 'starting') supervisor.ready();
    if (state === 'sound') await time.pass(THREAD_HEALTHY_MS);
    const ended = supervisor.end('farewell');
    assert.deepEqual([supervisor.isUp, supervisor.isRestarting], [true, false]);
    supervisor.post('more');
    threads[0]!.heard('last words');
    assert.deepEqual(threads[0]!.posted, ['farewell', 'more']);
    assert.equal(timers.size, 1, 'the deadline');
    supervisor.finished();
    assert.equal(await ended, null);
    assert.deepEqual([threads[0]!.ends.length, supervisor.isUp, timers.size], [1, false, 0]);
    threads[0]!.died(GONE);
    await time.pass(THREAD_RESTART_MS_MAX);
    assert.equal(threads.length, 1);
    assert.deepEqual(told, ['heard last words']);
  });
}

test('T4: a thread that does not finish is terminated at the deadline, and its later messages are ignored', async () => {
  const { supervisor, threads, told, time, timers } = supervise();
  supervisor.ready();
  let problem: Error | null | undefined;
  void supervisor.end('farewell').then((outcome) => {
    problem = outcome;
  });
  await time.pass(DRAIN_DEADLINE_MS - 1);
  assert.deepEqual([problem, threads[0]!.ends], [undefined, []]);
  await time.pass(1);
  await time.pass(0);
  assert.match(problem!.message, /did not finish within 14 s/);
  assert.deepEqual(threads[0]!.ends, [DRAIN_DEADLINE_MS]);
  threads[0]!.heard('too late');
  supervisor.finished();
  assert.deepEqual([told, threads[0]!.ends.length, timers.size], [[], 1, 0]);
});

test('T4: a thread that dies while it is being ended is not restarted; its error is the result', async () => {
  const { supervisor, threads, told, time, timers, latest } = supervise();
  const ended = supervisor.end('farewell');
  latest().died(GONE);
  assert.equal(await ended, GONE);
  supervisor.finished();
  await time.pass(DRAIN_DEADLINE_MS);
  assert.deepEqual([threads.length, threads[0]!.ends, told, timers.size], [1, [], [], 0]);
});

test('T4: an end between two threads takes effect at once', async () => {
  const { supervisor, threads, time, timers, latest } = supervise();
  latest().died(GONE);
  assert.equal(await supervisor.end('farewell'), null);
  assert.deepEqual([supervisor.isUp, supervisor.isRestarting, timers.size], [false, false, 0]);
  await time.pass(THREAD_RESTART_MS_MAX);
  assert.deepEqual([threads.length, threads[0]!.posted], [1, []]);
});

test('a second call of end returns the same promise', async () => {
  const { supervisor, latest } = supervise();
  const ends = [supervisor.end('farewell'), supervisor.end('again')];
  supervisor.finished();
  ends.push(supervisor.end('and again'));
  assert.deepEqual(await Promise.all(ends), [null, null, null]);
  assert.deepEqual([latest().posted, latest().ends.length], [['farewell'], 1]);
});

test('the callback for a death may end the supervisor', async () => {
  const time = new SimulatedTime();
  const deaths: ThreadEvents<string>[] = [];
  const supervisor: Supervisor<string, string> = new Supervisor({
    start(events) {
      deaths.push(events);
      return { post() {}, end: async () => {} };
    },
    heard() {},
    died: () => void supervisor.end('farewell'),
    restarted() {},
    schedule: (delayMs, callback) => time.schedule(delayMs, callback),
    endMs: DRAIN_DEADLINE_MS,
  });
  deaths[0]!.died(GONE);
  await time.pass(THREAD_RESTART_MS_MAX);
  assert.deepEqual([deaths.length, supervisor.isRestarting], [1, false]);
});

test('invalid calls fail: a thread becomes ready once, and finishes only while it is being ended', async () => {
  const { supervisor, time, latest } = supervise();
  assert.throws(() => supervisor.finished(), AssertionFailed);
  supervisor.ready();
  assert.throws(() => supervisor.ready(), AssertionFailed);
  await time.pass(THREAD_HEALTHY_MS);
  assert.throws(() => supervisor.ready(), AssertionFailed);
  latest().died(GONE);
  assert.throws(() => supervisor.ready(), AssertionFailed);
  assert.throws(() => supervisor.finished(), AssertionFailed);
  await time.pass(THREAD_RESTART_MS);
  void supervisor.end('farewell');
  supervisor.ready();
  supervisor.finished();
  assert.throws(() => supervisor.ready(), AssertionFailed);
});
