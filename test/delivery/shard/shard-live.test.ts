// A shard that delivers a live session: an update is due when it is published, and the end is unknown.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAILBOX_POSITIONS_MAX, RECORD_BATCH_MS } from '#engine/base/limits.ts';
import { newCheckpoint } from '#engine/delivery/delivery-log/record-store.ts';
import { BREAKER_FAILURES } from '#engine/delivery/endpoint/breaker.ts';
import { EndpointActor } from '#engine/delivery/endpoint/endpoint-actor.ts';
import { Allowance, allowanceCell } from '#engine/delivery/usage/allowance.ts';
import { WrittenTimeline } from '#test/support/live-timelines.ts';
import { assertSettled, BAD, checkpointOf, endpoint, firsts, GOOD } from '#test/support/shard-endpoints.ts';
import { answers } from '#test/support/simulated-network.ts';
import { SimulatedShard } from '#test/support/simulated-shard.ts';
import { sharedArtifact, steadyTimeline } from '#test/support/timelines.ts';

const LIVE = { mode: 'live', speed: Number.POSITIVE_INFINITY } as const;

/** A shard with one healthy receiver and a live session. */
function setUp(shard = new SimulatedShard()) {
  shard.network.receiver(GOOD, () => answers(200));
  const live = new WrittenTimeline();
  const publish = (count: number): void => {
    live.publish(count, shard.time.nowMs());
    shard.published();
  };
  const seal = (): void => {
    live.seal();
    shard.published();
  };
  return { shard, live, publish, seal };
}

const sequences = (arrivals: readonly { readonly sequence: number }[]): number[] =>
  arrivals.map(({ sequence }) => sequence);
const upTo = (count: number, from = 1): number[] => Array.from({ length: count + 1 - from }, (_, i) => from + i);

test('I5: published updates are delivered at once and in order, until the session is sealed', async () => {
  const { shard, live, publish, seal } = setUp();
  shard.start(live.memory, [endpoint('a', GOOD)], LIVE);
  await shard.time.pass(1_000);
  assert.equal(shard.network.arrivals.length, 0);
  publish(1);
  await shard.time.pass(0);
  assert.equal(shard.network.arrivals[0]!.atMs, 1_000, 'not a moment later');
  await shard.time.pass(1_000);
  publish(40);
  await shard.time.pass(3_600_000);
  assert.deepEqual(sequences(shard.network.at(GOOD)), upTo(41));
  assert.equal(shard.settled(), false, 'more may come');
  publish(2);
  seal();
  await shard.time.pass(1_000);
  assert.ok(shard.settled());
  assertSettled(checkpointOf(shard, 'a'));
  assert.equal(checkpointOf(shard, 'a').delivered, 43);
  assert.equal(shard.network.openConnections, 0);
});

test('A8: an endpoint is connected to before its first update, unless it cannot get any', async () => {
  const { shard, live } = setUp();
  const local = 'http://localhost:9';
  shard.start(
    live.memory,
    [
      endpoint('a', GOOD),
      endpoint('b', 'https://paused.example', { active: false }),
      endpoint('c', 'https://unsubscribed.example', { subscriptions: [] }),
      endpoint('d', local),
    ],
    LIVE,
  );
  await shard.time.pass(1_000);
  assert.deepEqual(shard.network.warmed, [GOOD]);
  assert.equal(shard.network.arrivals.length, 0);
});

test('a session that was published partly or completely before its run starts is delivered from its beginning', async () => {
  const { shard, live, seal } = setUp();
  live.publish(10);
  live.seal();
  shard.start(live.memory, [endpoint('a', GOOD)], LIVE);
  await shard.time.pass(1_000);
  assert.deepEqual(sequences(shard.network.at(GOOD)), upTo(10));
  assert.ok(shard.settled());
  seal();
  await shard.time.pass(1_000);
  assert.equal(shard.heard.filter(({ kind }) => kind === 'run.settled').length, 1, 'told once');
});

test('deliveries carry the mode live and no run, and the log says so', async () => {
  const { shard, live, publish } = setUp();
  shard.start(live.memory, [endpoint('a', GOOD)], LIVE);
  publish(1);
  await shard.time.pass(RECORD_BATCH_MS + 10);
  const shown = [...shard.network.arrivals[0]!.headers].filter(([name]) => /mode|run|speed/.test(name));
  assert.deepEqual(
    shown.map(([, value]) => value),
    ['live'],
    JSON.stringify(shown),
  );
  assert.equal(shard.store.attempts[0]!.mode, 'live');
});

