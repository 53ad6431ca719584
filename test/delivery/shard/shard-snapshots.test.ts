// A shard with endpoints that get the states of their feeds before their first update (A11).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SNAPSHOTS_ANSWER_MS, SNAPSHOTS_ASKED_MAX, SNAPSHOTS_RETRY_MS } from '#engine/base/limits.ts';
import { checkpointWithin, newCheckpoint } from '#engine/delivery/delivery-log/record-store.ts';
import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import { Allowance, allowanceCell } from '#engine/delivery/usage/allowance.ts';
import { FoldedStates } from '#engine/timeline/folded-states.ts';
import { openTimeline, type SharedTimeline } from '#engine/timeline/shared-timeline.ts';
import { placeOf, SNAPSHOTS_FROM, snapshotFeed, snapshotNumber } from '#engine/timeline/snapshot-number.ts';
import { makeSnapshots } from '#engine/timeline/snapshots.ts';
import { FEEDS, feedNumber } from '#schemas/webhook/feeds.ts';
import { WrittenTimeline } from '#test/support/live-timelines.ts';
import { assertSettled, BAD, checkpointOf, endpoint, firsts, GOOD } from '#test/support/shard-endpoints.ts';
import { type Arrival, answers } from '#test/support/simulated-network.ts';
import { MAKING_MS, SimulatedShard } from '#test/support/simulated-shard.ts';
import { sharedArtifact, smallTimeline } from '#test/support/timelines.ts';

const LIVE = { mode: 'live', speed: Number.POSITIVE_INFINITY } as const;
const WHOLE = ['timing.data', 'lap.count', 'events.race'].map((feedId) => ({ feedId, filters: {}, active: true }));
const DRIVERS = [
  { number: '1', tla: 'VER', team: 'Red Bull Racing' },
  { number: '44', tla: 'HAM', team: 'Ferrari' },
];

/** Three updates: of timing data about VER, who is third, of a lap and of a race event. */
const BEFORE = [
  { feed: 'timing.data', touched: [{ number: '1', position: 3 }], roster: DRIVERS },
  { feed: 'lap.count' },
  { feed: 'events.race', eventType: 'overtake' },
] as const;

function withSnapshots(name: string, origin: string, changes: Partial<EndpointSettings> = {}): EndpointSettings {
  return endpoint(name, origin, { snapshot: true, subscriptions: WHOLE, ...changes });
}

/** A shard that gets snapshots, with a live session of which `BEFORE` is published. An endpoint joins after that. */
function setUp(shard = new SimulatedShard(), live = new WrittenTimeline()) {
  shard.network.receiver(GOOD, () => answers(200));
  if (live.writer.builder.length === 0) live.publish([...BEFORE], shard.time.nowMs());
  shard.makeSnapshots = (position) => snapshotsOf(live.memory, position);
  const join = (settings: EndpointSettings, order = {}): void => {
    if (shard.store.checkpoint('run_1', settings.webhookId) === undefined)
      shard.store.put({ ...newCheckpoint('run_1', settings.webhookId), nextPosition: 3 });
    shard.start(live.memory, [settings], { ...LIVE, ...order }, true);
  };
  const publish = (count: number): void => {
    live.publish(count, shard.time.nowMs());
    shard.published();
  };
  return { shard, live, join, publish };
}

function snapshotsOf(timeline: SharedTimeline, position: number) {
  return makeSnapshots(new FoldedStates(), 'one', openTimeline(timeline), position);
}

/** What arrived, as `feed of place` or the sequence of an update, with the attempt unless it is the first. */
function arrived(shard: SimulatedShard, origin = GOOD): string[] {
  return shard.network.at(origin).map(({ headers, attempt }) => {
    const id = headers.get('x-service-delivery-id')!;
    return `${nameOf(numberIn(id))}${attempt === 1 ? '' : `/${attempt}`}`;
  });
}

function numberIn(id: string): number {
  const digits = '0123456789abcdefghjkmnpqrstvwxyz';
  return [...id.slice(-7)].reduce((sum, digit) => 32 * sum + digits.indexOf(digit), 0) - 1;
}

function nameOf(number: number): string {
  return number < SNAPSHOTS_FROM ? String(number + 1) : `${FEEDS[snapshotFeed(number)]!.feedId} of ${placeOf(number)}`;
}

function isSnapshotOf(feed: string, { sequence, headers }: Arrival): boolean {
  return sequence > SNAPSHOTS_FROM && headers.get('x-service-feed') === feed;
}

const BASE = ['lap.count of 3', 'timing.data of 3'];

