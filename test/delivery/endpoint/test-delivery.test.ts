// Test deliveries on their shard: what they take from the monthly allowance, and what they leave in the log, in usage
// and in the latencies.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEADLINE_MS, RECORD_BATCH_MS, RECORD_PART_ROWS_MIN } from '#engine/base/limits.ts';
import { type TestOutcome, testSessionId } from '#engine/delivery/endpoint/test-delivery.ts';
import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import { DeliveryHeaders, deliveryId } from '#engine/delivery/sign/delivery-headers.ts';
import { Allowance, allowanceCell } from '#engine/delivery/usage/allowance.ts';
import { LatencySketch } from '#engine/delivery/usage/latency-sketch.ts';
import { logRow } from '#test/support/log-row.ts';
import { endpoint, GOOD } from '#test/support/shard-endpoints.ts';
import { answers } from '#test/support/simulated-network.ts';
import { SimulatedShard } from '#test/support/simulated-shard.ts';
import { sharedArtifact, steadyTimeline } from '#test/support/timelines.ts';

const BODY = Buffer.from('{}');

function setUp(limit = 10) {
  const shard = new SimulatedShard();
  const cell = allowanceCell();
  const allowance = new Allowance(cell);
  allowance.limit(limit);
  let testId = 0;
  const start = (settings: EndpointSettings = endpoint('a', GOOD)): number => {
    testId++;
    shard.receive({
      kind: 'test.start',
      order: { testId, settings, feedId: 'lap.count', body: BODY, allowance: cell },
    });
    return testId;
  };
  const outcomeOf = (id: number): TestOutcome | null => {
    const [message, ...others] = shard.heard.filter((heard) => heard.kind === 'test.ended' && heard.testId === id);
    assert.equal(others.length, 0);
    return message?.kind === 'test.ended' ? message.outcome : null;
  };
  const deliver = async (settings?: EndpointSettings): Promise<TestOutcome | null> => {
    const id = start(settings);
    await shard.time.pass(DEADLINE_MS + 100);
    return outcomeOf(id);
  };
  return { shard, allowance, start, outcomeOf, deliver };
}

test('I10: a test takes one from the allowance; if none is left nothing is sent and nothing is counted', async () => {
  const { shard, allowance, deliver } = setUp(2);
  shard.network.receiver(GOOD, () => answers(204, 40));
  const result = { kind: 'answered', statusCode: 204, body: 'status 204' };
  for (let i = 0; i < 2; i++) assert.deepEqual(await deliver(), { kind: 'attempted', result, latencyMs: 40 });
  assert.deepEqual(await deliver(), { kind: 'skipped' });
  assert.equal(shard.network.arrivals.length, 2);
  assert.equal(shard.store.attempts.length, 2);
  assert.equal(allowance.used(shard.time.wallMs()), 2);
  const expected = { attempts: 2, succeeded: 2, failed: 0, skipped: 0, demo: 0 };
  const key = { accountId: 'acc_1', month: '2026-06-01', day: 1, feedId: 'lap.count' };
  assert.deepEqual([...shard.store.usage.values()], [{ ...key, ...expected }]);
  assert.equal(shard.meter.deliveries.test.attempts('delivered'), 2);
});

test('I10: a test that is refused before anything is sent is neither recorded nor counted, and costs no allowance', async () => {
  const { shard, allowance, deliver } = setUp();
  shard.network.receiver(GOOD, () => ({ kind: 'break', error: 'ADDRESS_REFUSED', afterMs: 0 }));
  const outcome = await deliver();
  assert.ok(outcome?.kind === 'attempted' && outcome.result.kind === 'failed');
  assert.equal(outcome.result.code, 'not_allowed');
  assert.deepEqual([shard.store.attempts.length, shard.store.usage.size], [0, 0]);
  assert.equal(allowance.used(shard.time.wallMs()), 0);
  shard.network.receiver(GOOD, () => ({ kind: 'break', error: 'ECONNREFUSED', afterMs: 1 }));
  await deliver();
  assert.equal(shard.store.attempts.length, 1, 'a receiver that is not there is an attempt that failed');
});