test('A7: a dead endpoint gets every update four times; nothing is skipped, and its neighbour is not delayed', async () => {
  const { shard, live, publish, seal } = setUp();
  shard.network.receiver(BAD, () => answers(500));
  shard.start(live.memory, [endpoint('a', GOOD), endpoint('b', BAD)], LIVE);
  const count = 2 * BREAKER_FAILURES;
  publish(count);
  await shard.time.pass(1_000);
  assert.equal(checkpointOf(shard, 'a').delivered, count);
  await shard.time.pass(120_000);
  seal();
  await shard.time.pass(1_000);
  assert.equal(checkpointOf(shard, 'b').failed, count);
  assert.deepEqual(checkpointOf(shard, 'b').skipped, {});
  assert.equal(shard.network.at(BAD).length, 4 * count);
  assert.ok(shard.settled());
});

test('the run is settled only when the last retry is over, however long ago the session ended', async () => {
  const { shard, live, publish, seal } = setUp();
  shard.network.receiver(BAD, ({ attempt }) => answers(attempt < 4 ? 503 : 200));
  shard.start(live.memory, [endpoint('b', BAD)], LIVE);
  publish(1);
  seal();
  await shard.time.pass(35_000);
  assert.equal(shard.settled(), false);
  await shard.time.pass(5_000);
  assert.ok(shard.settled());
  assert.equal(checkpointOf(shard, 'b').delivered, 1);
});

test('a URL of this machine gets nothing live: each update is counted as replay_only', async () => {
  const { shard, live, publish, seal } = setUp();
  shard.network.receiver('http://localhost:9', () => answers(200));
  shard.start(live.memory, [endpoint('a', 'http://localhost:9')], LIVE);
  publish(5);
  seal();
  await shard.time.pass(1_000);
  assert.deepEqual(shard.network.arrivals, []);
  assert.deepEqual(checkpointOf(shard, 'a').skipped, { replay_only: 5 });
  assertSettled(checkpointOf(shard, 'a'));
});

test('an endpoint on this machine is served once its URL changes to a public one during the session', async () => {
  const { shard, live, publish } = setUp();
  shard.start(live.memory, [endpoint('a', 'http://localhost:9')], LIVE);
  publish(2);
  await shard.time.pass(100);
  shard.receive({ kind: 'endpoints.changed', settings: [endpoint('a', GOOD)] });
  publish(2);
  await shard.time.pass(1_000);
  assert.deepEqual(sequences(shard.network.at(GOOD)), [3, 4]);
});

test('an endpoint that joins begins at its checkpoint, beside the present endpoints', async () => {
  const { shard, live, publish, seal } = setUp();
  shard.network.receiver(BAD, () => answers(200));
  shard.start(live.memory, [endpoint('a', GOOD)], LIVE);
  publish(7);
  shard.store.put({ ...newCheckpoint('run_1', 'wh_b'), nextPosition: 7 });
  shard.receive({ kind: 'run.join', runId: 'run_1', endpoints: [endpoint('a', GOOD), endpoint('b', BAD)] });
  publish(3);
  await shard.time.pass(1_000);
  assert.deepEqual(sequences(shard.network.at(BAD)), [8, 9, 10]);
  assert.deepEqual(sequences(shard.network.at(GOOD)), upTo(10), 'the one that was there joins no second time');
  seal();
  await shard.time.pass(1_000);
  assertSettled(checkpointOf(shard, 'b'));
  assert.ok(shard.settled());
});

test('an endpoint that joins at a position that this shard has not seen yet still begins there', async () => {
  const { shard, live } = setUp();
  shard.start(live.memory, [], LIVE);
  await shard.time.pass(10);
  shard.store.put({ ...newCheckpoint('run_1', 'wh_a'), nextPosition: 5 });
  // Published, but the shard has not been woken yet.
  live.publish(6, shard.time.nowMs());
  shard.receive({ kind: 'run.join', runId: 'run_1', endpoints: [endpoint('a', GOOD)] });
  await shard.time.pass(1_000);
  assert.deepEqual(sequences(shard.network.at(GOOD)), [6]);
});

