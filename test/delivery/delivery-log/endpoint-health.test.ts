import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEADLINE_MS } from '#engine/base/limits.ts';
import { failed } from '#engine/delivery/attempt-result.ts';
import { HEALTH_BUCKETS, HealthLedger, latencyQuantile } from '#engine/delivery/delivery-log/endpoint-health.ts';

const answered = (statusCode: number) => ({ kind: 'answered' as const, statusCode, body: '' });

test('attempts, successes, failures in a row and the last failure are counted by endpoint, and taken once', () => {
  const ledger = new HealthLedger();
  ledger.attempt(7, failed('timeout', 'timeout'), 10_000, 1);
  ledger.attempt(7, answered(204), 12, 2);
  ledger.attempt(7, failed('tls', 'CERT_HAS_EXPIRED'), 3, 3);
  ledger.attempt(7, answered(503), 3, 4);
  ledger.attempt(8, answered(200), 0.2, 5);
  const [seven, eight, ...others] = ledger.take(9);
  const { counts, ...rest } = seven!;
  assert.deepEqual(rest, {
    webhookNo: 7,
    atMs: 9,
    attempts: 4,
    delivered: 1,
    failuresInRow: 2,
    failedAtMs: 4,
    failureCode: null,
    statusCode: 503,
  });
  assert.equal(
    counts.reduce((sum, count) => sum + count),
    1,
  );
  assert.deepEqual([eight!.failuresInRow, eight!.failedAtMs, [...eight!.counts], others], [0, null, [1], []]);
  assert.equal(ledger.size, 0);
  assert.deepEqual(ledger.take(10), []);
});

test('a quantile of latencies is within 12 % of the exact one', () => {
  for (const latencyMs of [1, 1.3, 7, 48, 333, 2_500, DEADLINE_MS]) {
    const ledger = new HealthLedger();
    for (let i = 0; i < 95; i++) ledger.attempt(1, answered(200), latencyMs, 0);
    for (let i = 0; i < 5; i++) ledger.attempt(1, answered(200), DEADLINE_MS, 0);
    const p95 = latencyQuantile([...ledger.take(0)[0]!.counts], 0.95)!;
    assert.ok(Math.abs(p95 / latencyMs - 1) < 0.12, `${p95} for ${latencyMs}`);
  }
  assert.equal(latencyQuantile(new Array<number>(HEALTH_BUCKETS).fill(0), 0.95), null);
});
