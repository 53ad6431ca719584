// Recovery: actors that throw, shards that die or drain, checkpoints that arrive late.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACTOR_RESTARTS_MAX, RECORD_RETRY_MS_MAX } from '#engine/base/limits.ts';
import { newCheckpoint } from '#engine/delivery/delivery-log/record-store.ts';
import type { FilterSpec } from '#schemas/http/filter-spec.ts';
import { assertSettled, BAD, checkpointOf, endpoint, firsts, GOOD } from '#test/support/shard-endpoints.ts';
import { answers } from '#test/support/simulated-network.ts';
import { SimulatedShard } from '#test/support/simulated-shard.ts';
import { sharedArtifact, steadyTimeline } from '#test/support/timelines.ts';

test('I9, I10: an actor that throws resumes where it left off: nothing is lost, repeated or counted twice, and no other is harmed', async () => {
  const shard = new SimulatedShard();
  let throwing = 1;
  shard.network.receiver(BAD, ({ sequence }) => (sequence === 30 && throwing-- > 0 ? { kind: 'throw' } : answers(200)));
  shard.network.receiver(GOOD, () => answers(200));
  shard.start(await sharedArtifact(steadyTimeline(100, 20)), [endpoint('b', BAD), endpoint('g', GOOD)]);
  await shard.time.pass(10_000);
  assert.equal(shard.problems.length, 1);
  const everything = Array.from({ length: 100 }, (_, index) => index + 1);
  const { webhookNo } = endpoint('b', BAD);
  const log = shard.store.attempts.filter((record) => record.webhookNo === webhookNo);
  assert.deepEqual(
    shard.network.at(BAD).map(({ sequence }) => sequence),
    everything,
  );
  assert.deepEqual(
    log.map(({ sequence }) => sequence),
    everything,
  );
  assertSettled(checkpointOf(shard, 'b'));
  assert.equal(checkpointOf(shard, 'b').delivered, 100);
  assert.equal(shard.network.at(GOOD).length, 100);
});

test('an actor that keeps throwing is given up, and updates that fall due are counted as skipped', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(BAD, () => ({ kind: 'throw' }));
  shard.network.receiver(GOOD, () => answers(200));
  shard.start(await sharedArtifact(steadyTimeline(50, 20)), [endpoint('b', BAD), endpoint('g', GOOD)]);
  await shard.time.pass(10_000);
  const checkpoint = checkpointOf(shard, 'b');
  assertSettled(checkpoint);
  assert.deepEqual(checkpoint.skipped, { actor_failed: 50 });
  assert.equal(checkpointOf(shard, 'g').delivered, 50);
  assert.ok(shard.settled());
});

test('I9: a shard that dies is replaced by one that resumes from the checkpoints and repeats at most the last batch', async () => {
  const first = new SimulatedShard();
  first.network.receiver(GOOD, () => answers(200));
  first.network.receiver(BAD, ({ sequence, attempt }) => answers(sequence % 7 === 0 && attempt === 1 ? 500 : 200));
  const artifact = await sharedArtifact(steadyTimeline(400, 20));
  const endpoints = [endpoint('b', BAD), endpoint('g', GOOD)];
  const pacedFromMs = first.time.nowMs();
  first.start(artifact, endpoints, { pacedFromMs });
  await first.time.pass(3_010);
  first.kill();
  const second = new SimulatedShard(first.time, first.network, first.store, { name: 'shard-0', epoch: 2 });
  second.start(artifact, endpoints, { pacedFromMs }, true);
  await first.time.pass(60_000);
  for (const origin of [GOOD, BAD]) {
    const sequences = first.network.at(origin).map(({ sequence }) => sequence);
    assert.equal(new Set(sequences).size, 400, 'nothing is lost');
  }
  const repeated = firsts(first.network.at(GOOD)).length - 400;
  assert.ok(repeated >= 0 && repeated <= 200 / 20 + 1, `${repeated} repeated`);
  for (const name of ['b', 'g']) {
    assertSettled(checkpointOf(second, name));
    assert.equal(checkpointOf(second, name).delivered, 400);
  }
  assert.ok(second.settled());
});

test('a draining shard finishes and records the attempts in flight, and starts nothing more', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200, 300));
  shard.start(await sharedArtifact(steadyTimeline(100, 100)), [endpoint('a', GOOD)]);
  await shard.time.pass(450);
  const sent = shard.network.at(GOOD).length;
  shard.receive({ kind: 'drain' });
  await shard.time.pass(1_000);
  assert.ok(shard.heard.some(({ kind }) => kind === 'drained'));
  assert.equal(shard.network.at(GOOD).length, sent);
  assert.equal(shard.store.attempts.length, sent);
  assert.equal(checkpointOf(shard, 'a').nextPosition, sent);
});

