// One stream: what it sends, when it waits and when it ends. The clock is simulated.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  STREAM_BEHIND_MS,
  STREAM_GIVES_WAY_MS,
  STREAM_LOOK_MS,
  STREAM_PING_MS,
  STREAM_TURN_BYTES,
  STREAM_TURN_UPDATES_MAX,
  STREAM_WAITS_EACH_MS,
  STREAM_WAITS_MS_MAX,
} from '#engine/base/limits.ts';
import { Allowance, allowanceCell } from '#engine/delivery/usage/allowance.ts';
import { feedsOf, StreamClient, StreamStage, written } from '#test/support/stream-stage.ts';
import { sharedArtifact, steadyTimeline } from '#test/support/timelines.ts';

const HELD = { kind: 'held' } as const;
const AT_ONCE = { kind: 'at_once' } as const;
const upTo = (last: number, first = 1): number[] => Array.from({ length: last - first + 1 }, (_, i) => first + i);

test('ST1: what matches comes once and in order, from the place on, as soon as it is published', () => {
  const stage = new StreamStage();
  const race = written();
  race.publish(5);
  const client = new StreamClient();
  stage.join(client).open(stage.order(race.memory, { from: 3 }));
  stage.settle();
  assert.deepEqual(client.sequences(), [4, 5]);
  race.publish([{ feed: 'weather.data' }, { feed: 'timing.data' }]);
  stage.changed();
  assert.deepEqual(client.sequences(), [4, 5, 7], 'without a detour over the event loop');
  assert.deepEqual(client.places, [{ sessionId: 'small-race', sequence: 7 }]);
});

test('ST1: a stream tells where it stands before its first update', () => {
  const stage = new StreamStage();
  const race = written().publish(5);
  const client = new StreamClient();
  stage.join(client).open(stage.order(race.memory, { from: 5 }));
  stage.settle();
  assert.deepEqual(client.got, []);
  assert.deepEqual(client.places, [{ sessionId: 'small-race', sequence: 5 }]);
});

test('ST1: the place of an update of several sessions names all of them, also those that are awaited', () => {
  const stage = new StreamStage();
  const [race, sprint] = [written('a-race').publish(2), written('a-sprint').publish(1)];
  const client = new StreamClient();
  const awaited = [
    { sessionId: 'a-practice', sequence: 40 },
    { sessionId: 'a-race', sequence: 1 },
  ];
  const stream = stage.join(client, { endless: true, awaited });
  stream.open(stage.order(race.memory, { from: 1 }));
  stream.open(stage.order(sprint.memory));
  stage.settle();
  assert.deepEqual(client.got, [
    { sessionId: 'a-race', sequence: 2 },
    { sessionId: 'a-sprint', sequence: 1 },
  ]);
  assert.deepEqual(client.places, [
    { sessionId: 'a-race', sequence: 2 },
    { sessionId: 'a-sprint', sequence: 1 },
    { sessionId: 'a-practice', sequence: 40 },
  ]);
});

test('ST1: a session that is opened twice is sent once', () => {
  const stage = new StreamStage();
  const race = written().publish(3);
  const client = new StreamClient();
  const stream = stage.join(client);
  stream.open(stage.order(race.memory));
  stage.settle();
  stream.open(stage.order(race.memory));
  stage.settle();
  assert.deepEqual(client.sequences(), [1, 2, 3]);
});

test('a stream never names more sessions than a client may name when it comes back', () => {
  const stage = new StreamStage();
  const client = new StreamClient();
  const awaited = Array.from({ length: 15 }, (_, i) => ({ sessionId: `awaited-${i}`, sequence: 1 }));
  const stream = stage.join(client, { endless: true, awaited });
  for (const name of ['one', 'two', 'three']) stream.open(stage.order(written(name, 1_024).memory));
  assert.equal(client.places.length, 16);
  stream.open(stage.order(written('awaited-3', 1_024).memory));
  assert.equal(client.places.length, 16, 'one that was awaited takes its own place');
  stage.hub.leave(stream);
});

test('a stream is completed when its session is over and everything was sent', () => {
  const stage = new StreamStage();
  const race = written().publish(2);
  const client = new StreamClient();
  stage.join(client).open(stage.order(race.memory));
  stage.settle();
  assert.equal(client.end, null);
  race.seal();
  stage.changed();
  assert.equal(client.end, 'completed');
  assert.equal(stage.hub.size, 0);
});

