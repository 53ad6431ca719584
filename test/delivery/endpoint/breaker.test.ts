import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEADLINE_MS } from '#engine/base/limits.ts';
import { BREAKER_FAILURES, BREAKER_PROBE_MS, Breaker } from '#engine/delivery/endpoint/breaker.ts';

function opened(nowMs: number): Breaker {
  const breaker = new Breaker();
  for (let i = 0; i < BREAKER_FAILURES; i++) breaker.failed(nowMs, nowMs);
  return breaker;
}

test('B1: the breaker opens after 20 consecutive failures', () => {
  const breaker = new Breaker();
  for (let i = 0; i < 19; i++) breaker.failed(0, 0);
  assert.equal(breaker.open, false);
  breaker.failed(0, 0);
  assert.equal(breaker.open, true);
});

test('B1: a success in between resets the count', () => {
  const breaker = new Breaker();
  for (let i = 0; i < 19; i++) breaker.failed(0, 0);
  breaker.succeeded();
  for (let i = 0; i < 19; i++) breaker.failed(0, 0);
  assert.equal(breaker.open, false);
});

test('B2: an open breaker admits one probe every 3 seconds', () => {
  const breaker = opened(1_000);
  assert.equal(breaker.admits(1_000 + BREAKER_PROBE_MS - 1), false);
  assert.equal(breaker.admits(1_000 + BREAKER_PROBE_MS), true);
  breaker.started(1_000 + BREAKER_PROBE_MS);
  assert.equal(breaker.admits(1_000 + BREAKER_PROBE_MS), false, 'one probe is under way');
  breaker.failed(1_000 + BREAKER_PROBE_MS, 5_000);
  assert.equal(breaker.admits(1_000 + 2 * BREAKER_PROBE_MS - 1), false);
  assert.equal(breaker.admits(1_000 + 2 * BREAKER_PROBE_MS), true);
});

test('B2: a probe that hangs until its deadline is followed by the next one at once', () => {
  const breaker = opened(0);
  breaker.started(BREAKER_PROBE_MS);
  assert.equal(breaker.admits(BREAKER_PROBE_MS + DEADLINE_MS - 1), false);
  breaker.failed(BREAKER_PROBE_MS, BREAKER_PROBE_MS + DEADLINE_MS);
  assert.equal(breaker.open, true);
  assert.equal(breaker.admits(BREAKER_PROBE_MS + DEADLINE_MS), true);
});

test('B2: the failure of an attempt that was under way before the probe lets no second probe start', () => {
  const breaker = opened(0);
  breaker.started(BREAKER_PROBE_MS);
  breaker.failed(-1, BREAKER_PROBE_MS + 5_000);
  assert.equal(breaker.admits(BREAKER_PROBE_MS + 5_000), false);
  breaker.failed(BREAKER_PROBE_MS, BREAKER_PROBE_MS + DEADLINE_MS);
  assert.equal(breaker.admits(BREAKER_PROBE_MS + DEADLINE_MS), true);
});

test('B2: starting anything but a due probe while open is a programming error', () => {
  assert.throws(() => opened(0).started(1), /B2/);
});

test('B3: one success closes the breaker', () => {
  const breaker = opened(0);
  breaker.started(BREAKER_PROBE_MS);
  breaker.succeeded();
  assert.equal(breaker.open, false);
  assert.equal(breaker.admits(BREAKER_PROBE_MS), true);
});

test('a breaker that was open before a restart probes at once', () => {
  const breaker = new Breaker();
  breaker.reopen(500);
  assert.equal(breaker.open, true);
  assert.equal(breaker.admits(500), true);
});
