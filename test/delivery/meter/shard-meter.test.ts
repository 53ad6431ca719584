// A shard's meter, written by one thread and read by another.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ATTEMPT_OUTCOMES } from '#engine/delivery/meter/attempt-outcome.ts';
import { ShardMeter } from '#engine/delivery/meter/shard-meter.ts';
import { SKIP_REASONS } from '#engine/delivery/skip-reason.ts';

test('every figure has a cell of its own, also for a reader on another thread', () => {
  const memory = ShardMeter.memory();
  const meter = new ShardMeter(memory);
  const read = new ShardMeter(memory);
  const { live, replay } = meter.deliveries;
  let expected = 0;
  for (const cells of [meter.gauges, meter.counts, meter.thread.figures] as { names: readonly string[] }[]) {
    const of = cells as { names: readonly string[]; set(name: string, value: number): void };
    for (const name of of.names) of.set(name, ++expected);
  }
  for (const deliveries of [live, replay]) {
    for (const reason of SKIP_REASONS) deliveries.skipped(reason);
    deliveries.failed();
    deliveries.attemptSucceeded(1, 1);
  }
  meter.records.commitFailed();
  let told = 0;
  for (const cells of [read.gauges, read.counts, read.thread.figures] as { names: readonly string[] }[]) {
    const of = cells as { names: readonly string[]; value(name: string): number };
    for (const name of of.names) assert.equal(of.value(name), ++told, name);
  }
  for (const deliveries of [read.deliveries.live, read.deliveries.replay]) {
    assert.deepEqual(
      ATTEMPT_OUTCOMES.map((outcome) => deliveries.attempts(outcome)),
      ATTEMPT_OUTCOMES.map((outcome) => (outcome === 'delivered' ? 1 : 0)),
    );
    assert.ok(SKIP_REASONS.every((reason) => deliveries.skips(reason) === 1));
    assert.deepEqual([deliveries.failures, deliveries.attemptMs.sum, deliveries.deliveryMs.sum], [1, 1, 1]);
  }
  assert.equal(read.records.commitFailures, 1);
  assert.deepEqual([read.liveStartMs.sum, read.records.batches.sum, read.thread.delayMs.sum], [0, 0, 0]);
});