test('an endless stream lets go of a session that is over, and stays', () => {
  const stage = new StreamStage();
  const race = written('a-race').publish(2);
  const client = new StreamClient();
  const stream = stage.join(client, { endless: true });
  stream.open(stage.order(race.memory));
  stage.settle();
  race.seal();
  stage.changed();
  assert.equal(client.end, null);
  assert.deepEqual(client.places, [], 'what is over is nothing to come back to');
  stream.open(stage.order(written('a-sprint').publish(1).memory));
  stage.settle();
  assert.deepEqual(client.sequences('a-sprint'), [1]);
  stage.hub.leave(stream);
});

test('ST2: each update takes from the allowance, and the stream ends when there is none left', () => {
  const stage = new StreamStage();
  new Allowance(stage.allowance).limit(4);
  const race = written().publish([{}, { feed: 'weather.data' }, {}, {}]);
  const client = new StreamClient();
  stage.join(client).open(stage.order(race.memory));
  stage.settle();
  race.publish(3);
  stage.changed();
  assert.deepEqual(client.sequences(), [1, 3, 4, 5]);
  assert.equal(client.end, 'monthly_limit');
  assert.equal(new Allowance(stage.allowance).used(stage.time.wallMs()), 4);
  assert.deepEqual(client.counted, { demo: 0, month: 4 });
});

test('ST2: of several updates at once it sends as many as the allowance has left', () => {
  const stage = new StreamStage();
  new Allowance(stage.allowance).limit(3);
  const race = written().publish(5);
  const client = new StreamClient();
  stage.join(client).open(stage.order(race.memory));
  stage.settle();
  assert.deepEqual(client.sequences(), [1, 2, 3]);
  assert.deepEqual([client.end, client.counted.month], ['monthly_limit', 3]);
});

test('ST2: the demo session takes from its own allowance', async () => {
  const stage = new StreamStage();
  const demo = allowanceCell();
  new Allowance(demo).limit(2);
  const shared = await sharedArtifact(steadyTimeline(5, 10));
  const client = new StreamClient();
  const order = { ...stage.order(written().memory), shared, key: 'demo', isDemo: true, allowance: demo };
  stage.join(client).open({ ...order, pace: AT_ONCE });
  stage.settle();
  assert.deepEqual(client.counted, { demo: 2, month: 0 });
  assert.equal(client.end, 'monthly_limit');
});

test("ST2: an update counts in the month in which it is sent, and the next month's allowance is a new one", async () => {
  const stage = new StreamStage();
  const allowance = new Allowance(stage.allowance);
  allowance.limit(2);
  const race = written().publish(2);
  const client = new StreamClient();
  stage.join(client).open(stage.order(race.memory));
  stage.settle();
  const juneMs = stage.time.wallMs();
  stage.time.stepWall(30 * 86_400_000);
  race.publish(1);
  stage.changed();
  assert.deepEqual(client.sequences(), [1, 2, 3]);
  assert.deepEqual([allowance.used(juneMs), allowance.used(stage.time.wallMs())], [2, 1]);
});

test('ST3: while a client does not read, nothing is sent; then it gets what it has missed', () => {
  const stage = new StreamStage();
  const race = written().publish(1);
  const client = new StreamClient();
  const stream = stage.join(client);
  stream.open(stage.order(race.memory));
  client.reads = false;
  stage.settle();
  race.publish(50);
  stage.changed();
  stage.settle();
  assert.deepEqual(client.sequences(), [1]);
  client.reads = true;
  stream.drained();
  stage.settle();
  assert.deepEqual(client.sequences(), upTo(51));
  assert.equal(new Allowance(stage.allowance).used(stage.time.wallMs()), 51);
  stage.hub.leave(stream);
});

test('ST3: a client that does not read is sent no sign of life', async () => {
  const stage = new StreamStage();
  const race = written().publish(1);
  const client = new StreamClient();
  const stream = stage.join(client);
  stream.open(stage.order(race.memory));
  client.reads = false;
  stage.settle();
  await stage.pass(4 * STREAM_PING_MS);
  assert.equal(client.pings, 0);
  stage.hub.leave(stream);
});

test('ST4: a client that reads nothing for an hour is told so', async () => {
  const stage = new StreamStage();
  const race = written().publish(1);
  const client = new StreamClient();
  client.reads = false;
  stage.join(client).open(stage.order(race.memory));
  stage.settle();
  await stage.pass(STREAM_BEHIND_MS - 1_000);
  assert.equal(client.end, null);
  await stage.pass(10_000);
  assert.equal(client.end, 'stream_behind');
  assert.equal(stage.hub.size, 0);
});

