// How long a thread may busy-wait, with a simulated clock.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AwakeBudget } from '#engine/base/awake-budget.ts';

/** Waits for half a millisecond, so many times a second for ten seconds; the part of the time that was spent awake. */
function awakeShare(waitsPerSecond: number): number {
  const budget = new AwakeBudget(0);
  let awakeMs = 0;
  for (let atMs = 0; atMs < 10_000; atMs += 1_000 / waitsPerSecond) if (budget.allows(0.5, atMs)) awakeMs += 0.5;
  return awakeMs / 10_000;
}

test('a thread may busy-wait when that is rare, and otherwise for a tenth of the time at most', () => {
  assert.equal(awakeShare(100), 0.05);
  assert.ok(awakeShare(1_000) < 0.11, 'a tenth, and what was saved up');
  assert.ok(awakeShare(1_000) > 0.09);
});

test('a wait is charged once, however often the thread asks while it lasts', () => {
  const budget = new AwakeBudget(0);
  for (let i = 0; i < 100; i++) assert.equal(budget.allows(0.9 - i * 0.009, i * 0.009), true);
  for (let i = 0; i < 21; i++) assert.equal(budget.allows(0.9, 1 + i / 1e6 + i), true, `${i}`);
});
