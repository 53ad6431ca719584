// The simulated record store passes the same tests as the real one.

import assert from 'node:assert/strict';
import { newId } from '#engine/base/ids.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import type { UsageDelta } from '#engine/delivery/usage/usage-delta.ts';
import { recordStoreConformance } from '#test/conformance/record-store.ts';
import { logRow } from '#test/support/log-row.ts';
import { MemoryRecordStore } from '#test/support/memory-record-store.ts';

const store = new MemoryRecordStore();
let runs = 0;

recordStoreConformance('MemoryRecordStore', () => ({
  store,
  otherStore: store,
  supersedeWriters: async () => store.supersedeWriters(),
  async newRun() {
    runs++;
    return { accountId: newId('acc', 0, systemRandomBytes), runId: newId('run', 0, systemRandomBytes), runNo: runs };
  },
  deleteRun: async (runId) => store.deleteRun(runId),
  async attemptsOf(runNo) {
    const logged = () => store.attempts.filter((attempt) => attempt.runNo === runNo).map(logRow);
    const before = logged();
    store.fold(Number.POSITIVE_INFINITY, 0);
    assert.deepEqual(logged(), before, 'a fold that is interrupted changes nothing');
    store.fold();
    assert.deepEqual(logged(), before, 'FP1: pages hold what the journal held');
    return before;
  },
  usageOf: async (accountId) =>
    [...store.usage.values()]
      .filter((delta) => delta.accountId === accountId)
      .sort((a, b) => keyOf(a).localeCompare(keyOf(b))),
  spansOf: async (runId) => store.spans(runId, 'wh_1'),
  dueOf: async ({ runId }) => store.dueOf(runId),
  latencyOf: async (accountId) =>
    [...store.latency.values()]
      .filter((delta) => delta.accountId === accountId)
      .sort((a, b) => `${a.month} ${a.feedId}`.localeCompare(`${b.month} ${b.feedId}`)),
}));

function keyOf({ month, feedId, day }: UsageDelta): string {
  return `${month} ${feedId} ${String(day).padStart(2, '0')}`;
}