test('ST4: a client that comes back after hours has an hour to catch up', async () => {
  const stage = new StreamStage();
  const race = written().publish(1, 0);
  await stage.pass(3 * STREAM_BEHIND_MS);
  const client = new StreamClient();
  client.reads = false;
  stage.join(client).open(stage.order(race.memory));
  stage.settle();
  await stage.pass(STREAM_BEHIND_MS - 10_000);
  assert.equal(client.end, null);
  await stage.pass(20_000);
  assert.equal(client.end, 'stream_behind');
});

test('ST4: a session without news for hours leaves nobody behind', async () => {
  const stage = new StreamStage();
  const race = written().publish(1, 0);
  const client = new StreamClient();
  const stream = stage.join(client);
  stream.open(stage.order(race.memory));
  await stage.pass(3 * STREAM_BEHIND_MS);
  assert.equal(client.end, null);
  assert.ok(client.pings > 600);
  stage.hub.leave(stream);
});

test('ST5: one turn sends a bounded number of bytes, and looks at a bounded number of updates', async () => {
  const stage = new StreamStage();
  const shared = await sharedArtifact(steadyTimeline(20_000, 1));
  const order = { ...stage.order(written().memory), shared, key: 'recorded', pace: AT_ONCE };
  const busy = new StreamClient();
  stage.join(busy).open(order);
  const bodyBytes = 100;
  let most = 0;
  for (let before = 0; busy.end === null; before = busy.got.length) {
    stage.round();
    most = Math.max(most, busy.got.length - before);
  }
  assert.ok(most > 100 && most * bodyBytes < 2 * STREAM_TURN_BYTES, `${most} in one turn`);
  assert.deepEqual(busy.sequences(), upTo(20_000));
  const picky = new StreamClient();
  stage.join(picky, { feeds: feedsOf(['weather.data']) }).open(order);
  let turns = 0;
  for (; picky.end === null; turns++) stage.round();
  assert.deepEqual([turns, picky.end], [Math.ceil(20_000 / STREAM_TURN_UPDATES_MAX), 'completed']);
});

test('ST5: a session that catches up does not keep the others of its stream waiting', () => {
  const stage = new StreamStage();
  const [long, live] = [written('long-race', 1_024 * 1_024).publish(5_000), written('live-race')];
  const client = new StreamClient();
  const stream = stage.join(client, { endless: true });
  stream.open(stage.order(long.memory));
  stream.open(stage.order(live.memory));
  stage.round();
  live.publish(1);
  stage.round();
  assert.deepEqual(client.sequences('live-race'), [1]);
  assert.ok(client.sequences('long-race').length < 5_000);
  stage.settle();
  assert.deepEqual(client.sequences('long-race'), upTo(5_000));
  stage.hub.leave(stream);
});

test('ST6: a paced stream keeps the pace of the session, times its speed, and gives way to deliveries of the same moment', async () => {
  const stage = new StreamStage();
  const shared = await sharedArtifact(steadyTimeline(11, 1_000));
  const client = new StreamClient();
  const pace = { kind: 'paced', fromMs: stage.time.nowMs(), speed: 2 } as const;
  stage.join(client).open({ ...stage.order(written().memory), shared, key: 'recorded', pace });
  await stage.pass(STREAM_GIVES_WAY_MS / 2);
  assert.deepEqual(client.sequences(), []);
  await stage.pass(STREAM_GIVES_WAY_MS / 2);
  assert.deepEqual(client.sequences(), [1]);
  await stage.pass(499);
  assert.deepEqual(client.sequences(), [1]);
  await stage.pass(1);
  assert.deepEqual(client.sequences(), [1, 2]);
  await stage.pass(2_000);
  assert.deepEqual(client.sequences(), upTo(6));
  await stage.pass(2_500);
  assert.deepEqual(client.sequences(), upTo(11));
  assert.equal(client.end, 'completed');
});

