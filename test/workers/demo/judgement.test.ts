import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import { CompiledFilter } from '#engine/delivery/filter/compiled-filter.ts';
import { demoSessionFrames } from '#engine/intake/source/demo-session/demo-session.ts';
import { deriveTimeline } from '#engine/racing/derive/derive.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import { UsageError } from '#workers/admin/command.ts';
import { readDemoOptions } from '#workers/demo/demo-options.ts';
import { LagRecord } from '#workers/demo/lag-record.ts';
import { SequenceSet } from '#workers/demo/sequence-set.ts';
import { judge, type ReceiverFigures } from '#workers/demo/verdict.ts';
import { wants, wishesFor } from '#workers/demo/wishes.ts';

const SERVICE = {
  webhookId: 'wh_1',
  matched: 100,
  delivered: 100,
  failed: 0,
  skipped: {},
  pending: 0,
  breaker: 'closed',
  lagMs: 1,
} as const;

const GOOD: ReceiverFigures = {
  number: 1,
  goesDown: false,
  expected: 100,
  received: 100,
  missing: 0,
  unwanted: 0,
  duplicates: 0,
  badSignatures: 0,
  misaddressed: 0,
  problems: [],
  service: SERVICE,
  breakerOpened: false,
  breakerClosedAgain: true,
};

const DOWN: ReceiverFigures = {
  ...GOOD,
  number: 2,
  goesDown: true,
  received: 70,
  missing: 30,
  service: { ...SERVICE, delivered: 70, skipped: { breaker_open: 30 } },
  breakerOpened: true,
};

test('a run passes if every update arrived once and the receiver that was down came back', () => {
  assert.deepEqual(judge([GOOD, DOWN], true, true), { lost: [0, 0], problems: [] });
});

test('every lost, doubled, forged, unwanted or uncounted update is a problem', () => {
  const wrong: [Partial<ReceiverFigures>, RegExp][] = [
    [{ received: 99, missing: 1, service: { ...SERVICE, delivered: 99, failed: 1 } }, /1 updates were lost/],
    [{ received: 99, missing: 1 }, /1 updates were lost/],
    [{ duplicates: 1 }, /arrived twice/],
    [{ badSignatures: 1 }, /wrong signature/],
    [{ misaddressed: 1 }, /headers/],
    [{ unwanted: 2 }, /without a subscription/],
    [{ service: { ...SERVICE, skipped: { breaker_open: 1 }, matched: 101 } }, /skipped 1/],
    [{ service: { ...SERVICE, pending: 1, matched: 101 } }, /do not add up/],
    [
      { service: { ...SERVICE, matched: 99, delivered: 99 } },
      /the service counts 99 deliveries, but 100 updates arrived/,
    ],
    [{ expected: 101 }, /instead of 101/],
    [{ problems: ['something odd'] }, /something odd/],
  ];
  for (const [change, pattern] of wrong) {
    assert.match(judge([{ ...GOOD, ...change }], true, true).problems.join('\n'), pattern);
  }
});

test('a receiver that was down may miss only the updates that the service reports as skipped', () => {
  const { lost, problems } = judge([{ ...DOWN, received: 69, missing: 31 }], true, true);
  assert.deepEqual(lost, [1]);
  assert.match(problems.join('\n'), /1 updates were lost/);
  assert.match(judge([{ ...DOWN, breakerOpened: false }], true, true).problems.join('\n'), /did not pause/);
  assert.match(judge([{ ...DOWN, breakerClosedAgain: false }], true, true).problems.join('\n'), /did not notice/);
  assert.match(
    judge([DOWN], true, false).problems.join('\n'),
    /30 updates were lost/,
    'without an outage nothing excuses',
  );
});

test('a stopped run excuses the updates that were skipped because of the stop, and no others', () => {
  const stopped = {
    ...GOOD,
    received: 98,
    missing: 2,
    service: { ...SERVICE, delivered: 98, skipped: { stopped: 2 } },
  };
  assert.deepEqual(judge([stopped], false, false), { lost: [0], problems: [] });
  assert.deepEqual(judge([{ ...stopped, missing: 3 }], false, false).lost, [1]);
});

