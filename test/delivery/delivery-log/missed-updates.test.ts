import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missedUpdates, type RunOutcomes } from '#engine/delivery/delivery-log/missed-updates.ts';
import { formatPositions, parsePositions } from '#engine/delivery/delivery-log/position-text.ts';

const NOTHING: RunOutcomes = { delivered: [], failed: [], skipped: [], pending: [], selection: null };
const ALL = { failed: true, reasons: new Set(['paused', 'breaker_open']) };
const RUN: RunOutcomes = {
  ...NOTHING,
  delivered: [0, 1, 9],
  failed: [3, 12],
  pending: [13],
  skipped: [
    { first: 4, last: 6, reason: 'paused' },
    { first: 8, last: 8, reason: 'breaker_open' },
  ],
};

test('what failed and what was skipped for these reasons is missed', () => {
  assert.deepEqual([...missedUpdates([RUN], ALL)], [3, 4, 5, 6, 8, 12]);
  assert.deepEqual([...missedUpdates([RUN], { failed: true, reasons: new Set() })], [3, 12]);
  assert.deepEqual([...missedUpdates([RUN], { failed: false, reasons: new Set(['breaker_open']) })], [8]);
});

test('what any run has delivered is not missed, and what is under way is not missed yet', () => {
  const again = { ...NOTHING, delivered: [4], failed: [5], pending: [12], selection: Uint32Array.of(4, 5, 12) };
  assert.deepEqual([...missedUpdates([RUN, again], ALL)], [3, 5, 6, 8]);
});

test('R8: what has ended since a checkpoint that is late is missed, although that has it under way', () => {
  const run = { ...RUN, pending: [3, 5, 13] };
  assert.deepEqual([...missedUpdates([run], ALL)], [3, 4, 5, 6, 8, 12]);
});

test('a span of a resend means only what the resend was to send', () => {
  const again: RunOutcomes = {
    ...NOTHING,
    skipped: [{ first: 20, last: 30, reason: 'paused' }],
    selection: Uint32Array.of(20, 24, 30),
  };
  assert.deepEqual([...missedUpdates([again], ALL)], [20, 24, 30]);
});

test('positions are the same after they were text', () => {
  for (const positions of [[], [0], [0, 1, 2, 5, 7, 8, 1_000_000]])
    assert.deepEqual([...parsePositions(formatPositions(Uint32Array.from(positions)))], positions);
  assert.equal(formatPositions(Uint32Array.of(0, 1, 2, 5, 7, 8)), '0-2,5,7-8');
  for (const text of ['x', '5-3', '1-2-3', '-', '1,']) assert.throws(() => parsePositions(text), /is a span/, text);
});