test('an endpoint stays deleted after its actor is restarted', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200));
  shard.start(await sharedArtifact(steadyTimeline(10, 100)), [endpoint('a', GOOD)], {}, true);
  // As the router does: at once, while the checkpoints are still being read.
  shard.receive({ kind: 'endpoint.deleted', webhookId: 'wh_a' });
  await shard.time.pass(5_000);
  assert.equal(shard.network.arrivals.length, 0);
  assert.ok(shard.settled());
});

test('filters that changed while a shard was down apply to the retries that it left behind', async () => {
  const first = new SimulatedShard();
  first.network.receiver(GOOD, () => answers(500));
  const artifact = await sharedArtifact(steadyTimeline(1, 1));
  const before = endpoint('a', GOOD);
  first.start(artifact, [before]);
  await first.time.pass(900);
  first.kill();
  const second = new SimulatedShard(first.time, first.network, first.store, { name: 'shard-0', epoch: 2 });
  second.start(artifact, [{ ...before, filters: { drivers: ['VER'] } }], {}, true);
  await first.time.pass(60_000);
  assert.equal(first.network.arrivals.length, 1);
  assert.deepEqual(checkpointOf(second, 'a').skipped, { filtered: 1 });
});

test('I4: a shard that replaces one that died keeps the pace of a replay, however the wall clock was set', async () => {
  for (const stepMs of [-30 * 86_400_000, 30 * 86_400_000]) {
    const first = new SimulatedShard();
    first.network.receiver(GOOD, () => answers(200));
    const artifact = await sharedArtifact(steadyTimeline(100, 20));
    const pacedFromMs = first.time.nowMs();
    first.start(artifact, [endpoint('g', GOOD)], { pacedFromMs });
    await first.time.pass(990);
    first.kill();
    first.time.stepWall(stepMs);
    const second = new SimulatedShard(first.time, first.network, first.store, { name: 'shard-0', epoch: 2 });
    second.start(artifact, [endpoint('g', GOOD)], { pacedFromMs }, true);
    await first.time.pass(500);
    const sequences = new Set(first.network.arrivals.map(({ sequence }) => sequence));
    assert.equal(sequences.size, Math.floor(first.time.nowMs() / 20) + 1);
  }
});

test('I5: first attempts that were under way when a shard died are repeated before later ones, in order', async () => {
  const first = new SimulatedShard();
  first.network.receiver(GOOD, () => answers(200));
  const artifact = await sharedArtifact(steadyTimeline(60, 5));
  const endpoints = [endpoint('a', GOOD)];
  const pacedFromMs = first.time.nowMs();
  first.start(artifact, endpoints, { pacedFromMs });
  await first.time.pass(100);
  first.network.receiver(GOOD, () => ({ kind: 'hang' }));
  await first.time.pass(1_000);
  const pending = first.store.checkpoint('run_1', 'wh_a')!.pending.length;
  assert.ok(pending >= 2, `${pending} under way`);
  first.kill();
  const { length } = first.network.arrivals;
  first.network.receiver(GOOD, () => answers(200));
  const second = new SimulatedShard(first.time, first.network, first.store, { name: 'shard-0', epoch: 2 });
  second.start(artifact, endpoints, { pacedFromMs }, true);
  await first.time.pass(5_000);
  const sequences = first.network.arrivals.slice(length).map(({ sequence }) => sequence);
  assert.deepEqual(
    sequences,
    [...sequences].sort((a, b) => a - b),
  );
  assert.equal(sequences.at(-1), 60);
});

test('a wall clock that was set back does not stretch the delay of a resumed retry', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200));
  shard.store.put({
    ...newCheckpoint('run_1', 'wh_a'),
    nextPosition: 1,
    matched: 1,
    pending: [{ position: 0, attemptsMade: 1, dueAtMs: shard.time.wallMs() + 3_600_000 }],
  });
  shard.start(await sharedArtifact(steadyTimeline(1, 1)), [endpoint('a', GOOD)], {}, true);
  await shard.time.pass(2_000);
  assert.equal(checkpointOf(shard, 'a').delivered, 1);
});

test('an attempt that fails to start returns its slot, so that a drain ends', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(BAD, () => ({ kind: 'throw' }));
  shard.start(await sharedArtifact(steadyTimeline(50, 20)), [endpoint('b', BAD)]);
  await shard.time.pass(300);
  assert.ok(shard.problems.length > 0);
  shard.receive({ kind: 'drain' });
  await shard.time.pass(1_000);
  assert.ok(shard.heard.some(({ kind }) => kind === 'drained'));
});

test('S4: a drained shard starts nothing, neither a run whose checkpoints arrive late nor a new one', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200));
  const artifact = await sharedArtifact(steadyTimeline(5, 10));
  const late = shard.store.delayCheckpoints();
  shard.start(artifact, [endpoint('a', GOOD)], {}, true);
  shard.receive({ kind: 'drain' });
  await shard.time.pass(100);
  assert.ok(shard.heard.some(({ kind }) => kind === 'drained'));
  late();
  shard.start(artifact, [endpoint('b', GOOD)], { runId: 'run_2' });
  await shard.time.pass(1_000);
  assert.equal(shard.network.arrivals.length, 0);
});

