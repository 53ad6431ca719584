// All streams of a thread: turns, shared views, signs of life.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  STREAM_GIVES_WAY_MS,
  STREAM_PING_MS,
  STREAM_PROMPT_ROUNDS_MAX,
  STREAM_TURNS_MAX,
  STREAM_TURNS_MS,
} from '#engine/base/limits.ts';
import { StreamClient, StreamStage, written } from '#test/support/stream-stage.ts';
import { sharedArtifact, steadyTimeline } from '#test/support/timelines.ts';

test('SH1: one update goes to all streams, a bounded number before other work of the thread', () => {
  const stage = new StreamStage();
  const race = written();
  const clients = Array.from({ length: 2.5 * STREAM_TURNS_MAX }, () => new StreamClient());
  for (const client of clients) stage.join(client).open(stage.order(race.memory));
  stage.settle();
  race.publish(1);
  stage.changed();
  const got = (): number => clients.filter((client) => client.got.length === 1).length;
  assert.equal(got(), STREAM_TURNS_MAX);
  stage.round();
  assert.equal(got(), 2 * STREAM_TURNS_MAX);
  stage.settle();
  assert.equal(got(), clients.length);
  assert.equal(stage.encoded, 1, 'it is encoded once');
});

test('SH1: turns that take long make way for other work sooner', () => {
  const stage = new StreamStage();
  const race = written();
  class Costly extends StreamClient {
    override send(updates: Uint8Array): boolean {
      stage.time.spend(STREAM_TURNS_MS / 4);
      return super.send(updates);
    }
  }
  const clients = Array.from({ length: 10 }, () => new Costly());
  for (const client of clients) stage.join(client).open(stage.order(race.memory));
  stage.settle();
  race.publish(1);
  stage.changed();
  assert.equal(clients.filter((client) => client.got.length === 1).length, 4);
  stage.settle();
  assert.equal(clients.filter((client) => client.got.length === 1).length, 10);
});

test('SH1: a stream that catches up has one turn in a round, like the others', () => {
  const stage = new StreamStage();
  const race = written('long-race', 1024 * 1024).publish(5_000);
  const [behind, current] = [new StreamClient(), new StreamClient()];
  stage.join(behind).open(stage.order(race.memory));
  stage.join(current).open(stage.order(race.memory, { from: 5_000 }));
  stage.round();
  assert.ok(behind.got.length > 0 && behind.got.length < 5_000);
  race.publish(1);
  stage.changed();
  stage.round();
  assert.equal(current.got.length, 1);
  assert.ok(behind.got.length < 5_000);
  stage.settle();
  assert.equal(behind.got.length, 5_001);
});

test('SH3: a stream that gets something new does not wait for those that catch up', () => {
  const stage = new StreamStage();
  const race = written('long-race', 1024 * 1024).publish(5_000);
  const live = written('live-race');
  const behind = Array.from({ length: 2 * STREAM_TURNS_MAX }, () => new StreamClient());
  const current = new StreamClient();
  stage.join(current).open(stage.order(live.memory));
  stage.settle();
  for (const client of behind) stage.join(client).open(stage.order(race.memory));
  stage.round();
  live.publish(1);
  stage.changed();
  assert.equal(current.got.length, 1);
  assert.ok(behind.some((client) => client.got.length === 0));
  stage.settle();
  assert.ok(behind.every((client) => client.got.length === 5_000));
});

test('SH3: however much is new, those that catch up have their round', () => {
  const stage = new StreamStage();
  const race = written('long-race', 1024 * 1024).publish(5_000);
  const live = written('live-race');
  for (let i = 0; i < 3 * STREAM_TURNS_MAX; i++) stage.join(new StreamClient()).open(stage.order(live.memory));
  stage.settle();
  const behind = new StreamClient();
  stage.join(behind).open(stage.order(race.memory));
  for (let round = 0; round <= STREAM_PROMPT_ROUNDS_MAX; round++) {
    live.publish(1);
    stage.changed('live-race');
    stage.round();
  }
  assert.ok(behind.got.length > 0);
});