test('the numbers of snapshots are above every position and tell feed and place', () => {
  for (const feed of [0, FEEDS.length - 1])
    for (const position of [0, 3_999_999]) {
      const number = snapshotNumber(feed, position);
      assert.ok(number >= SNAPSHOTS_FROM && number + 1 < 2 ** 31);
      assert.deepEqual([snapshotFeed(number), placeOf(number)], [feed, position]);
    }
  assert.equal(placeOf(3_999_999), 3_999_999);
});

test('A11, I5: the states precede the first update, which waits until they have arrived', async () => {
  const { shard, join, publish } = setUp();
  shard.network.receiver(GOOD, () => answers(200, 300));
  join(withSnapshots('a', GOOD));
  await shard.time.pass(1_000);
  assert.deepEqual(arrived(shard), [], 'nothing is sent before there is an update');
  publish(2);
  await shard.time.pass(MAKING_MS - 1);
  assert.deepEqual(arrived(shard), []);
  await shard.time.pass(2);
  assert.deepEqual(arrived(shard), BASE);
  await shard.time.pass(298);
  assert.deepEqual(arrived(shard), BASE);
  await shard.time.pass(10_000);
  assert.deepEqual(arrived(shard), [...BASE, '4', '5']);
  const { matched, delivered, nextPosition } = checkpointOf(shard, 'a');
  assert.deepEqual([matched, delivered, nextPosition], [4, 4, 5]);
  publish(1);
  await shard.time.pass(1_000);
  assert.deepEqual(arrived(shard).slice(4), ['6']);
  assert.equal(shard.heard.filter(({ kind }) => kind === 'snapshots.wanted').length, 1);
  const records = shard.store.attempts.map(({ feed, sequence }) => [feed, nameOf(sequence - 1)]);
  assert.deepEqual(records.slice(0, 2), [
    [feedNumber('lap.count'), BASE[0]],
    [feedNumber('timing.data'), BASE[1]],
  ]);
  assert.equal(shard.store.usage.size, 2, 'they count as updates of their feed');
});

test('an endpoint without the option, or with no feed that has a state so far, gets none and asks for none', async () => {
  const { shard, join, publish } = setUp();
  const other = [{ feedId: 'weather.data', filters: {}, active: true }];
  join(withSnapshots('a', GOOD, { snapshot: false }));
  shard.start(setUp(shard).live.memory, [withSnapshots('b', GOOD, { subscriptions: other })], {
    ...LIVE,
    runId: 'run_2',
  });
  publish(1);
  await shard.time.pass(1_000);
  assert.deepEqual(arrived(shard), ['4']);
  assert.deepEqual(
    shard.heard.filter(({ kind }) => kind === 'snapshots.wanted'),
    [],
  );
});

test('filters: a state of drivers goes out if one of them passes, where that one was seen last', async () => {
  for (const [filters, states] of [
    [{ drivers: ['VER'] }, BASE],
    [{ drivers: ['HAM'] }, BASE.slice(0, 1)],
    [{ positions: { max: 3 } }, BASE],
    [{ positions: { max: 2 } }, BASE.slice(0, 1)],
    [{ drivers: ['VER'], positions: { min: 4 } }, BASE.slice(0, 1)],
  ] as const) {
    const { shard, live, join } = setUp();
    join(withSnapshots('a', GOOD, { filters }));
    live.publish([{ feed: 'lap.count' }], shard.time.nowMs());
    shard.published();
    await shard.time.pass(1_000);
    assert.deepEqual(arrived(shard), [...states, '4'], JSON.stringify(filters));
  }
});

test('a snapshot is retried like an update; the updates wait, and go out when it has failed', async () => {
  const { shard, join, publish } = setUp();
  shard.network.receiver(BAD, (arrival) => answers(isSnapshotOf('timing.data', arrival) ? 500 : 200));
  join(withSnapshots('a', BAD));
  publish(1);
  await shard.time.pass(36_000);
  assert.deepEqual(arrived(shard, BAD), [...BASE, `${BASE[1]}/2`, `${BASE[1]}/3`]);
  await shard.time.pass(4_000);
  assert.deepEqual(arrived(shard, BAD).slice(4), [`${BASE[1]}/4`, '4']);
  const { matched, delivered, failed } = checkpointOf(shard, 'a');
  assert.deepEqual([matched, delivered, failed], [3, 2, 1]);
});