test('a test is signed and recorded like any attempt, with mode test and no run, and never retried', async () => {
  const { shard, deliver } = setUp();
  shard.network.receiver(GOOD, () => answers(500, 40));
  await deliver();
  const [arrival, ...others] = shard.network.arrivals;
  assert.deepEqual(others, []);
  assert.equal(arrival!.headers.get('x-service-mode'), 'test');
  assert.match(arrival!.headers.get('x-service-signature')!, /^sha256=[0-9a-f]{64}$/);
  const record = shard.store.attempts[0]!;
  const { webhookNo, runNo, mode, sequence, attempt, statusCode, error } = logRow(record);
  const context = { mode: 'test', sessionId: testSessionId(record.createdAtMs), run: null, headerPrefix: 'X' } as const;
  const idPrefix = new DeliveryHeaders(context).idPrefix(endpoint('a', GOOD).webhookId);
  assert.equal(arrival!.headers.get('webhook-id'), deliveryId(idPrefix, 0), 'the log can tell its delivery id');
  assert.deepEqual([webhookNo, runNo, mode, sequence, attempt], ['a'.charCodeAt(0), null, 'test', 0, 1]);
  assert.deepEqual([statusCode, error], [500, null]);
  assert.equal(shard.network.openConnections, 0);
});

test('the latency of a test counts from the start of its attempt, and only a delivered one has a latency', async () => {
  const { shard, deliver } = setUp();
  shard.network.receiver(GOOD, () => answers(200, 40));
  await deliver();
  shard.network.receiver(GOOD, () => answers(500, 40));
  await deliver();
  shard.network.receiver(GOOD, () => ({ kind: 'hang' }));
  const outcome = await deliver();
  assert.ok(outcome?.kind === 'attempted' && outcome.result.kind === 'failed');
  assert.equal(outcome.result.code, 'timeout');
  const [latency, ...others] = [...shard.store.latency.values()];
  assert.equal(others.length, 0);
  const sketch = new LatencySketch();
  sketch.merge(latency!.counts);
  assert.equal(sketch.sampleCount, 1);
  assert.ok(Math.abs(sketch.quantile(0.5) - 40) <= 0.8);
});

test('the outcome of a test is reported once it is recorded', async () => {
  const { shard, start, outcomeOf } = setUp();
  shard.network.receiver(GOOD, () => answers(200, 40));
  shard.store.fault = 'refuse';
  const id = start();
  await shard.time.pass(5_000);
  assert.equal(outcomeOf(id), null);
  shard.store.fault = 'none';
  await shard.time.pass(10_000);
  assert.equal(outcomeOf(id)?.kind, 'attempted');
});

test('with invalid settings or a defect in the transport a test is unavailable, takes nothing and keeps no slot', async () => {
  const { shard, allowance, deliver } = setUp();
  assert.deepEqual(await deliver({ ...endpoint('a', GOOD), url: 'nowhere' }), { kind: 'unavailable' });
  shard.network.receiver(GOOD, () => ({ kind: 'throw' }));
  assert.deepEqual(await deliver(), { kind: 'unavailable' });
  assert.equal(shard.problems.length, 2);
  assert.equal(allowance.used(shard.time.wallMs()), 0);
  shard.measure();
  assert.equal(shard.meter.gauges.value('inFlight'), 0);
  assert.equal(shard.network.openConnections, 0);
});

test('a draining shard first finishes the test under way, records it and reports its outcome', async () => {
  const { shard, start } = setUp();
  shard.network.receiver(GOOD, () => answers(200, 300));
  start();
  await shard.time.pass(100);
  shard.receive({ kind: 'drain' });
  await shard.time.pass(1_000);
  assert.deepEqual(
    shard.heard.map(({ kind }) => kind),
    ['test.ended', 'drained'],
  );
});

test('R8: the end of a test waits for its attempt, and makes no rows of thousands of late checkpoints', async () => {
  const { shard, start, outcomeOf } = setUp();
  shard.network.receiver(GOOD, () => answers(204, 1));
  const actors = 4 * RECORD_PART_ROWS_MIN;
  const endpoints = Array.from({ length: actors }, (_, index) => ({
    ...endpoint('r', GOOD),
    webhookId: `wh_${index}`,
    webhookNo: 1_000 + index,
  }));
  const rows: number[] = [];
  const commit = shard.store.commit.bind(shard.store);
  shard.store.commit = (batch) => {
    rows.push((batch.checkpointsAreLate ? (batch.lateRows?.checkpoints ?? []) : batch.checkpoints).length);
    return commit(batch);
  };
  shard.start(await sharedArtifact(steadyTimeline(2, 60_000)), endpoints);
  await shard.time.pass(RECORD_BATCH_MS + 50);
  const id = start();
  await shard.time.pass(50);
  assert.equal(outcomeOf(id)?.kind, 'attempted');
  assert.equal(shard.store.attempts.length, actors + 1, 'it is recorded');
  assert.ok(Math.max(...rows) <= RECORD_PART_ROWS_MIN, `batches wrote ${rows} rows`);
});
