// A shard that counts which updates of a live session it began in time, and by whose doing it did not (Custom's 99.5 %).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIRST_ATTEMPT_MS_MAX, RECORD_BATCH_MS } from '#engine/base/limits.ts';
import { Allowance, allowanceCell } from '#engine/delivery/usage/allowance.ts';
import type { LiveMemory } from '#engine/timeline/live-memory.ts';
import { WrittenTimeline } from '#test/support/live-timelines.ts';
import { assertSettled, BAD, checkpointOf, endpoint, GOOD } from '#test/support/shard-endpoints.ts';
import { answers } from '#test/support/simulated-network.ts';
import { SimulatedShard } from '#test/support/simulated-shard.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';
import { sharedArtifact, steadyTimeline } from '#test/support/timelines.ts';

const LIVE = { mode: 'live', speed: Number.POSITIVE_INFINITY } as const;

/** A shard with a live session that a healthy endpoint gets, `a`, and a slow one, `b`. */
function setUp(time = new SimulatedTime()) {
  const shard = new SimulatedShard(time);
  shard.network.receiver(GOOD, () => answers(200));
  shard.network.receiver(BAD, () => answers(200, 900));
  const live = new WrittenTimeline();
  const publish = (count: number): void => {
    live.publish(count, time.nowMs());
    shard.published();
  };
  const seal = (to = shard): void => {
    live.seal();
    to.published();
  };
  return { time, shard, live, publish, seal };
}

/** The successor of a shard, on the same timeline or the one that another process has restored. */
function successor({ shard, live }: ReturnType<typeof setUp>, names: string, memory: LiveMemory = live.memory) {
  shard.kill();
  const next = new SimulatedShard(shard.time, shard.network, shard.store, { name: 'shard-0', epoch: 2 });
  const endpoints = [...names].map((name) => endpoint(name, name === 'a' ? GOOD : BAD));
  next.start(memory, endpoints, LIVE, true);
  return next;
}

/** What became of the updates of an endpoint, after PU1 was checked. */
function outcomes(shard: SimulatedShard, name: string): Record<string, number> {
  const due = shard.store.due('run_1', `wh_${name}`);
  const counted = due.reduce((sum, { updates }) => sum + updates, 0);
  assert.equal(counted, checkpointOf(shard, name).matched, 'PU1: each update that matched has one outcome');
  const sums: Record<string, number> = {};
  for (const { outcome, updates } of due) sums[outcome] = (sums[outcome] ?? 0) + updates;
  return sums;
}

test('PU2: updates that are begun as they are published are on time', async () => {
  const { shard, live, publish, seal, time } = setUp();
  shard.start(live.memory, [endpoint('a', GOOD)], LIVE);
  for (let second = 0; second < 10; second++) {
    publish(7);
    await time.pass(1_000);
  }
  seal();
  await time.pass(1_000);
  assert.ok(shard.settled());
  assert.deepEqual(outcomes(shard, 'a'), { on_time: 70 });
  assert.equal(shard.meter.due.value('on_time'), 70);
});

test('PU2: attempts that fail were begun all the same', async () => {
  const { shard, live, publish, seal, time } = setUp();
  shard.network.receiver(BAD, () => answers(500));
  shard.start(live.memory, [endpoint('b', BAD)], LIVE);
  publish(20);
  seal();
  await time.pass(120_000);
  assert.equal(checkpointOf(shard, 'b').failed, 20);
  assert.deepEqual(outcomes(shard, 'b'), { on_time: 20 });
});

test('PU2: what a slow receiver holds back is its own doing, however long; the others stay on time', async () => {
  const { shard, live, publish, seal, time } = setUp();
  shard.start(live.memory, [endpoint('a', GOOD), endpoint('b', BAD)], LIVE);
  for (let second = 0; second < 20; second++) {
    publish(100);
    await time.pass(1_000);
  }
  seal();
  await time.pass(7_200_000);
  assert.deepEqual(outcomes(shard, 'a'), { on_time: 2_000 });
  const { on_time, receiver_busy, ...rest } = outcomes(shard, 'b');
  assert.deepEqual(rest, {});
  assert.ok(receiver_busy! > 1_000, `${on_time} on time, ${receiver_busy} held back`);
});