test('snapshots that cannot be made are skipped with a reason, and the updates begin', async () => {
  for (const [made, waitMs] of [
    [null, SNAPSHOTS_ANSWER_MS],
    [() => null, SNAPSHOTS_RETRY_MS + MAKING_MS],
  ] as const) {
    const { shard, join, publish } = setUp();
    shard.makeSnapshots = made;
    join(withSnapshots('a', GOOD));
    publish(2);
    await shard.time.pass(SNAPSHOTS_ASKED_MAX * waitMs - 100);
    assert.deepEqual(arrived(shard), []);
    await shard.time.pass(1_000);
    assert.deepEqual(arrived(shard), ['4', '5']);
    const asked = shard.heard.filter(({ kind }) => kind === 'snapshots.wanted');
    assert.equal(asked.length, SNAPSHOTS_ASKED_MAX);
    const { matched, delivered, skipped } = checkpointOf(shard, 'a');
    assert.deepEqual([matched, delivered, skipped], [4, 2, { snapshot_unavailable: 2 }]);
    const spans = shard.store.spans('run_1', 'wh_a').map(({ first, last }) => [nameOf(first), nameOf(last)]);
    assert.deepEqual(
      spans,
      BASE.map((name) => [name, name]),
    );
  }
});

test('an answer that is late, or comes twice, changes nothing', async () => {
  const { shard, live, join, publish } = setUp();
  shard.makeSnapshots = null;
  join(withSnapshots('a', GOOD));
  publish(1);
  await shard.time.pass(SNAPSHOTS_ANSWER_MS + 1_000);
  const answer = { kind: 'snapshots.made', runId: 'run_1', position: 3 } as const;
  for (const snapshots of [snapshotsOf(live.memory, 3), null, snapshotsOf(live.memory, 3)]) {
    shard.receive({ ...answer, snapshots });
    await shard.time.pass(500);
  }
  shard.receive({ ...answer, position: 2, snapshots: snapshotsOf(live.memory, 2) });
  await shard.time.pass(90_000);
  assert.deepEqual(arrived(shard), [...BASE, '4']);
});

test('I9: what was not recorded comes again as it was, what was recorded does not', async () => {
  const first = setUp();
  first.join(withSnapshots('a', GOOD));
  first.shard.store.fault = 'refuse';
  first.publish(1);
  await first.shard.time.pass(MAKING_MS + 20);
  assert.deepEqual(arrived(first.shard), [...BASE, '4']);
  first.shard.kill();
  const { time, network, store } = first.shard;
  store.fault = 'none';

  const second = setUp(new SimulatedShard(time, network, store, { name: 'shard-0', epoch: 2 }), first.live);
  network.receiver(GOOD, (arrival) => answers(isSnapshotOf('timing.data', arrival) ? 500 : 200));
  second.join(withSnapshots('a', GOOD));
  await time.pass(500);
  assert.deepEqual(arrived(second.shard).slice(3), BASE);
  const ids = network.at(GOOD).map(({ headers }) => headers.get('webhook-id'));
  assert.deepEqual(ids.slice(3), ids.slice(0, 2));
  assert.deepEqual(
    checkpointOf(second.shard, 'a').pending.map(({ position, attemptsMade }) => [nameOf(position), attemptsMade]),
    [[BASE[1], 1]],
  );
  second.shard.kill();

  network.receiver(GOOD, () => answers(200));
  const third = setUp(new SimulatedShard(time, network, store, { name: 'shard-0', epoch: 3 }), first.live);
  third.join(withSnapshots('a', GOOD));
  await time.pass(5_000);
  assert.deepEqual(arrived(third.shard).slice(5), [`${BASE[1]}/2`, '4']);
  third.shard.kill();
  const fourth = setUp(new SimulatedShard(time, network, store, { name: 'shard-0', epoch: 4 }), first.live);
  fourth.join(withSnapshots('a', GOOD));
  fourth.publish(1);
  await time.pass(5_000);
  assert.deepEqual(arrived(fourth.shard).slice(7), ['5']);
});

test('what a power cut took from the end of a recording takes the snapshots that precede it', () => {
  const number = snapshotNumber(4, 10);
  const checkpoint = {
    ...newCheckpoint('run_1', 'wh_a'),
    nextPosition: 10,
    matched: 1,
    pending: [{ position: number, attemptsMade: 1, dueAtMs: 0 }],
  };
  assert.equal(checkpointWithin(checkpoint, 11), checkpoint);
  const { matched, pending, nextPosition } = checkpointWithin(checkpoint, 10);
  assert.deepEqual([matched, pending, nextPosition], [0, [], 10]);
});

test('an endpoint that was paused until now gets the states of the moment at which it resumes', async () => {
  const { shard, join, publish } = setUp();
  join(withSnapshots('a', GOOD, { active: false }));
  publish(2);
  await shard.time.pass(1_000);
  shard.receive({ kind: 'endpoints.changed', settings: [withSnapshots('a', GOOD)] });
  publish(1);
  await shard.time.pass(1_000);
  assert.deepEqual(arrived(shard), ['lap.count of 5', 'timing.data of 5', '6']);
  assert.deepEqual(checkpointOf(shard, 'a').skipped, { paused: 2 });
});

