// Changes that a customer makes during a run: pause, secret, URL, filters, deletion, stop.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertSettled, BAD, checkpointOf, endpoint, GOOD } from '#test/support/shard-endpoints.ts';
import { answers } from '#test/support/simulated-network.ts';
import { SimulatedShard } from '#test/support/simulated-shard.ts';
import { sharedArtifact, smallTimeline, steadyTimeline } from '#test/support/timelines.ts';

test('a paused endpoint gets nothing, not even retries, and resumes when it is active again', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, ({ sequence }) => answers(sequence === 1 ? 500 : 200));
  const active = endpoint('a', GOOD);
  shard.start(await sharedArtifact(steadyTimeline(100, 100)), [active]);
  await shard.time.pass(550);
  shard.receive({ kind: 'endpoints.changed', settings: [{ ...active, active: false }] });
  await shard.time.pass(4_000);
  assert.equal(shard.network.at(GOOD).length, 6);
  shard.receive({ kind: 'endpoints.changed', settings: [active] });
  await shard.time.pass(60_000);
  const checkpoint = checkpointOf(shard, 'a');
  assertSettled(checkpoint);
  assert.equal(checkpoint.skipped.paused, 41, '40 first attempts and the retry of the first update');
  assert.equal(checkpoint.delivered, 59);
});

test('a change that leaves feeds and filters as they are writes no checkpoint, a change of the filters does', async () => {
  const shard = new SimulatedShard();
  const idle = endpoint('a', GOOD, { subscriptions: [], filters: { drivers: ['VER'] } });
  shard.start(await sharedArtifact(steadyTimeline(100, 100)), [idle]);
  await shard.time.pass(3_000);
  const { commits } = shard.store;
  shard.receive({ kind: 'endpoints.changed', settings: [{ ...idle, active: false }] });
  await shard.time.pass(1_000);
  shard.receive({ kind: 'endpoints.changed', settings: [{ ...idle, filters: { drivers: ['VER'] } }] });
  await shard.time.pass(1_000);
  assert.equal(shard.store.commits, commits);
  shard.receive({ kind: 'endpoints.changed', settings: [{ ...idle, filters: { drivers: ['HAM'] } }] });
  await shard.time.pass(1_000);
  assert.equal(shard.store.commits, commits + 1);
  assert.ok(checkpointOf(shard, 'a').nextPosition > 50, 'behind what the old filters did not match');
});

test('I8: after a rotation the next attempt is signed with the new secret', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(500));
  const old = endpoint('a', GOOD);
  shard.start(await sharedArtifact(steadyTimeline(1, 1)), [old]);
  await shard.time.pass(100);
  shard.receive({ kind: 'endpoints.changed', settings: [{ ...old, secret: 'whsec_bmV3' }] });
  await shard.time.pass(2_000);
  const [before, after] = shard.network.at(GOOD).map(({ headers }) => headers.get('x-service-signature'));
  assert.ok(before && after);
  assert.notEqual(before, after);
});

test('a changed url and method apply to the next attempt', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200));
  shard.network.receiver(BAD, () => answers(500));
  const before = endpoint('a', BAD);
  shard.start(await sharedArtifact(steadyTimeline(1, 1)), [before]);
  await shard.time.pass(100);
  shard.receive({ kind: 'endpoints.changed', settings: [{ ...before, url: `${GOOD}/new?x=1`, method: 'put' }] });
  await shard.time.pass(2_000);
  const [arrival] = shard.network.at(GOOD);
  assert.equal(arrival!.path, '/new?x=1');
  assert.equal(arrival!.method, 'PUT');
  assert.equal(arrival!.attempt, 2);
});

test("I8, I6: the customer's own headers stand beside ours from the next attempt on, and the signature stays right", async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(500));
  const before = endpoint('a', GOOD);
  shard.start(await sharedArtifact(steadyTimeline(1, 1)), [before]);
  await shard.time.pass(100);
  const headerLines = 'Authorization: Bearer key\r\nX-Team: pit wall\r\n';
  shard.receive({ kind: 'endpoints.changed', settings: [{ ...before, headerLines }] });
  await shard.time.pass(2_000);
  shard.receive({ kind: 'endpoints.changed', settings: [{ ...before, headerLines: 'X-Open: 1' }] });
  await shard.time.pass(6_000);
  const [first, second, third] = shard.network.at(GOOD).map(({ headers }) => headers);
  assert.equal(first!.get('authorization'), undefined);
  for (const headers of [second!, third!]) {
    assert.deepEqual([headers.get('authorization'), headers.get('x-team')], ['Bearer key', 'pit wall']);
    assert.equal(headers.get('x-service-signature'), first!.get('x-service-signature'));
    assert.equal(headers.size, first!.size + 2);
  }
});

test('filters are evaluated again before a retry', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(500));
  const before = endpoint('a', GOOD);
  shard.start(await sharedArtifact(steadyTimeline(1, 1)), [before]);
  await shard.time.pass(100);
  shard.receive({ kind: 'endpoints.changed', settings: [{ ...before, filters: { drivers: ['VER'] } }] });
  await shard.time.pass(60_000);
  assert.equal(shard.network.at(GOOD).length, 1);
  assert.deepEqual(checkpointOf(shard, 'a').skipped, { filtered: 1 });
});