test('PU2: updates that fall due while the shard is dead are late, and counted once', async () => {
  const world = setUp();
  const { shard, publish, seal, live, time } = world;
  shard.start(live.memory, [endpoint('a', GOOD)], LIVE);
  publish(10);
  await time.pass(2 * RECORD_BATCH_MS);
  publish(3);
  await time.pass(50);
  const next = successor(world, '', live.memory);
  next.kill();
  live.publish(20, time.nowMs());
  await time.pass(FIRST_ATTEMPT_MS_MAX + 500);
  live.publish(5, time.nowMs());
  const last = new SimulatedShard(time, shard.network, shard.store, { name: 'shard-0', epoch: 3 });
  last.start(live.memory, [endpoint('a', GOOD)], LIVE, true);
  await time.pass(1_000);
  seal(last);
  await time.pass(1_000);
  assertSettled(checkpointOf(last, 'a'));
  // The three were begun and lost with the shard: their repetition is what the receiver can rely on, and it was late.
  assert.deepEqual(outcomes(last, 'a'), { on_time: 15, late: 23 });
});

test('PU3: what an earlier process published and did not begin is late, however soon the next one begins it', async () => {
  const world = setUp();
  const { shard, publish, live, time } = world;
  shard.start(live.memory, [endpoint('a', GOOD)], LIVE);
  publish(10);
  await time.pass(2 * RECORD_BATCH_MS);
  shard.kill();
  live.publish(4, time.nowMs());
  const restored = new WrittenTimeline().publish(14, time.nowMs());
  const next = successor(world, 'a', { ...restored.memory, restored: 14 });
  await time.pass(100);
  restored.publish(6, time.nowMs());
  restored.seal();
  next.published();
  await time.pass(1_000);
  assert.deepEqual(outcomes(next, 'a'), { on_time: 16, late: 4 });
});

test('PU3: what is left of a session that is over is late', async () => {
  const { shard, time } = setUp();
  shard.start(await sharedArtifact(steadyTimeline(12, 10)), [endpoint('a', GOOD)], LIVE);
  await time.pass(1_000);
  assert.ok(shard.settled());
  assert.deepEqual(outcomes(shard, 'a'), { late: 12 });
});

test('PU3: what a receiver held back before a restart is still its own doing', async () => {
  for (const processes of [1, 2]) {
    const world = setUp();
    const { shard, live, publish, time } = world;
    shard.start(live.memory, [endpoint('b', BAD)], LIVE);
    publish(2_000);
    await time.pass(5_000);
    const before = checkpointOf(shard, 'b').matched;
    assert.ok(before < 1_500, `${before} begun before the restart`);
    const restored = processes === 1 ? live : new WrittenTimeline().publish(2_000, time.nowMs());
    const memory = processes === 1 ? live.memory : { ...restored.memory, restored: 2_000 };
    const next = successor(world, 'b', memory);
    restored.seal();
    next.published();
    await time.pass(600_000);
    assert.ok(next.settled());
    const { on_time, receiver_busy, ...rest } = outcomes(next, 'b');
    assert.deepEqual(rest, {}, `${processes} processes`);
    assert.ok(receiver_busy! >= 2_000 - before, `${on_time} on time, ${receiver_busy} held back`);
  }
});

test('S11: when the thread stands still, what waits is late, also behind a receiver that was at its limit then', async () => {
  const { shard, live, publish, seal, time } = setUp();
  // Two may be under way at first, and their answers come while the thread stands still.
  shard.start(live.memory, [endpoint('a', GOOD)], LIVE);
  await time.pass(1_000);
  publish(30);
  await time.pass(0);
  const begun = shard.network.at(GOOD).length;
  time.spend(4_000);
  publish(10);
  await time.pass(5_000);
  seal();
  await time.pass(1_000);
  assert.deepEqual(outcomes(shard, 'a'), { on_time: begun + 10, late: 30 - begun });
});