test('I5, I9: an endpoint that joins while the checkpoints of the others are being read starts once, where it joined', async () => {
  const { shard, live, publish } = setUp();
  publish(5);
  const answer = shard.store.delayCheckpoints();
  shard.start(live.memory, [endpoint('b', GOOD)], LIVE, true);
  await shard.time.pass(10);
  shard.store.put({ ...newCheckpoint('run_1', 'wh_a'), nextPosition: 5 });
  // The read of its own checkpoint ends at once.
  shard.store.delayCheckpoints()();
  shard.receive({ kind: 'run.join', runId: 'run_1', endpoints: [endpoint('a', BAD)] });
  publish(1);
  await shard.time.pass(10);
  answer();
  await shard.time.pass(100);
  assert.deepEqual(sequences(firsts(shard.network.at(BAD))), [6]);
  assert.deepEqual(sequences(shard.network.at(GOOD)), upTo(6));
});

test('nothing is settled while the checkpoint of an endpoint that joins is being read', async () => {
  const { shard, live, publish, seal } = setUp();
  shard.start(live.memory, [endpoint('a', GOOD)], LIVE);
  publish(2);
  await shard.time.pass(500);
  const answer = shard.store.delayCheckpoints();
  shard.receive({ kind: 'run.join', runId: 'run_1', endpoints: [endpoint('b', GOOD)] });
  seal();
  await shard.time.pass(5_000);
  assert.equal(shard.settled(), false);
  answer();
  await shard.time.pass(1_000);
  assert.ok(shard.settled());
  assert.equal(checkpointOf(shard, 'b').delivered, 2);
});

test('if the database is away at a join, its checkpoint is read later, and the endpoint misses nothing', async () => {
  const { shard, live, publish } = setUp();
  shard.start(live.memory, [], LIVE);
  shard.store.unreadable = 1;
  shard.receive({ kind: 'run.join', runId: 'run_1', endpoints: [endpoint('a', GOOD)] });
  publish(3);
  await shard.time.pass(20_000);
  assert.deepEqual(sequences(shard.network.at(GOOD)), [1, 2, 3]);
});

test('a live run whose endpoints are all deleted waits for others until its session ends', async () => {
  const { shard, live, publish, seal } = setUp();
  shard.start(live.memory, [endpoint('a', GOOD)], LIVE);
  publish(2);
  await shard.time.pass(500);
  shard.receive({ kind: 'endpoint.deleted', webhookId: 'wh_a' });
  publish(2);
  await shard.time.pass(500);
  assert.equal(shard.network.arrivals.length, 2);
  assert.equal(shard.settled(), false);
  shard.receive({ kind: 'run.join', runId: 'run_1', endpoints: [endpoint('b', GOOD)] });
  await shard.time.pass(500);
  assert.equal(checkpointOf(shard, 'b').delivered, 4);
  seal();
  await shard.time.pass(500);
  assert.ok(shard.settled());
  assertSettled(checkpointOf(shard, 'a'));
});

test('an endpoint deleted with retries waiting: they are skipped as deleted, and the sum stays exact (I1)', async () => {
  const { shard, live, publish, seal } = setUp();
  shard.network.receiver(BAD, () => answers(500));
  shard.start(live.memory, [endpoint('b', BAD)], LIVE);
  publish(3);
  await shard.time.pass(500);
  shard.receive({ kind: 'endpoint.deleted', webhookId: 'wh_b' });
  seal();
  await shard.time.pass(500);
  assert.deepEqual(checkpointOf(shard, 'b').skipped, { deleted: 3 });
  assertSettled(checkpointOf(shard, 'b'));
  assert.ok(shard.settled());
});

test('J3: when deliveries take too long, the rest is counted as expired, also on a shard that has just started', async () => {
  for (const startsAgain of [false, true]) {
    const { shard, live } = setUp();
    shard.network.receiver(BAD, () => ({ kind: 'hang' }));
    live.publish(2 * MAILBOX_POSITIONS_MAX);
    live.seal();
    shard.start(live.memory, [endpoint('b', BAD)], LIVE, startsAgain);
    // The run is stopped before the first checkpoint is read.
    if (!startsAgain) await shard.time.pass(1_000);
    shard.receive({ kind: 'run.stop', runId: 'run_1', reason: 'expired' });
    await shard.time.pass(60_000);
    assert.ok(shard.settled(), `starts again: ${startsAgain}`);
    const checkpoint = checkpointOf(shard, 'b');
    assertSettled(checkpoint);
    assert.equal(checkpoint.matched, 2 * MAILBOX_POSITIONS_MAX);
    assert.equal(checkpoint.skipped.expired, checkpoint.matched);
  }
});