test('a deleted endpoint gets no more attempts and settles its part of the run', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(500));
  shard.start(await sharedArtifact(steadyTimeline(10, 1_000)), [endpoint('a', GOOD)]);
  await shard.time.pass(500);
  shard.receive({ kind: 'endpoint.deleted', webhookId: 'wh_a' });
  await shard.time.pass(1_000);
  assert.equal(shard.network.at(GOOD).length, 1);
  assertSettled(checkpointOf(shard, 'a'));
  assert.ok(shard.settled());
});

test('a stopped run starts nothing more, lets attempts in flight end, and counts the rest as stopped', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, ({ sequence }) => answers(sequence === 3 ? 500 : 200, 50));
  shard.start(await sharedArtifact(steadyTimeline(100, 100)), [endpoint('a', GOOD)]);
  await shard.time.pass(420);
  shard.receive({ kind: 'run.stop', runId: 'run_1', reason: 'stopped' });
  await shard.time.pass(1_000);
  const checkpoint = checkpointOf(shard, 'a');
  assertSettled(checkpoint);
  assert.equal(checkpoint.matched, 5);
  assert.equal(checkpoint.delivered, 4, 'the fifth was in flight and ended well');
  assert.deepEqual(checkpoint.skipped, { stopped: 1 });
  assert.ok(shard.settled());
});

test('invalid settings are refused, and the endpoint keeps the old ones', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200));
  const settings = endpoint('a', GOOD);
  shard.start(await sharedArtifact(steadyTimeline(20, 50)), [settings]);
  await shard.time.pass(500);
  shard.receive({ kind: 'endpoints.changed', settings: [{ ...settings, url: 'not a url' }] });
  await shard.time.pass(5_000);
  assert.equal(shard.problems.length, 1);
  assert.equal(checkpointOf(shard, 'a').delivered, 20);
});

test('an endpoint with invalid settings at the start is left out, and the others are served', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200));
  const artifact = await sharedArtifact(steadyTimeline(5, 20));
  shard.start(artifact, [endpoint('b', GOOD, { url: 'not a url' }), endpoint('g', GOOD)]);
  await shard.time.pass(2_000);
  assert.equal(shard.problems.length, 1);
  assert.equal(checkpointOf(shard, 'g').delivered, 5);
  assert.ok(shard.settled());
});

test('an attempt that fails after its run was stopped is not retried, and the run ends at once', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(500, 100));
  shard.start(await sharedArtifact(steadyTimeline(1, 1)), [endpoint('a', GOOD)]);
  await shard.time.pass(50);
  shard.receive({ kind: 'run.stop', runId: 'run_1', reason: 'stopped' });
  await shard.time.pass(500);
  assert.deepEqual(checkpointOf(shard, 'a').skipped, { stopped: 1 });
  assert.ok(shard.settled());
});

test('an endpoint is kept as long as one of its runs is running, and no longer', async () => {
  const shard = new SimulatedShard();
  for (const origin of [GOOD, BAD]) shard.network.receiver(origin, () => answers(200));
  const artifact = await sharedArtifact(steadyTimeline(20, 50));
  const settings = endpoint('a', GOOD);
  shard.start(artifact, [settings]);
  shard.start(artifact, [settings], { runId: 'run_2' });
  await shard.time.pass(110);
  shard.receive({ kind: 'run.stop', runId: 'run_1', reason: 'stopped' });
  await shard.time.pass(500);
  assert.ok(shard.settled('run_1'));
  shard.receive({ kind: 'endpoints.changed', settings: [{ ...settings, url: `${BAD}/x` }] });
  await shard.time.pass(2_000);
  assert.ok(shard.network.at(BAD).length > 0, 'the change reaches the other run');
  assert.ok(shard.settled('run_2'));
  const before = shard.network.at(GOOD).length;
  shard.start(artifact, [settings], { runId: 'run_3' });
  await shard.time.pass(2_000);
  assert.equal(shard.network.at(GOOD).length, before + 20, 'a later run brings its own settings');
});

test('what the endpoint at an old URL was like does not count at a new one, in this run and the next', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200, 1));
  shard.network.receiver(BAD, () => answers(200, 100));
  const near = endpoint('a', GOOD);
  const far = { ...near, url: `${BAD}/hook` };
  // The second half falls due at once, behind a pause.
  const updates = Array.from({ length: 100 }, (_, index) => ({ dueMs: index < 50 ? index * 10 : 1_000 }));
  const timeline = await sharedArtifact(smallTimeline(updates.map((update) => ({ ...update, feed: 'timing.data' }))));
  shard.start(timeline, [near]);
  await shard.time.pass(700);
  assert.equal(shard.network.at(GOOD).length, 50);
  shard.receive({ kind: 'endpoints.changed', settings: [far] });
  await shard.time.pass(60_000);
  const rounds = (): number => new Set(shard.network.at(BAD).map(({ atMs }) => atMs)).size;
  assert.equal(rounds(), 4, '2, 8 and 32 attempts, then the rest: a round trip each');
  shard.start(timeline, [far], { runId: 'run_2', runNo: 2, pacedFromMs: shard.time.nowMs() - 2_000 });
  await shard.time.pass(60_000);
  assert.ok(rounds() < 4 + 4, `${rounds() - 4} rounds although 32 at once are known to be served`);
});
