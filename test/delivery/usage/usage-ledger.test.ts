// What an account's ledger hands to a group commit. It does so for every account at one moment, while the shard waits.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayOf } from '#engine/delivery/usage/day.ts';
import type { LatencyDelta, UsageDelta } from '#engine/delivery/usage/usage-delta.ts';
import { UsageLedger } from '#engine/delivery/usage/usage-ledger.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';

const DAY = dayOf(Date.UTC(2026, 10, 29));

function taken(ledger: UsageLedger): { usage: UsageDelta[]; latency: LatencyDelta[] } {
  const usage: UsageDelta[] = [];
  const latency: LatencyDelta[] = [];
  ledger.take(DAY, usage, latency);
  return { usage, latency };
}

test('I10: a ledger hands over what was counted of each feed, in the order of feeds, and once', () => {
  const ledger = new UsageLedger('acc_1');
  assert.equal(ledger.dirty, false);
  ledger.skipped(5);
  ledger.attempt(2, 12);
  ledger.attempt(2, null, true);
  ledger.streamed(9, true, 3);
  ledger.streamed(4, false, 0);
  ledger.attempt(5, 7);
  assert.equal(ledger.dirty, true);
  const row = { accountId: 'acc_1', month: '2026-11-01', day: 29 };
  const none = { attempts: 0, demo: 0, succeeded: 0, failed: 0, skipped: 0 };
  const { usage, latency } = taken(ledger);
  assert.deepEqual(usage, [
    { ...row, ...none, feedId: FEEDS[2]!.feedId, attempts: 2, demo: 1, succeeded: 1, failed: 1 },
    { ...row, ...none, feedId: FEEDS[5]!.feedId, attempts: 1, succeeded: 1, skipped: 1 },
    { ...row, ...none, feedId: FEEDS[9]!.feedId, streamed: 3, demoStreamed: 3 },
  ]);
  assert.deepEqual(
    latency.map(({ feedId, counts }) => [feedId, counts.reduce((sum, count) => sum + count, 0)]),
    [
      [FEEDS[2]!.feedId, 1],
      [FEEDS[5]!.feedId, 1],
    ],
  );
  assert.equal(ledger.dirty, false);
  assert.deepEqual(taken(ledger), { usage: [], latency: [] });
  ledger.skipped(5);
  assert.deepEqual(taken(ledger).usage, [{ ...row, ...none, feedId: FEEDS[5]!.feedId, skipped: 1 }]);
});