test('an endpoint far behind keeps only its mailbox and loses nothing', async () => {
  const { shard, live, publish, seal } = setUp();
  shard.network.receiver(BAD, () => answers(200, 900));
  shard.start(live.memory, [endpoint('b', BAD)], LIVE);
  for (let second = 0; second < 20; second++) {
    publish(100);
    await shard.time.pass(1_000);
  }
  seal();
  await shard.time.pass(7_200_000);
  assert.equal(checkpointOf(shard, 'b').delivered, 2_000);
  assert.deepEqual(sequences(firsts(shard.network.at(BAD))), upTo(2_000));
});

test('I9, I1: the successor of a killed shard resumes from the checkpoint; at most the last batch is repeated', async () => {
  const { shard, live, publish, seal } = setUp();
  shard.start(live.memory, [endpoint('a', GOOD)], LIVE);
  publish(20);
  await shard.time.pass(2 * RECORD_BATCH_MS);
  publish(5);
  await shard.time.pass(20);
  shard.kill();
  const next = new SimulatedShard(shard.time, shard.network, shard.store, { name: 'shard-0', epoch: 2 });
  live.publish(5, shard.time.nowMs());
  next.start(live.memory, [endpoint('a', GOOD)], LIVE, true);
  seal();
  await shard.time.pass(5_000);
  const arrived = sequences(shard.network.at(GOOD));
  assert.deepEqual([...new Set(arrived)], upTo(30));
  assert.ok(arrived.length <= 35, `${arrived.length} arrivals`);
  assert.ok(next.settled());
  assert.equal(checkpointOf(next, 'a').delivered, 30);
  assertSettled(checkpointOf(next, 'a'));
});

test('a checkpoint beyond the timeline, after a power cut, resumes at its end: the sum holds, and nothing throws', async () => {
  const { shard, live, publish, seal } = setUp();
  shard.store.put({
    ...newCheckpoint('run_1', 'wh_a'),
    nextPosition: 12,
    matched: 12,
    delivered: 10,
    pending: [
      { position: 3, attemptsMade: 1, dueAtMs: 0 },
      { position: 11, attemptsMade: 1, dueAtMs: 0 },
    ],
  });
  live.publish(8);
  shard.start(live.memory, [endpoint('a', GOOD)], LIVE, true);
  await shard.time.pass(100);
  publish(2);
  seal();
  await shard.time.pass(5_000);
  assert.deepEqual(
    sequences(shard.network.at(GOOD)).sort((a, b) => a - b),
    [4, 9, 10],
  );
  assertSettled(checkpointOf(shard, 'a'));
  assert.deepEqual(shard.problems, []);
});

test('a change of filters is checkpointed at once: after a crash, updates that did not match before are not sent', async () => {
  const { shard, live, publish } = setUp();
  const narrow = endpoint('a', GOOD, { subscriptions: [{ feedId: 'lap.count', filters: {}, active: true }] });
  shard.start(live.memory, [narrow], LIVE);
  publish(10);
  await shard.time.pass(1_000);
  shard.receive({ kind: 'endpoints.changed', settings: [endpoint('a', GOOD)] });
  await shard.time.pass(1_000);
  shard.kill();
  const next = new SimulatedShard(shard.time, shard.network, shard.store, { name: 'shard-0', epoch: 2 });
  next.start(live.memory, [endpoint('a', GOOD)], LIVE, true);
  live.publish(2, shard.time.nowMs());
  next.published();
  await shard.time.pass(1_000);
  assert.deepEqual(sequences(shard.network.at(GOOD)), [11, 12]);
});

test('AU1: actors whose filters do not match take no turn until the session ends', async (t) => {
  const { shard, live, publish, seal } = setUp();
  const fed = (name: string, feedId: string) =>
    endpoint(name, GOOD, { subscriptions: [{ feedId, filters: {}, active: true }] });
  shard.start(live.memory, [fed('a', 'timing.data'), fed('b', 'weather.data'), fed('c', 'weather.data')], LIVE);
  await shard.time.pass(1_000);
  const turns = t.mock.method(EndpointActor.prototype, 'turn');
  const turnsOf = (name: string): number =>
    turns.mock.calls.filter(
      (call) => (call.this as EndpointActor).endpoint.settings.webhookId === endpoint(name, GOOD).webhookId,
    ).length;
  for (let update = 0; update < 10; update++) {
    publish(1);
    await shard.time.pass(1_000);
  }
  assert.ok(turnsOf('a') >= 10);
  assert.deepEqual([turnsOf('b'), turnsOf('c')], [0, 0]);
  seal();
  await shard.time.pass(1_000);
  assert.deepEqual([turnsOf('b'), turnsOf('c')], [1, 1]);
  assert.ok(shard.settled());
});

