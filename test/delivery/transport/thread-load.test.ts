// Whether a thread works all the time.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { THREAD_LOAD_MS } from '#engine/base/limits.ts';
import { ThreadLoad } from '#engine/delivery/transport/thread-load.ts';

test('a thread is full after a while of work without a wait, and not any more after one with a wait', () => {
  let nowMs = 5;
  let idleMs = 3;
  const load = new ThreadLoad({ nowMs: () => nowMs, wallMs: () => 0, afterPoll: () => {}, idleMs: () => idleMs });
  const pass = (ms: number, ofWork: number): boolean => {
    nowMs += ms;
    idleMs += ms - ofWork;
    return load.isFull;
  };
  assert.equal(load.isFull, false);
  assert.equal(pass(THREAD_LOAD_MS / 2, THREAD_LOAD_MS / 2), false, 'too short to tell');
  assert.equal(pass(THREAD_LOAD_MS / 2, THREAD_LOAD_MS / 2), true);
  assert.equal(pass(THREAD_LOAD_MS / 2, 0), true, 'too short to tell');
  assert.equal(pass(THREAD_LOAD_MS / 2, THREAD_LOAD_MS / 2), false);
  assert.equal(pass(100 * THREAD_LOAD_MS, THREAD_LOAD_MS), false, 'work after a long rest');
  assert.equal(pass(THREAD_LOAD_MS, THREAD_LOAD_MS), true);
});
