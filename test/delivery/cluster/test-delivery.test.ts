// Test deliveries: what they take from the monthly allowance, and what they leave in usage and in the latencies.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEADLINE_MS } from '#engine/base/limits.ts';
import { createTestDelivery } from '#engine/delivery/cluster/test-delivery.ts';
import { MainMeter } from '#engine/delivery/meter/main-meter.ts';
import { Allowance, allowanceCell } from '#engine/delivery/usage/allowance.ts';
import { LatencySketch } from '#engine/delivery/usage/latency-sketch.ts';
import { MemoryRecordStore } from '#test/support/memory-record-store.ts';
import { endpoint, GOOD } from '#test/support/shard-endpoints.ts';
import { answers, SimulatedNetwork } from '#test/support/simulated-network.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';

const BODY = Buffer.from('{}');

function setUp(limit: number) {
  const time = new SimulatedTime();
  const network = new SimulatedNetwork(time);
  const store = new MemoryRecordStore();
  const writer = { name: 'tests', incarnation: 1 };
  void store.admit(writer);
  const meter = new MainMeter().tests;
  const cell = allowanceCell();
  const allowance = new Allowance(cell);
  allowance.limit(limit);
  const send = createTestDelivery({
    transport: network,
    store,
    clock: time,
    meter,
    writer,
    headerPrefix: 'X-Service',
    schedule: (delayMs, callback) => time.schedule(delayMs, callback),
  });
  const deliver = async () => {
    const outcome = send(endpoint('a', GOOD), 'lap.count', BODY, cell);
    await time.pass(DEADLINE_MS);
    return outcome;
  };
  return { time, network, store, meter, allowance, deliver };
}

test('a test delivery takes one; when none is left nothing is sent, and that is counted as skipped', async () => {
  const { time, network, store, allowance, deliver } = setUp(2);
  network.receiver(GOOD, () => answers(204, 40));
  for (let i = 0; i < 2; i++) assert.equal((await deliver()).delivered, true);
  assert.deepEqual(await deliver(), {
    delivered: false,
    statusCode: null,
    latencyMs: 0,
    errorMessage: 'the monthly delivery limit is reached',
  });
  assert.equal(network.arrivals.length, 2);
  assert.equal(store.attempts.length, 2);
  assert.equal(allowance.used(time.wallMs()), 2);
  const expected = { attempts: 2, succeeded: 2, failed: 0, skipped: 1 };
  const key = { accountId: 'acc_1', month: '2026-06-01', feedId: 'lap.count' };
  assert.deepEqual([...store.usage.values()], [{ ...key, ...expected }], 'I10');
});

test('its latency runs from the start of the attempt, and only what was delivered has one', async () => {
  const { network, store, deliver } = setUp(10);
  network.receiver(GOOD, () => answers(200, 40));
  await deliver();
  network.receiver(GOOD, () => answers(500, 40));
  await deliver();
  network.receiver(GOOD, () => ({ kind: 'hang' }));
  assert.equal((await deliver()).errorMessage, 'timeout');
  const [latency, ...others] = [...store.latency.values()];
  assert.equal(others.length, 0);
  const sketch = new LatencySketch();
  sketch.merge(latency!.counts);
  assert.equal(sketch.sampleCount, 1);
  assert.ok(Math.abs(sketch.quantile(0.5) - 40) <= 0.8);
});