test('what the customer lets go of is counted apart: pauses, filters, deletion, the limit, local URLs', async () => {
  const { shard, live, publish, seal, time } = setUp();
  const allowance = allowanceCell();
  new Allowance(allowance).limit(8);
  shard.network.receiver('http://localhost:9', () => answers(200));
  shard.start(live.memory, [endpoint('a', GOOD), endpoint('b', BAD), endpoint('c', 'http://localhost:9')], {
    ...LIVE,
    allowance,
  });
  publish(2);
  await time.pass(5_000);
  shard.receive({ kind: 'endpoints.changed', settings: [endpoint('a', GOOD, { active: false })] });
  publish(3);
  await time.pass(5_000);
  shard.receive({ kind: 'endpoints.changed', settings: [endpoint('a', GOOD)] });
  publish(10);
  await time.pass(20_000);
  seal();
  await time.pass(60_000);
  const [a, b, c] = ['a', 'b', 'c'].map((name) => outcomes(shard, name));
  assert.deepEqual(c, { replay_only: 15 });
  assert.equal(a!.paused, 3);
  assert.equal(a!.on_time! + b!.on_time!, 8);
  assert.equal(a!.monthly_limit! + (b!.monthly_limit ?? 0), 19);
});

test('J3: an update that expires was held back by its receiver, or it is late', async () => {
  const { shard, live, publish, seal, time } = setUp();
  shard.network.receiver(BAD, () => ({ kind: 'hang' }));
  shard.start(live.memory, [endpoint('b', BAD)], LIVE);
  publish(50);
  seal();
  await time.pass(5_000);
  shard.receive({ kind: 'run.stop', runId: 'run_1', reason: 'expired' });
  await time.pass(60_000);
  assert.deepEqual(outcomes(shard, 'b'), { on_time: 2, receiver_busy: 48 });
  const late = setUp();
  late.live.publish(9, 0).seal();
  late.shard.start(late.live.memory, [endpoint('a', GOOD)], LIVE, true);
  late.shard.receive({ kind: 'run.stop', runId: 'run_1', reason: 'expired' });
  await late.time.pass(60_000);
  assert.deepEqual(outcomes(late.shard, 'a'), { late: 9 });
});

test('PU1, I9: an actor that fails and is restarted counts nothing twice', async () => {
  const { shard, live, publish, seal, time } = setUp();
  let thrown = 0;
  shard.network.receiver(GOOD, ({ sequence }) =>
    sequence % 7 === 0 && thrown++ < 3 ? { kind: 'throw' } : answers(200),
  );
  shard.start(live.memory, [endpoint('a', GOOD)], LIVE);
  for (let round = 0; round < 10; round++) {
    publish(5);
    await time.pass(RECORD_BATCH_MS / 3);
  }
  seal();
  await time.pass(60_000);
  assert.ok(thrown >= 3 && shard.settled());
  assert.deepEqual(outcomes(shard, 'a'), { on_time: 50 });
});

test('PU4: an update counts in the month in which it was begun', async () => {
  const december = Date.UTC(2026, 11, 1);
  const { shard, live, publish, seal, time } = setUp(new SimulatedTime(december - 100));
  shard.start(live.memory, [endpoint('a', GOOD)], LIVE);
  publish(4);
  await time.pass(100);
  publish(6);
  seal();
  await time.pass(1_000);
  assert.deepEqual(shard.store.due('run_1', 'wh_a'), [
    { month: '2026-11-01', outcome: 'on_time', updates: 4 },
    { month: '2026-12-01', outcome: 'on_time', updates: 6 },
  ]);
});

test('replays and resends promise nothing', async () => {
  const { shard, time } = setUp();
  shard.start(await sharedArtifact(steadyTimeline(5, 10)), [endpoint('a', GOOD)]);
  const resend = { of: null, positions: Uint32Array.of(1, 3) };
  shard.start(await sharedArtifact(steadyTimeline(5, 10)), [endpoint('a', GOOD)], { ...LIVE, runId: 'run_2', resend });
  await time.pass(2_000);
  assert.ok(shard.settled() && shard.settled('run_2'));
  for (const runId of ['run_1', 'run_2']) assert.deepEqual(shard.store.due(runId, 'wh_a'), []);
});