test('an actor that cannot even refuse work ends its part of the run instead of failing for ever', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200));
  const senseless = { constructors: 'not a list' } as unknown as FilterSpec;
  const artifact = await sharedArtifact(steadyTimeline(50, 20));
  shard.start(artifact, [endpoint('b', GOOD, { filters: senseless }), endpoint('g', GOOD)]);
  await shard.time.pass(10_000);
  assert.ok(shard.problems.length <= 3 * ACTOR_RESTARTS_MAX, `${shard.problems.length} failures`);
  assert.equal(checkpointOf(shard, 'g').delivered, 50);
  assert.ok(shard.settled());
});

test('I5: resumed first attempts start in order, however the checkpoint lists them', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200));
  const positions = [4, 0, 3, 1, 2];
  shard.store.put({
    ...newCheckpoint('run_1', 'wh_a'),
    nextPosition: 5,
    matched: 5,
    pending: positions.map((position) => ({ position, attemptsMade: 0, dueAtMs: 0 })),
  });
  shard.start(await sharedArtifact(steadyTimeline(8, 1)), [endpoint('a', GOOD)], {}, true);
  await shard.time.pass(2_000);
  assert.deepEqual(
    shard.network.arrivals.map(({ sequence }) => sequence),
    [1, 2, 3, 4, 5, 6, 7, 8],
  );
});

test('a retry that fails to start returns its slot too', async () => {
  const shard = new SimulatedShard();
  let throws = 1;
  shard.network.receiver(BAD, ({ attempt }) => {
    if (attempt === 1) return answers(500);
    return throws-- > 0 ? { kind: 'throw' } : answers(200);
  });
  shard.start(await sharedArtifact(steadyTimeline(50, 100)), [endpoint('b', BAD)]);
  await shard.time.pass(1_500);
  assert.equal(shard.problems.length, 1);
  shard.receive({ kind: 'drain' });
  await shard.time.pass(1_000);
  assert.ok(shard.heard.some(({ kind }) => kind === 'drained'));
});

test('B2: a breaker that was open when a shard died is open on its successor', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(BAD, () => ({ kind: 'break', error: 'ECONNREFUSED', afterMs: 1 }));
  shard.store.put({ ...newCheckpoint('run_1', 'wh_a'), breaker: 'open' });
  shard.start(await sharedArtifact(steadyTimeline(100, 20)), [endpoint('a', BAD)], {}, true);
  await shard.time.pass(2_000);
  assert.equal(shard.network.arrivals.length, 1);
});

test('a run that was stopped while its shard was down is settled without another attempt', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200));
  shard.store.put({
    ...newCheckpoint('run_1', 'wh_a'),
    nextPosition: 2,
    matched: 2,
    pending: [
      { position: 0, attemptsMade: 1, dueAtMs: shard.time.wallMs() + 500 },
      { position: 1, attemptsMade: 0, dueAtMs: 0 },
    ],
  });
  shard.start(await sharedArtifact(steadyTimeline(5, 10)), [endpoint('a', GOOD)], {}, true);
  shard.receive({ kind: 'run.stop', runId: 'run_1', reason: 'stopped' });
  await shard.time.pass(2_000);
  assert.equal(shard.network.arrivals.length, 0);
  assertSettled(checkpointOf(shard, 'a'));
  assert.deepEqual(checkpointOf(shard, 'a').skipped, { stopped: 2 });
  assert.ok(shard.settled());
});

test('if checkpoints cannot be read, the shard tries again, and the run resumes', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200));
  shard.store.unreadable = 2;
  shard.start(await sharedArtifact(steadyTimeline(1, 1)), [endpoint('a', GOOD)], {}, true);
  await shard.time.pass(2 * RECORD_RETRY_MS_MAX + 1_000);
  assert.equal(shard.problems.length, 2);
  assert.equal(checkpointOf(shard, 'a').delivered, 1);
  assert.ok(shard.settled());
});

test('S10: a run whose checkpoints cannot be read is parked when they are: until then a predecessor may still write them', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200));
  shard.store.unreadable = 2;
  const isParked = () => shard.heard.some(({ kind }) => kind === 'run.parked');
  shard.start(await sharedArtifact(steadyTimeline(100, 1_000)), [endpoint('a', GOOD)], {}, true);
  await shard.time.pass(100);
  shard.receive({ kind: 'run.park', runId: 'run_1' });
  await shard.time.pass(RECORD_RETRY_MS_MAX);
  assert.equal(isParked(), false);
  await shard.time.pass(RECORD_RETRY_MS_MAX);
  assert.equal(isParked(), true);
  assert.equal(shard.network.arrivals.length, 0);
});