test('A2: one that is paused, or has lost a feed, while its snapshots wait does not get them', async () => {
  const { shard, join, publish } = setUp();
  shard.network.receiver(BAD, () => answers(500));
  join(withSnapshots('a', BAD));
  publish(1);
  await shard.time.pass(500);
  const subscriptions = WHOLE.filter(({ feedId }) => feedId !== 'lap.count');
  shard.receive({ kind: 'endpoints.changed', settings: [withSnapshots('a', BAD, { subscriptions })] });
  shard.network.receiver(BAD, () => answers(200));
  await shard.time.pass(5_000);
  assert.deepEqual(arrived(shard, BAD).slice(2), [`${BASE[1]}/2`, '4']);
  assert.deepEqual(checkpointOf(shard, 'a').skipped, { filtered: 1 });
});

test('A10: an ordered replay sends one snapshot at a time', async () => {
  const { shard } = setUp();
  const updates = [...BEFORE, {}, {}].map((update, index) => ({ ...update, dueMs: 10 * index }));
  const artifact = await sharedArtifact(smallTimeline(updates));
  shard.makeSnapshots = (position) => snapshotsOf(artifact, position);
  shard.network.receiver(GOOD, (arrival) =>
    answers(isSnapshotOf('lap.count', arrival) && arrival.attempt === 1 ? 500 : 200, 100),
  );
  shard.store.put({ ...newCheckpoint('run_1', 'wh_a'), nextPosition: 3 });
  shard.start(artifact, [withSnapshots('a', GOOD)], { ordered: true }, true);
  await shard.time.pass(30_000);
  assert.ok(shard.settled());
  assertSettled(checkpointOf(shard, 'a'));
  assert.deepEqual(arrived(shard), [BASE[0], `${BASE[0]}/2`, BASE[1], '4', '5']);
  assert.equal(shard.network.inFlightMost, 1);
});

test('A9: a run that is let go of while snapshots are made asks for them again when it continues', async () => {
  const { shard } = setUp();
  const artifact = await sharedArtifact(
    smallTimeline([...BEFORE, {}].map((update, index) => ({ ...update, dueMs: 10 * index }))),
  );
  shard.makeSnapshots = null;
  shard.store.put({ ...newCheckpoint('run_1', 'wh_a'), nextPosition: 3 });
  shard.start(artifact, [withSnapshots('a', GOOD)], {}, true);
  await shard.time.pass(1_000);
  shard.receive({ kind: 'run.park', runId: 'run_1' });
  await shard.time.pass(1_000);
  shard.makeSnapshots = (position) => snapshotsOf(artifact, position);
  shard.start(artifact, [withSnapshots('a', GOOD)], {}, true);
  await shard.time.pass(5_000);
  assert.ok(shard.settled());
  assert.deepEqual(arrived(shard), [...BASE, '4']);
});

test('A6: snapshots take from the allowance of the month', async () => {
  const { shard, join, publish } = setUp();
  const allowance = allowanceCell();
  new Allowance(allowance).limit(2);
  new Allowance(allowance).begin(shard.time.wallMs(), 0);
  join(withSnapshots('a', GOOD), { allowance });
  publish(2);
  await shard.time.pass(1_000);
  assert.deepEqual(arrived(shard), BASE);
  assert.deepEqual(checkpointOf(shard, 'a').skipped, { monthly_limit: 2 });
});

test('a resend sends snapshots again first, as they were, and without the option', async () => {
  const { shard, live, join, publish } = setUp();
  shard.network.receiver(BAD, () => answers(500));
  join(withSnapshots('a', BAD));
  publish(2);
  await shard.time.pass(120_000);
  assert.equal(checkpointOf(shard, 'a').failed, 4);
  shard.network.receiver(BAD, () => answers(200));
  const before = shard.network.at(BAD).length;
  const numbers = ['lap.count', 'timing.data'].map((feedId) => snapshotNumber(feedNumber(feedId)!, 3));
  for (const [runId, positions] of [
    ['run_2', [3, 4, ...numbers]],
    ['run_3', numbers],
  ] as const) {
    const resend = { of: null, positions: Uint32Array.from(positions) };
    const settings = [withSnapshots('a', BAD, { snapshot: false })];
    shard.start(live.memory, settings, { ...LIVE, runId, resend });
    await shard.time.pass(1_000);
    assert.ok(shard.settled(runId), runId);
    assertSettled(shard.store.checkpoint(runId, 'wh_a')!);
  }
  assert.deepEqual(arrived(shard, BAD).slice(before), [...BASE, '4', '5', ...BASE]);
  const ids = shard.network.at(BAD).map(({ headers }) => headers.get('webhook-id'));
  assert.deepEqual(
    ids.slice(before, before + 2),
    firsts(shard.network.at(BAD))
      .slice(0, 2)
      .map(({ headers }) => headers.get('webhook-id')),
  );
});
