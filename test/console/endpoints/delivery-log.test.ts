// The delivery log as the console keeps it, filters it and plots it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeliveryLogEntry } from '#api/client/calls.ts';
import { isFiltering, logQuery, NO_LOG_FILTER } from '#api/console/app/pages/endpoints/log-filter.ts';
import { stretchesOf, totalsOf } from '#api/console/app/pages/endpoints/log-plots.ts';
import { LOG_KEPT_MAX, NO_TAIL, withNewest, withOlder } from '#api/console/app/pages/endpoints/log-tail.ts';
import { gapOrder, NO_GAP } from '#api/console/app/pages/endpoints/resend-order.ts';

const START_MS = Date.UTC(2026, 10, 23, 14);

function entry(no: number, part: Partial<DeliveryLogEntry> = {}): DeliveryLogEntry {
  return {
    logId: `log_${no}`,
    webhookId: 'wh_1',
    statusCode: 200,
    latencyMs: 10,
    createdAt: new Date(START_MS + no * 1_000).toISOString(),
    responseBody: '',
    deliveryId: `evt_${no}`,
    feedId: 'lap.count',
    sessionId: 'race',
    runId: 'run_1',
    mode: 'replay',
    sequence: no,
    snapshot: false,
    attempt: 1,
    outcome: 'delivered',
    failureCode: null,
    errorMessage: null,
    lagMs: 20,
    ...part,
  };
}

/** Those from `last` down to `first`: the latest first. */
function entries(first: number, last: number): DeliveryLogEntry[] {
  return Array.from({ length: last - first + 1 }, (_, index) => entry(last - index));
}

const idsOf = ({ entries: shown }: { readonly entries: readonly DeliveryLogEntry[] }) =>
  shown.map(({ logId }) => logId);

test('new entries come before those that are shown, each once', () => {
  const first = withNewest(NO_TAIL, { logs: entries(1, 3), nextCursor: 'older' });
  const next = withNewest(first, { logs: entries(2, 5), nextCursor: 'newer' });
  assert.deepEqual(idsOf(next), ['log_5', 'log_4', 'log_3', 'log_2', 'log_1']);
  assert.equal(next.olderCursor, 'older');
  assert.equal(withNewest(next, { logs: entries(2, 5), nextCursor: 'newer' }), next);
});

test('a page that does not reach what is shown begins the list anew, without a gap', () => {
  const first = withNewest(NO_TAIL, { logs: entries(1, 3), nextCursor: null });
  const next = withNewest(first, { logs: entries(7, 9), nextCursor: 'below 7' });
  assert.deepEqual(idsOf(next), ['log_9', 'log_8', 'log_7']);
  assert.equal(next.olderCursor, 'below 7');
});

test('older pages come behind, and the list stays bounded', () => {
  let tail = withNewest(NO_TAIL, { logs: entries(2_901, 3_000), nextCursor: 'a' });
  tail = withOlder(tail, { logs: entries(2_801, 2_900), nextCursor: 'b' });
  assert.equal(tail.entries.length, 200);
  assert.equal(tail.olderCursor, 'b');
  tail = withOlder(tail, { logs: entries(1_000, 2_800), nextCursor: 'c' });
  assert.equal(tail.entries.length, LOG_KEPT_MAX);
  assert.equal(tail.entries[0]!.logId, 'log_3000');
  assert.equal(tail.olderCursor, null);
});

test('empty fields filter nothing, and unfinished ones neither', () => {
  assert.deepEqual(logQuery(NO_LOG_FILTER), {});
  assert.equal(isFiltering({ ...NO_LOG_FILTER, status: '50' }), false);
  assert.deepEqual(
    logQuery({ ...NO_LOG_FILTER, outcome: 'failed', status: ' 503 ', run: ' run_1 ', delivery: ' evt_1 ' }),
    {
      delivery: 'evt_1',
      outcome: 'failed',
      status: 503,
      run: 'run_1',
    },
  );
});

test('a year that is still being typed, or that no calendar has, filters nothing', () => {
  for (const since of ['20261-11-23T14:00', '275760-12-31T23:59', '2026-13-01T00:00', 'x'])
    assert.deepEqual(logQuery({ ...NO_LOG_FILTER, since, until: since }), {}, since);
  assert.deepEqual(logQuery({ ...NO_LOG_FILTER, until: '2026-11-23T14:00' }), {
    until: new Date(2026, 10, 23, 14).toISOString(),
  });
});

test('plots have the attempts of each stretch by outcome, with empty stretches between', () => {
  const shown = [entry(0), entry(0, { outcome: 'failed', latencyMs: 900 }), entry(3, { latencyMs: 30 })];
  const stretches = stretchesOf(shown);
  assert.deepEqual(
    stretches.map(({ atS, delivered, failed }) => [atS - START_MS / 1_000, delivered, failed]),
    [
      [0, 1, 1],
      [1, 0, 0],
      [2, 0, 0],
      [3, 1, 0],
    ],
  );
  // Only answers with a 2xx have a time to the answer.
  assert.deepEqual([stretches[0]!.p99, stretches[1]!.p50, stretches[3]!.p50], [10, null, 30]);
});

test('a log of any length has a bounded number of stretches that lose nothing', () => {
  for (const lastS of [59, 60, 3_600, 86_400, 90 * 86_400]) {
    const shown = [entry(0), entry(Math.floor(lastS / 2)), entry(lastS)];
    const stretches = stretchesOf(shown);
    assert(stretches.length <= 60, `${stretches.length} stretches for ${lastS} s`);
    assert.equal(
      stretches.reduce((sum, { delivered }) => sum + delivered, 0),
      3,
    );
  }
  assert.deepEqual(stretchesOf([]), []);
});

test('percentiles are values that were measured', () => {
  const shown = Array.from({ length: 100 }, (_, index) => entry(index, { latencyMs: index + 1 }));
  const { p50, p95, p99, attempts, delivered, lag } = totalsOf(shown);
  assert.deepEqual([p50, p95, p99, attempts, delivered, lag], [50, 95, 99, 100, 100, 20]);
});

test('what is sent again begins at a sequence or a time', () => {
  const source = { runId: 'run_1' };
  assert.deepEqual(gapOrder(NO_GAP, source), source);
  assert.deepEqual(gapOrder({ ...NO_GAP, since: ' 12 ', outcome: 'skipped' }, source), {
    ...source,
    since: 12,
    outcome: 'skipped',
  });
  assert.deepEqual(gapOrder({ ...NO_GAP, since: '2026-11-23T14:00:00Z' }, source), {
    ...source,
    since: '2026-11-23T14:00:00Z',
  });
});