test('I8: an update of a new feed that is published with the change is sent, though the old filters get nothing', async () => {
  const { shard, live, publish } = setUp();
  const fed = (feedId: string) => endpoint('a', GOOD, { subscriptions: [{ feedId, filters: {}, active: true }] });
  shard.start(live.memory, [fed('weather.data')], LIVE);
  publish(10);
  await shard.time.pass(1_000);
  shard.receive({ kind: 'endpoints.changed', settings: [fed('timing.data')] });
  publish(2);
  await shard.time.pass(1_000);
  assert.deepEqual(sequences(shard.network.at(GOOD)), [11, 12]);
});

test('A9: an actor that is parked resumes behind what its filters did not match, though they change meanwhile', async () => {
  const { shard, live, publish } = setUp();
  const narrow = endpoint('a', GOOD, { subscriptions: [{ feedId: 'lap.count', filters: {}, active: true }] });
  shard.start(live.memory, [narrow], LIVE);
  await shard.time.pass(1_000);
  publish(10);
  await shard.time.pass(1_000);
  shard.receive({ kind: 'run.park', runId: 'run_1' });
  await shard.time.pass(1_000);
  shard.start(live.memory, [endpoint('a', GOOD)], LIVE, true);
  publish(2);
  await shard.time.pass(1_000);
  assert.deepEqual(sequences(shard.network.at(GOOD)), [11, 12]);
});

test('I8, I1: a feed that is added in a live session begins with the next update, one that is removed ends with the last', async () => {
  const { shard, live, publish, seal } = setUp();
  const fed = (...feedIds: string[]) =>
    endpoint('a', GOOD, { subscriptions: feedIds.map((feedId) => ({ feedId, filters: {}, active: true })) });
  const each = [{ feed: 'lap.count' }, { feed: 'timing.data' }, { feed: 'weather.data' }] as const;
  const publishEach = (): void => {
    live.append(...each);
    publish(0);
  };
  shard.start(live.memory, [fed('lap.count', 'timing.data')], LIVE);
  publishEach();
  await shard.time.pass(1_000);
  shard.receive({ kind: 'endpoints.changed', settings: [fed('timing.data', 'weather.data')] });
  publishEach();
  await shard.time.pass(1_000);
  seal();
  await shard.time.pass(1_000);
  assert.deepEqual(sequences(shard.network.at(GOOD)), [1, 2, 5, 6]);
  const checkpoint = checkpointOf(shard, 'a');
  assertSettled(checkpoint);
  assert.deepEqual([checkpoint.delivered, checkpoint.skipped], [4, {}]);
});

test('an actor that throws is restarted within the session and harms no other (I9)', async () => {
  const { shard, live, publish, seal } = setUp();
  let broken = true;
  shard.network.receiver(BAD, () => (broken ? { kind: 'throw' } : answers(200)));
  shard.start(live.memory, [endpoint('a', GOOD), endpoint('b', BAD)], LIVE);
  publish(1);
  broken = false;
  await shard.time.pass(1_000);
  publish(3);
  seal();
  await shard.time.pass(1_000);
  for (const name of ['a', 'b']) assert.equal(checkpointOf(shard, name).delivered, 4, name);
});

test('without any allowance left, updates are skipped as monthly_limit', async () => {
  const { shard, live, publish, seal } = setUp();
  const allowance = allowanceCell();
  new Allowance(allowance).limit(3);
  new Allowance(allowance).begin(shard.time.wallMs(), 0);
  shard.start(live.memory, [endpoint('a', GOOD)], { ...LIVE, allowance });
  publish(5);
  seal();
  await shard.time.pass(1_000);
  assert.equal(checkpointOf(shard, 'a').delivered, 3);
  assert.deepEqual(checkpointOf(shard, 'a').skipped, { monthly_limit: 2 });
});

