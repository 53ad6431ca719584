import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  LATENCY_BUCKETS,
  LATENCY_MS_MAX,
  LATENCY_MS_MIN,
  LATENCY_RELATIVE_ERROR,
  LatencySketch,
} from '#engine/delivery/usage/latency-sketch.ts';

/** Spread logarithmically over the whole range, as latencies are. */
const latency = fc
  .double({ min: Math.log(LATENCY_MS_MIN), max: Math.log(LATENCY_MS_MAX), noNaN: true })
  .map((logarithm) => Math.min(LATENCY_MS_MAX, Math.max(LATENCY_MS_MIN, Math.exp(logarithm))));
const part = fc.constantFrom(0, 0.01, 0.5, 0.9, 0.95, 0.99, 1);

function sketchOf(latencies: readonly number[]): LatencySketch {
  const sketch = new LatencySketch();
  for (const latencyMs of latencies) sketch.add(latencyMs);
  return sketch;
}

function exactQuantile(latencies: readonly number[], wanted: number): number {
  const sorted = latencies.toSorted((a, b) => a - b);
  return sorted[Math.max(1, Math.ceil(wanted * sorted.length)) - 1]!;
}

test('every quantile is within the stated error of the exact one', () => {
  fc.assert(
    fc.property(fc.array(latency, { minLength: 1, maxLength: 400 }), part, (latencies, wanted) => {
      const exact = exactQuantile(latencies, wanted);
      const told = sketchOf(latencies).quantile(wanted);
      assert.ok(Math.abs(told - exact) <= LATENCY_RELATIVE_ERROR * exact, `${told} for ${exact}`);
    }),
    { numRuns: 2_000 },
  );
});

test('every single latency of the range is reported within the stated error', () => {
  for (let latencyMs = LATENCY_MS_MIN; latencyMs <= LATENCY_MS_MAX; latencyMs *= 1.0007) {
    const told = sketchOf([latencyMs]).quantile(0.5);
    assert.ok(Math.abs(told - latencyMs) <= LATENCY_RELATIVE_ERROR * latencyMs, `${told} for ${latencyMs}`);
  }
});

test('merging sketches, in any order, equals counting everything in one', () => {
  fc.assert(
    fc.property(fc.array(fc.array(latency, { maxLength: 50 }), { maxLength: 6 }), (lists) => {
      const merged = new LatencySketch();
      for (const list of lists.toReversed()) merged.merge(sketchOf(list).take());
      const whole = sketchOf(lists.flat());
      assert.equal(merged.sampleCount, lists.flat().length);
      assert.deepEqual(merged.take(), whole.take());
    }),
  );
});

test('values outside the range count in the first and the last bucket', () => {
  const sketch = sketchOf([0, -5, Number.NaN, 1e-9, 1e12, Number.POSITIVE_INFINITY]);
  assert.equal(sketch.sampleCount, 6);
  const counts = sketch.take();
  assert.equal(counts[0], 4);
  assert.equal(counts.length, LATENCY_BUCKETS);
  assert.equal(counts.at(-1), 2);
});

test('taking the counts leaves the sketch empty', () => {
  const sketch = sketchOf([5, 50]);
  assert.equal(
    sketch.take().reduce((sum, count) => sum + count, 0),
    2,
  );
  assert.equal(sketch.take().length, 0);
  assert.deepEqual([sketch.sampleCount, sketch.quantile(0.5)], [0, 0]);
  sketch.add(7);
  assert.equal(sketch.sampleCount, 1);
});
