// The log line for each minute of deliveries.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TIMED_OUT } from '#engine/delivery/attempt-result.ts';
import { newMeters } from '#engine/delivery/meter/meters.ts';
import { ShardMeter } from '#engine/delivery/meter/shard-meter.ts';
import { MinuteSummary } from '#workers/minute-summary.ts';

test('a summary covers one minute of all shards, and an idle minute has none', () => {
  const meters = newMeters(2);
  const [first, second] = meters.shards.map((memory) => new ShardMeter(memory));
  first!.deliveries.replay.attemptSucceeded(3, 40);
  const summary = new MinuteSummary(meters);
  assert.equal(summary.take(), null, 'what was before counts for nothing');
  for (let no = 0; no < 98; no++) first!.deliveries.live.attemptSucceeded(3, 1.5);
  for (let no = 0; no < 2; no++) second!.deliveries.replay.attemptSucceeded(3, 150);
  second!.deliveries.replay.attemptFailed(TIMED_OUT, 10_000);
  second!.deliveries.replay.failed();
  second!.deliveries.replay.skipped('breaker_open');
  second!.gauges.set('breakersOpen', 1);
  second!.thread.delayMs.record(30);
  const told = summary.take();
  assert.deepEqual(told, {
    ...{ delivered: 100, failed: 1, attempts: { delivered: 100, timeout: 1 }, skipped: { breaker_open: 1 } },
    ...{ lagP50Ms: told!.lagP50Ms, lagP99Ms: told!.lagP99Ms },
    ...{ inFlight: 0, mailbox: 0, retrying: 0, breakersOpen: 1, recordAttempts: 0, delayP99Ms: told!.delayP99Ms },
  });
  assert.ok(told!.lagP50Ms! > 1 && told!.lagP50Ms! <= 2);
  assert.ok(told!.lagP99Ms! > 100 && told!.lagP99Ms! <= 200);
  assert.ok(told!.delayP99Ms! > 20 && told!.delayP99Ms! <= 50);
  assert.equal(summary.take(), null);
  second!.gauges.set('recordAttempts', 7);
  assert.equal(summary.take()!.recordAttempts, 7, 'what waits is told, too');
});