test('live and replay of one endpoint at once: own order, own headers, a breaker for the replay only, one bucket', async () => {
  const { shard, live, publish, seal } = setUp();
  const allowance = allowanceCell();
  new Allowance(allowance).limit(1_000);
  new Allowance(allowance).begin(shard.time.wallMs(), 0);
  const modeOf = (headers: ReadonlyMap<string, string>): string =>
    [...headers].some(([name]) => name.includes('run')) ? 'replay' : 'live';
  shard.network.receiver(BAD, ({ headers }) => answers(modeOf(headers) === 'live' ? 200 : 500));
  const target = endpoint('b', BAD);
  shard.start(live.memory, [target], { ...LIVE, allowance });
  shard.start(await sharedArtifact(steadyTimeline(60, 20)), [target], { runId: 'run_2', runNo: 2, allowance });
  for (let i = 0; i < 60; i++) {
    publish(1);
    await shard.time.pass(20);
  }
  await shard.time.pass(60_000);
  const byMode = Map.groupBy(firsts(shard.network.at(BAD)), ({ headers }) => modeOf(headers));
  assert.deepEqual(sequences(byMode.get('live')!), upTo(60), 'the breaker of the replay is none of live delivery');
  const replayed = sequences(byMode.get('replay')!);
  assert.deepEqual(
    replayed,
    replayed.toSorted((a, b) => a - b),
  );
  const replay = shard.store.checkpoint('run_2', 'wh_b')!;
  assertSettled(replay);
  assert.ok(replay.skipped.breaker_open! > 0);
  assert.ok(shard.settled('run_2'));
  assert.equal(shard.settled(), false);
  seal();
  await shard.time.pass(1_000);
  assert.equal(checkpointOf(shard, 'b').delivered, 60);
  assert.deepEqual(
    new Set(shard.store.attempts.map(({ mode, runNo }) => `${mode} ${runNo}`)),
    new Set(['live 1', 'replay 2']),
  );
  const used = shard.store.attempts.length;
  const left = Array.from({ length: 1_000 }, () => new Allowance(allowance).take(shard.time.wallMs())).filter(Boolean);
  assert.equal(left.length, 1_000 - used, 'both take from the bucket of the account');
  const firstIds = firsts(shard.network.at(BAD)).map(({ headers }) => headers.get('x-service-delivery-id'));
  assert.equal(new Set(firstIds).size, firstIds.length, 'no delivery id stands for two deliveries');
});

test('the time from the frame to the first attempt is measured for live updates only, and never for retries', async () => {
  const { shard, live } = setUp();
  shard.network.receiver(BAD, () => answers(500));
  shard.start(live.memory, [endpoint('b', BAD)], LIVE);
  shard.start(await sharedArtifact(steadyTimeline(5, 20)), [endpoint('a', GOOD)], { runId: 'run_2' });
  live.publish(2, shard.time.nowMs());
  await shard.time.pass(30);
  shard.published();
  await shard.time.pass(60_000);
  const counts = shard.meter.liveStartMs.counts;
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    2,
  );
  assert.ok(shard.meter.liveStartMs.sum >= 0 && shard.meter.liveStartMs.sum <= 60, `${shard.meter.liveStartMs.sum} ms`);
});

test('S4: a draining shard stops watching the session and leaves the rest to the next start', async () => {
  const { shard, live, publish } = setUp();
  shard.start(live.memory, [endpoint('a', GOOD)], LIVE);
  publish(3);
  await shard.time.pass(500);
  shard.receive({ kind: 'drain' });
  await shard.time.pass(500);
  assert.ok(shard.heard.some(({ kind }) => kind === 'drained'));
  publish(3);
  await shard.time.pass(500);
  assert.equal(shard.network.arrivals.length, 3);
  const next = new SimulatedShard(shard.time, shard.network, shard.store, { name: 'shard-0', epoch: 2 });
  next.start(live.memory, [endpoint('a', GOOD)], LIVE, true);
  await shard.time.pass(500);
  assert.deepEqual(sequences(shard.network.at(GOOD)), upTo(6), 'nothing comes twice');
});

test('a shard watches a session once, as long as it has any run of it', async () => {
  const { shard, live, publish, seal } = setUp();
  shard.network.receiver(BAD, () => answers(200));
  shard.start(live.memory, [endpoint('a', GOOD)], LIVE);
  shard.start(live.memory, [endpoint('b', BAD)], { ...LIVE, runId: 'run_2', accountId: 'acc_2' });
  publish(2);
  await shard.time.pass(500);
  assert.equal(shard.watching, 1);
  shard.receive({ kind: 'run.stop', runId: 'run_1', reason: 'stopped' });
  publish(2);
  await shard.time.pass(500);
  assert.equal(shard.network.at(BAD).length, 4);
  assert.equal(shard.watching, 1);
  seal();
  await shard.time.pass(500);
  assert.ok(shard.settled('run_2'));
  assert.equal(shard.watching, 0);
});
