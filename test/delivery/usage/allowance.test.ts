import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { ALLOWANCE_COUNTED_MAX } from '#engine/base/limits.ts';
import { Allowance, allowanceCell } from '#engine/delivery/usage/allowance.ts';
import type { TakerData } from '#test/support/allowance-taker.ts';

const NOVEMBER = Date.UTC(2026, 10, 20);
const DECEMBER = Date.UTC(2026, 11, 1);

const THREADS = 8;

/** How many attempts this many threads have taken from one cell in total, without those given back. */
async function keptByThreads(cell: SharedArrayBuffer, tries: number, giveBackEvery: number): Promise<number> {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const takers = Array.from({ length: THREADS }, () => {
    const workerData: TakerData = { cell, gate, takers: THREADS, wallMs: NOVEMBER, tries, giveBackEvery };
    return new Worker(new URL('../../support/allowance-taker.ts', import.meta.url), { workerData });
  });
  const kept = await Promise.all(takers.map(async (taker) => (await once(taker, 'message'))[0] as number));
  return kept.reduce((sum, count) => sum + count, 0);
}

test('W1: eight threads at once take exactly the limit, not one more or less', async () => {
  const cell = allowanceCell();
  const allowance = new Allowance(cell);
  allowance.limit(1_000_000);
  assert.equal(await keptByThreads(cell, 400_000, Number.POSITIVE_INFINITY), 1_000_000);
  assert.equal(allowance.used(NOVEMBER), 1_000_000);
  assert.equal(allowance.exhausted(NOVEMBER), true);
});

test('W1: an attempt that was given back can be taken again, and the count is exact', async () => {
  const cell = allowanceCell();
  const allowance = new Allowance(cell);
  allowance.limit(100_000);
  assert.equal(await keptByThreads(cell, 200_000, 3), allowance.used(NOVEMBER));
  assert.ok(allowance.used(NOVEMBER) <= 100_000);
});

test('W1: several attempts are taken together, or none of them', () => {
  const allowance = new Allowance(allowanceCell());
  allowance.limit(5);
  assert.equal(allowance.take(0, 3), true);
  assert.equal(allowance.take(0, 3), false);
  assert.equal(allowance.used(0), 3);
  assert.equal(allowance.take(0, 2), true);
  assert.equal(allowance.take(0), false);
});

test('W2: a limit that is set later includes the attempts made without one', async () => {
  const cell = allowanceCell();
  const allowance = new Allowance(cell);
  assert.equal(await keptByThreads(cell, 50_000, Number.POSITIVE_INFINITY), THREADS * 50_000);
  assert.equal(allowance.exhausted(NOVEMBER), false);
  allowance.limit(THREADS * 50_000 + 1);
  assert.equal(allowance.take(NOVEMBER), true);
  assert.equal(allowance.take(NOVEMBER), false);
});

test('W2: a count beyond every limit stays where it is instead of overflowing', () => {
  const allowance = new Allowance(allowanceCell());
  allowance.begin(NOVEMBER, 1e12);
  assert.equal(allowance.take(NOVEMBER), true);
  assert.equal(allowance.used(NOVEMBER), ALLOWANCE_COUNTED_MAX);
  allowance.limit(3_000_000);
  assert.equal(allowance.take(NOVEMBER), false);
});

test('a limit that is raised or lowered applies to the next attempt', () => {
  const allowance = new Allowance(allowanceCell());
  allowance.limit(1);
  assert.deepEqual([allowance.take(NOVEMBER), allowance.take(NOVEMBER)], [true, false]);
  allowance.limit(2);
  assert.deepEqual([allowance.take(NOVEMBER), allowance.take(NOVEMBER)], [true, false]);
  allowance.limit(0);
  assert.equal(allowance.take(NOVEMBER), false);
  allowance.limit(Number.POSITIVE_INFINITY);
  assert.equal(allowance.take(NOVEMBER), true);
});

test('each month has its own count, from its first millisecond (UTC)', () => {
  const allowance = new Allowance(allowanceCell());
  allowance.limit(1);
  assert.equal(allowance.take(DECEMBER - 1), true);
  assert.equal(allowance.take(DECEMBER - 1), false);
  assert.equal(allowance.take(DECEMBER), true);
  assert.equal(allowance.take(DECEMBER), false);
  allowance.giveBack(DECEMBER - 1);
  assert.equal(allowance.exhausted(DECEMBER), true);
  assert.equal(allowance.take(DECEMBER - 1), true);
});

test('W3: every month of twenty years has a count of its own, which a clock that jumps and comes back finds again', () => {
  const allowance = new Allowance(allowanceCell());
  const middles = Array.from({ length: 20 * 12 }, (_, month) => Date.UTC(2020, month, 15));
  middles.forEach((ms, month) => {
    allowance.begin(ms, month);
  });
  for (const ms of middles) allowance.take(ms);
  for (const jumpMs of [31, 200, 366, 3_000].map((days) => days * 86_400_000)) {
    allowance.take(NOVEMBER + jumpMs);
    allowance.giveBack(NOVEMBER + jumpMs);
    assert.equal(allowance.used(NOVEMBER), 6 * 12 + 10 + 1);
  }
  assert.deepEqual(
    middles.map((ms) => allowance.used(ms)),
    middles.map((_, month) => month + 1),
  );
  assert.equal(allowance.take(Date.UTC(1960, 0, 1)), true, 'a clock before 1970 breaks nothing');
});