test('SH4: streams of one run share a timer, have their turns in one round, and one that leaves takes no other along', async () => {
  const stage = new StreamStage();
  const shared = await sharedArtifact(steadyTimeline(3, 1_000));
  const pace = { kind: 'paced', fromMs: stage.time.nowMs() + 500, speed: 1 } as const;
  const clients = Array.from({ length: 100 }, () => new StreamClient());
  const streams = clients.map((client) => stage.join(client));
  for (const stream of streams) stream.open({ ...stage.order(written().memory), shared, key: 'recorded', pace });
  let timers = 0;
  const { schedule } = stage.time;
  stage.time.schedule = (delayMs, callback) => {
    timers++;
    return schedule.call(stage.time, delayMs, callback);
  };
  stage.settle();
  assert.equal(timers, 1);
  stage.hub.leave(streams[0]!);
  await stage.time.pass(500 + STREAM_GIVES_WAY_MS);
  assert.equal(clients[0]!.got.length, 0);
  assert.ok(clients.slice(1).every(({ got }) => got.length === 1));
});

test('SH4: their turns come when the moment has come, also if a timer ends late', async () => {
  const stage = new StreamStage();
  const { time } = stage;
  const { schedule } = time;
  time.schedule = (delayMs, callback) => schedule.call(time, delayMs > 2 ? delayMs + 1.9 : delayMs, callback);
  const sentMs: number[] = [];
  class Timed extends StreamClient {
    override send(updates: Uint8Array): boolean {
      sentMs.push(time.nowMs());
      return super.send(updates);
    }
  }
  const pace = { kind: 'paced', fromMs: 500.3, speed: 1 } as const;
  const shared = await sharedArtifact(steadyTimeline(1, 1_000));
  stage.join(new Timed()).open({ ...stage.order(written().memory), shared, key: 'recorded', pace });
  stage.settle();
  await time.pass(510);
  const dueMs = pace.fromMs + STREAM_GIVES_WAY_MS;
  assert.deepEqual(sentMs.map(Math.floor), [Math.floor(dueMs)]);
  assert.ok(sentMs[0]! >= dueMs);
});

test('SH2: a live timeline is watched once, until it is complete, however often streams come and go', () => {
  const stage = new StreamStage();
  const race = written();
  for (let i = 0; i < 100; i++) {
    const stream = stage.join(new StreamClient());
    stream.open(stage.order(race.memory));
    stage.settle();
    stage.hub.leave(stream);
  }
  assert.equal(stage.watched, 1);
  race.seal();
  stage.changed();
  assert.equal(stage.watched, 0);
  const last = stage.join(new StreamClient());
  last.open(stage.order(race.memory));
  stage.hub.leave(last);
  assert.equal(stage.watched, 0, 'one that was complete is dropped with its last stream');
});

test('streams without news get a sign of life, and none when they had an update', async () => {
  const stage = new StreamStage();
  const race = written();
  const [quiet, busy] = [new StreamClient(), new StreamClient()];
  const waiting = stage.join(quiet, { endless: true });
  const following = stage.join(busy);
  following.open(stage.order(race.memory));
  for (let i = 0; i < 10; i++) {
    race.publish(1);
    stage.changed();
    await stage.pass(STREAM_PING_MS / 2);
  }
  assert.equal(busy.pings, 0);
  assert.ok(quiet.pings >= 3 && quiet.pings <= 5, `${quiet.pings}`);
  stage.hub.leave(waiting);
  stage.hub.leave(following);
});

test('signs of life to thousands of streams let other work come between', async () => {
  const stage = new StreamStage();
  const clients = Array.from({ length: 3 * STREAM_TURNS_MAX }, () => new StreamClient());
  const streams = clients.map((client) => stage.join(client, { endless: true }));
  await stage.pass(STREAM_PING_MS - 1);
  await stage.time.pass(1);
  assert.ok(clients.filter(({ pings }) => pings > 0).length < STREAM_TURNS_MAX);
  await stage.rounds();
  assert.equal(clients.filter(({ pings }) => pings === 1).length, clients.length);
  for (const stream of streams) stage.hub.leave(stream);
});

test('a hub without streams has no timers', async () => {
  const stage = new StreamStage();
  const stream = stage.join(new StreamClient());
  stage.hub.leave(stream);
  assert.equal(await stage.time.step(Number.MAX_SAFE_INTEGER), false);
  assert.equal(stage.hub.size, 0);
});
