// What GET /readyz reports: the parts that have a problem, and how rarely it checks them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Readiness } from '#api/health/readiness.ts';
import { READY_CACHE_MS } from '#engine/base/limits.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';

function setUp() {
  const time = new SimulatedTime();
  const state = { pings: 0, looks: 0, problems: [] as string[], ping: async (): Promise<unknown> => 1 };
  const readiness = new Readiness({
    clock: time,
    ping() {
      state.pings++;
      return state.ping();
    },
    async problems() {
      state.looks++;
      return state.problems;
    },
  });
  return { time, state, readiness };
}

test('every failing part is named, and the service is ready again as soon as none fails', async () => {
  const { time, state, readiness } = setUp();
  assert.deepEqual(await readiness.problems(), []);
  state.ping = () => Promise.reject(new Error('refused with a password in it'));
  state.problems = ['the disk is full'];
  await time.pass(READY_CACHE_MS);
  assert.deepEqual(await readiness.problems(), ['the database cannot be reached', 'the disk is full']);
  state.ping = async () => 1;
  state.problems = [];
  await time.pass(READY_CACHE_MS);
  assert.deepEqual(await readiness.problems(), []);
});

test('a flood of readiness checks sends one query to the database', async () => {
  const { state, readiness } = setUp();
  await Promise.all(Array.from({ length: 1_000 }, () => readiness.problems()));
  assert.deepEqual([state.pings, state.looks], [1, 1]);
});

test('a ping waits for the one before it, and the wait for a silent database is bounded', async () => {
  const { time, state, readiness } = setUp();
  let answer = (_: unknown): void => {};
  state.ping = () => new Promise((resolve) => (answer = resolve));
  const first = readiness.problems();
  await time.pass(READY_CACHE_MS);
  const second = readiness.problems();
  assert.deepEqual(await Promise.all([first, second]), [
    ['the database cannot be reached'],
    ['the database cannot be reached'],
  ]);
  assert.equal(state.pings, 1);
  answer(1);
  await time.pass(READY_CACHE_MS);
  state.ping = async () => 1;
  assert.deepEqual(await readiness.problems(), []);
});

test('a stopping service reports at once that it is not ready, without checking anything', async () => {
  const { state, readiness } = setUp();
  assert.deepEqual(await readiness.problems(), []);
  readiness.leave();
  assert.deepEqual(await readiness.problems(), ['the service is stopping']);
  assert.equal(state.looks, 1);
});