test('ST6: while nothing is delivered, a paced stream sends an update when it is due', async () => {
  const stage = new StreamStage();
  stage.delivers = false;
  const shared = await sharedArtifact(steadyTimeline(4, 1_000));
  const client = new StreamClient();
  const pace = { kind: 'paced', fromMs: stage.time.nowMs(), speed: 1 } as const;
  stage.join(client).open({ ...stage.order(written().memory), shared, key: 'recorded', pace });
  stage.settle();
  assert.deepEqual(client.sequences(), [1]);
  await stage.pass(1_000);
  assert.deepEqual(client.sequences(), [1, 2]);
  stage.delivers = true;
  await stage.pass(1_000);
  assert.deepEqual(client.sequences(), [1, 2], 'it gives way again');
  await stage.pass(STREAM_GIVES_WAY_MS);
  assert.deepEqual(client.sequences(), [1, 2, 3]);
  stage.delivers = false;
  await stage.pass(1_000);
  assert.deepEqual(client.sequences(), upTo(4), 'no later than it would if it gave way');
});

test('ST6, SH5: while attempts are under way, it waits longer for several updates at once, and no longer than they are', async () => {
  const sentAfterMs = async (updates: number, underWayMs: number): Promise<number> => {
    const stage = new StreamStage();
    const client = new StreamClient();
    const pace = { kind: 'paced', fromMs: stage.time.nowMs() + 100, speed: 10 } as const;
    const shared = await sharedArtifact(steadyTimeline(updates, 0));
    stage.underWay = () => (stage.time.nowMs() < pace.fromMs + underWayMs ? 1 : 0);
    stage.join(client).open({ ...stage.order(written().memory), shared, key: 'recorded', pace });
    await stage.pass(100);
    while (client.got.length === 0) await stage.pass(0.125);
    assert.deepEqual(client.sequences(), upTo(updates), 'all at once');
    return stage.time.nowMs() - pace.fromMs;
  };
  const longMs = 1_000;
  assert.equal(await sentAfterMs(1, longMs), STREAM_GIVES_WAY_MS);
  assert.equal(await sentAfterMs(2, longMs), STREAM_GIVES_WAY_MS + STREAM_WAITS_EACH_MS);
  assert.equal(await sentAfterMs(9, longMs), STREAM_GIVES_WAY_MS + STREAM_WAITS_MS_MAX);
  assert.equal(await sentAfterMs(9, STREAM_GIVES_WAY_MS / 2), STREAM_GIVES_WAY_MS);
  const lookMs = STREAM_GIVES_WAY_MS + STREAM_LOOK_MS;
  assert.equal(await sentAfterMs(9, lookMs - 0.01), lookMs);
});

test('what was due before a run was held is sent, also to a client that reads later; then it continues or moves', async () => {
  const stage = new StreamStage();
  const shared = await sharedArtifact(steadyTimeline(100, 1_000));
  const client = new StreamClient();
  const paced = () => ({ kind: 'paced', fromMs: stage.time.nowMs() - 10_000, speed: 1 }) as const;
  const stream = stage.join(client);
  client.reads = false;
  stream.open({ ...stage.order(written().memory), shared, key: 'recorded', pace: paced() });
  stage.settle();
  assert.deepEqual(client.sequences(), []);
  stream.pace('small-race', HELD);
  await stage.pass(60_000);
  client.reads = true;
  stream.drained();
  stage.settle();
  assert.deepEqual(client.sequences(), upTo(11), 'what was due when it was held');
  stream.pace('small-race', HELD, 5);
  await stage.pass(1_000);
  stream.pace('small-race', HELD, 50);
  await stage.pass(60_000);
  assert.deepEqual(client.sequences(), upTo(11), 'a move of a run that is paused sends nothing');
  stream.pace('small-race', { kind: 'paced', fromMs: stage.time.nowMs() - 50_000, speed: 1 });
  await stage.pass(STREAM_GIVES_WAY_MS);
  assert.deepEqual(client.sequences(), [...upTo(11), 51]);
  await stage.pass(2_000);
  stream.stop('small-race');
  stage.settle();
  assert.deepEqual(client.sequences(), [...upTo(11), 51, 52, 53]);
  assert.equal(client.end, 'completed');
});

test('a stream that has ended takes nothing more in', () => {
  const stage = new StreamStage();
  const race = written().publish(3);
  const client = new StreamClient();
  const stream = stage.join(client);
  stream.open(stage.order(race.memory));
  stage.hub.leave(stream);
  stream.open(stage.order(race.memory));
  stream.pace('small-race', HELD);
  stream.stop('small-race');
  stream.drained();
  stage.settle();
  race.publish(1);
  stage.changed();
  assert.deepEqual([client.got, client.end], [[], null]);
});
