// What the usage page works out.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GetUsageAnswer } from '#api/client/calls.ts';
import {
  countedOf,
  daysOf,
  emptyAt,
  excludedOf,
  feedUses,
  monthBefore,
  monthEndMs,
  overageForecast,
  successShare,
  warningOf,
} from '#api/console/app/pages/usage/figures.ts';
import { PLAN_NAMES, PLANS } from '#api/console/app/pages/usage/plans.ts';
import { PLANS as ALL, OVERAGE_CENTS_PER_1000, PUNCTUAL_PERCENT, TERMS } from '#api/plans/plan.ts';

const APRIL = '2026-04-01T00:00:00.000Z';
const TENTH = Date.parse('2026-04-11T00:00:00.000Z');

const USAGE: GetUsageAnswer = {
  deliveryCount: 100,
  demoDeliveryCount: 40,
  streamedCount: 30,
  demoStreamedCount: 5,
  successCount: 90,
  failureCount: 10,
  skippedCount: 7,
  includedDeliveries: 5_000,
  deliveryLimit: 5_000,
  overageCount: 0,
  overageCost: 0,
  overage: { count: 0, cost: 0, reportedCount: 0, spendCap: null },
  windowStart: APRIL,
};

test('the demo race takes nothing from the month, streams do', () => {
  assert.equal(countedOf(USAGE), 85);
  assert.equal(successShare(USAGE), 0.9);
  assert.equal(successShare({ ...USAGE, successCount: 0, failureCount: 0 }), null);
});

test('a straight line from the beginning of the month says when it is used up', () => {
  assert.equal(emptyAt(2_500, 5_000, APRIL, TENTH), '2026-04-21T00:00:00.000Z');
  assert.equal(emptyAt(1_000, 5_000, APRIL, TENTH), null, 'it lasts');
  assert.equal(emptyAt(5_000, 5_000, APRIL, TENTH), null, 'it is used up');
  assert.equal(emptyAt(0, 5_000, APRIL, TENTH), null);
});

test('months end in UTC, at the end of a year too', () => {
  assert.equal(new Date(monthEndMs('2026-12-01T00:00:00.000Z')).toISOString(), '2027-01-01T00:00:00.000Z');
  assert.equal(monthBefore('2026-01-01T00:00:00.000Z', 1), '2025-12');
  assert.equal(monthBefore(APRIL, 0), '2026-04');
});

test('warnings come when the mails come', () => {
  const at = (used: number) => warningOf(used, 50_000, 60_000);
  assert.deepEqual([39_999, 40_000, 49_999, 50_000, 59_999, 60_000].map(at), [
    null,
    'near',
    'near',
    'used',
    'used',
    'stopped',
  ]);
  assert.equal(warningOf(5_000, 5_000, 5_000), 'stopped');
  assert.equal(warningOf(1e9, null, null), null);
});

test('overage costs what the service says, and never more than the cap', () => {
  assert.equal(overageForecast(51_000, 50_000, 50), OVERAGE_CENTS_PER_1000 / 100);
  assert.equal(overageForecast(10_000_000, 50_000, 50), 50);
  assert.equal(overageForecast(10, 50_000, 50), 0);
});

test('feeds have counts and percentiles in one row, the busiest first', () => {
  const latency = { feedId: 'b', p50: 1, p95: 2, p99: 3, sampleCount: 4 };
  const uses = feedUses(
    [
      { feedId: 'a', deliveryCount: 10, streamedCount: 0, byDay: [] },
      { feedId: 'b', deliveryCount: 10, streamedCount: 10, byDay: [] },
    ],
    [latency],
  );
  assert.deepEqual(uses, [
    { feedId: 'b', deliveries: 10, streamed: 10, share: 1, latency },
    { feedId: 'a', deliveries: 10, streamed: 0, share: 0.5, latency: null },
  ]);
  assert.deepEqual(feedUses([], []), []);
});

test('only reasons that happened are shown', () => {
  const none = { receiver_busy: 0, paused: 0, deleted: 0, filtered: 0, monthly_limit: 0, replay_only: 0 };
  assert.deepEqual(excludedOf({ ...none, paused: 3 }), [['paused', 3]]);
});

test('the table of plans is that of the service', () => {
  assert.deepEqual(PLAN_NAMES, ALL);
  const finite = (count: number) => (Number.isFinite(count) ? count : null);
  for (const plan of ALL) {
    const terms = TERMS[plan];
    assert.deepEqual(PLANS[plan], {
      feeds: [...terms.opens],
      endpoints: terms.endpoints,
      feedsPerEndpoint: finite(terms.feedsPerEndpoint),
      deliveries: finite(terms.deliveriesPerMonth),
      demoDeliveries: finite(terms.demoDeliveriesPerMonth),
      past: terms.past,
      streams: terms.streams,
      grpc: terms.grpc,
      requests: terms.requestsPerHour,
      slots: finite(terms.simulateSlots),
      currentSeasonOnly: terms.currentSeasonOnly,
      previews: terms.previews,
      fantasy: terms.fantasy,
      punctual: terms.punctual,
    });
  }
  assert.equal(PUNCTUAL_PERCENT, 99.5, 'the texts name it');
});

test('days of the month run through today, add up over feeds, and leave out what was counted by month only', () => {
  const byFeed = [
    {
      feedId: 'lap.count',
      deliveryCount: 9,
      streamedCount: 2,
      byDay: [{ date: '2026-04-02', deliveryCount: 4, streamedCount: 2 }],
    },
    {
      feedId: 'timing.data',
      deliveryCount: 7,
      streamedCount: 0,
      byDay: [
        { date: '2026-04-02', deliveryCount: 1, streamedCount: 0 },
        { date: '2026-04-12', deliveryCount: 6, streamedCount: 0 },
      ],
    },
  ];
  const all = daysOf(byFeed, null, APRIL, TENTH - 1);
  assert.equal(all.undated, 5);
  // The browser's clock says the tenth.
  assert.deepEqual(
    all.days.map(({ deliveries, streamed }) => [deliveries, streamed]),
    [[0, 0], [5, 2], ...Array(9).fill([0, 0]), [6, 0]],
  );
  assert.equal(all.days[11]!.atMs, Date.parse('2026-04-12T00:00:00.000Z'));
  const one = daysOf(byFeed, 'lap.count', APRIL, TENTH - 1);
  assert.deepEqual([one.days.length, one.days[1]!.deliveries, one.undated], [10, 4, 5]);
  assert.equal(daysOf([], null, APRIL, TENTH + 100 * 86_400_000).days.length, 30, 'the month is over');
  assert.equal(daysOf([], null, APRIL, Date.parse(APRIL) - 1).days.length, 1, 'it has not begun there');
});