test('the updates that a receiver should get, derived from payloads, are those that the service matches', () => {
  const timeline = deriveTimeline({ sessionId: 'demo-race', seriesId: 'f1' }, demoSessionFrames());
  const feeds = FEEDS.map(({ feedId }) => feedId);
  for (const wish of wishesFor(9)) {
    const settings: EndpointSettings = {
      webhookId: 'wh_1',
      webhookNo: 1,
      accountId: 'acc_1',
      url: 'http://127.0.0.1/',
      method: wish.method,
      active: true,
      secret: 'whsec_',
      previousSecret: null,
      headerLines: '',
      filters: wish.filters,
      subscriptions: feeds
        .filter((feedId) => wish.feedIds.includes('*') || wish.feedIds.includes(feedId))
        .map((feedId) => ({ feedId, filters: {}, active: true })),
    };
    const filter = new CompiledFilter(settings, { allFeeds: false }, timeline);
    let matched = 0;
    for (let position = 0; position < timeline.length; position++) {
      const payload = JSON.parse(Buffer.from(timeline.body(position)).toString());
      assert.equal(wants(wish, payload), filter.matches(position), `${wish.label}: ${JSON.stringify(payload)}`);
      if (filter.matches(position)) matched++;
    }
    assert.ok(matched > 0, wish.label);
  }
});

test('the first receiver subscribes to everything, and with two or more the last one goes down', () => {
  assert.deepEqual(wishesFor(1)[0]!.feedIds, ['*']);
  for (const count of [2, 5, 8, 20]) {
    const wishes = wishesFor(count);
    assert.equal(wishes.length, count);
    assert.deepEqual(wishes[0]!.feedIds, ['*']);
    assert.equal(wishes.filter(({ label }) => /goes down/.test(label)).length, 1);
    assert.match(wishes.at(-1)!.label, /goes down/);
  }
});

test('a sequence set holds its numbers at any size', () => {
  const even = new SequenceSet();
  const all = new SequenceSet();
  for (let sequence = 1; sequence <= 100_000; sequence++) {
    assert.equal(all.add(sequence), true);
    if (sequence % 2 === 0) even.add(sequence);
  }
  assert.equal(all.add(77), false);
  assert.deepEqual([all.size, even.size, all.without(even), even.without(all)], [100_000, 50_000, 50_000, 0]);
  assert.deepEqual([even.has(32), even.has(33), even.has(1_000_000), even.upTo(31).size], [true, false, false, 15]);
});

test('lag quantiles are exact to the millisecond', () => {
  const lag = new LagRecord();
  assert.deepEqual([lag.quantileMs(0.99), lag.maxMs], [0, 0]);
  for (let ms = 1; ms <= 1000; ms++) lag.add(ms);
  lag.add(-5);
  assert.deepEqual([lag.quantileMs(0.5), lag.quantileMs(0.99), lag.quantileMs(1), lag.maxMs], [500, 990, 1000, 1000]);
});

test('options have bounds and defaults, and an invalid one is named', () => {
  const defaults = { recording: null, speed: 10, endpoints: 5, https: false, seconds: null, keep: false };
  assert.deepEqual(readDemoOptions([]), defaults);
  assert.equal(readDemoOptions(['--help']), null);
  assert.deepEqual(readDemoOptions(['--speed', '2.5', '--endpoints', '3', '--https', '--seconds', '1.5', '--keep']), {
    ...defaults,
    speed: 2.5,
    endpoints: 3,
    https: true,
    seconds: 1.5,
    keep: true,
  });
  for (const args of [
    ['--speed', '11'],
    ['--speed', 'x'],
    ['--endpoints', '0'],
    ['--endpoints', '1.5'],
    ['--seconds', '-1'],
    ['--http'],
    ['--https=yes'],
    ['--odd'],
    ['a'],
    ['--speed', '1', '--speed', '2'],
  ]) {
    assert.throws(() => readDemoOptions(args), UsageError, args.join(' '));
  }
});
