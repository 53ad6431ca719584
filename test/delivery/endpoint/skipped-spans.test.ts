import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SkippedSpans } from '#engine/delivery/endpoint/skipped-spans.ts';

const span = (first: number, last: number, reason = 'paused') => ({ first, last, reason });

test('a span grows over what does not match, until an attempt starts or the reason changes', () => {
  const spans = new SkippedSpans([]);
  for (const position of [3, 4, 9]) spans.next(position, 'paused');
  spans.next(10, 'monthly_limit');
  spans.interrupt();
  spans.next(12, 'monthly_limit');
  spans.late(11, 'paused');
  assert.deepEqual(spans.changed(), [
    span(3, 9),
    span(10, 10, 'monthly_limit'),
    span(12, 12, 'monthly_limit'),
    span(11, 11),
  ]);
});

test('only what has changed since the last checkpoint is written, a span that has grown again', () => {
  const spans = new SkippedSpans([]);
  spans.next(1, 'paused');
  spans.interrupt();
  spans.next(3, 'paused');
  spans.written();
  assert.deepEqual(spans.changed(), []);
  spans.next(5, 'paused');
  spans.next(6, 'paused');
  assert.deepEqual(spans.changed(), [span(3, 6)]);
  spans.written();
  assert.deepEqual(spans.changed(), []);
});

test('I9: what a failed predecessor had not written yet is written by its successor', () => {
  const before = new SkippedSpans([]);
  before.next(1, 'paused');
  const spans = new SkippedSpans(before.changed());
  spans.next(2, 'paused');
  assert.deepEqual(spans.changed(), [span(1, 1), span(2, 2)]);
});
