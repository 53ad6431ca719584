import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EndpointSettings } from '#engine/endpoint/endpoint.ts';
import { BREAKER_FAILURES, DEADLINE_MS, IN_FLIGHT_START, MAILBOX_POSITIONS_MAX } from '#engine/limits.ts';
import type { Checkpoint } from '#engine/record/record-store.ts';
import { endpointSettings } from '#test/support/endpoints.ts';
import { type Arrival, answers } from '#test/support/simulated-network.ts';
import { SimulatedShard } from '#test/support/simulated-shard.ts';
import { sharedArtifact, steadyTimeline } from '#test/support/timelines.ts';

const GOOD = 'http://good.example';
const BAD = 'http://bad.example';

function endpoint(name: string, origin: string, changes: Partial<EndpointSettings> = {}): EndpointSettings {
  return endpointSettings({
    webhookId: `wh_${name}`,
    webhookNo: name.charCodeAt(0),
    url: `${origin}/hook`,
    ...changes,
  });
}

function checkpointOf(shard: SimulatedShard, name: string): Checkpoint {
  const checkpoint = shard.store.checkpoint('run_1', `wh_${name}`);
  assert.ok(checkpoint, `wh_${name} has a checkpoint`);
  return checkpoint;
}

/** I1 for an endpoint whose run is settled. */
function assertSettled(checkpoint: Checkpoint): void {
  const skipped = Object.values(checkpoint.skipped).reduce((sum, count) => sum + count, 0);
  assert.equal(checkpoint.matched, checkpoint.delivered + checkpoint.failed + skipped, 'I1: the sum is exact');
  assert.deepEqual(checkpoint.pending, []);
}

const firsts = (arrivals: readonly Arrival[]): Arrival[] => arrivals.filter(({ attempt }) => attempt === 1);

test('I5: a healthy endpoint gets every update once, in order, none before it is due', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200));
  shard.start(await sharedArtifact(steadyTimeline(100, 20)), [endpoint('a', GOOD)]);
  await shard.time.pass(10_000);
  const arrivals = shard.network.at(GOOD);
  assert.deepEqual(
    arrivals.map(({ sequence }) => sequence),
    Array.from({ length: 100 }, (_, index) => index + 1),
  );
  for (const { sequence, atMs } of arrivals) assert.ok(atMs >= (sequence - 1) * 20, `update ${sequence} at ${atMs}`);
  const checkpoint = checkpointOf(shard, 'a');
  assertSettled(checkpoint);
  assert.equal(checkpoint.delivered, 100);
  assert.ok(shard.settled());
  assert.equal(shard.network.openConnections, 0, 'connections are closed with the run');
});

test('speed divides the time between updates', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200));
  shard.start(await sharedArtifact(steadyTimeline(11, 1_000)), [endpoint('a', GOOD)], { speed: 10 });
  await shard.time.pass(999);
  assert.equal(shard.network.arrivals.length, 10);
  await shard.time.pass(1);
  assert.equal(shard.network.arrivals.length, 11);
});

test('I4: a failing update is tried after 0, 1, 5 and 30 seconds, then it has failed', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(BAD, () => answers(500));
  shard.start(await sharedArtifact(steadyTimeline(1, 1)), [endpoint('a', BAD)]);
  await shard.time.pass(60_000);
  const attempts = shard.network.at(BAD);
  assert.deepEqual(
    attempts.map(({ attempt }) => attempt),
    [1, 2, 3, 4],
  );
  const gaps = attempts.slice(1).map(({ atMs }, index) => atMs - attempts[index]!.atMs - 5);
  for (const [index, delayMs] of [1_000, 5_000, 30_000].entries()) {
    assert.ok(gaps[index]! >= delayMs && gaps[index]! < delayMs + 20, `gap ${gaps[index]}`);
  }
  assert.equal(new Set(attempts.map(({ headers }) => headers.get('webhook-id'))).size, 1, 'one delivery id');
  assert.equal(checkpointOf(shard, 'a').failed, 1);
  assertSettled(checkpointOf(shard, 'a'));
});

test('a retry never holds back later updates', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, ({ sequence, attempt }) => answers(sequence === 1 && attempt < 4 ? 500 : 200));
  shard.start(await sharedArtifact(steadyTimeline(50, 10)), [endpoint('a', GOOD)]);
  await shard.time.pass(900);
  assert.equal(firsts(shard.network.at(GOOD)).length, 50);
  await shard.time.pass(60_000);
  assert.equal(checkpointOf(shard, 'a').delivered, 50);
});

test('I3: an answer after the deadline changes nothing, and the attempt counts as a timeout', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(BAD, ({ attempt }) => answers(200, attempt === 1 ? DEADLINE_MS + 50 : 5));
  shard.start(await sharedArtifact(steadyTimeline(1, 1)), [endpoint('a', BAD)]);
  await shard.time.pass(30_000);
  assert.deepEqual(
    shard.store.attempts.map(({ error, statusCode }) => error ?? statusCode),
    ['timeout', 200],
  );
  assert.ok(shard.store.attempts[0]!.latencyMs >= DEADLINE_MS);
  assert.equal(checkpointOf(shard, 'a').delivered, 1);
});

test('a hanging endpoint never has more in flight than its cap, and loses nothing when it comes back', async () => {
  const shard = new SimulatedShard();
  let hanging = true;
  shard.network.receiver(BAD, () => (hanging ? { kind: 'hang' } : answers(200)));
  const count = MAILBOX_POSITIONS_MAX * 3;
  shard.start(await sharedArtifact(steadyTimeline(count, 1)), [endpoint('a', BAD)]);
  await shard.time.pass(5_000);
  assert.equal(shard.network.inFlight, IN_FLIGHT_START);
  hanging = false;
  await shard.time.pass(120_000);
  const checkpoint = checkpointOf(shard, 'a');
  assertSettled(checkpoint);
  assert.equal(checkpoint.delivered, count);
  const sequences = firsts(shard.network.at(BAD)).map(({ sequence }) => sequence);
  assert.deepEqual(
    sequences,
    Array.from({ length: count }, (_, index) => index + 1),
    'I5',
  );
});

test('B1, B2, B3: a dead endpoint is paused for the run, probed, and comes back', async () => {
  const shard = new SimulatedShard();
  const downUntilMs = 10_000;
  shard.network.receiver(BAD, ({ atMs }) =>
    atMs < downUntilMs ? { kind: 'break', error: 'ECONNREFUSED', afterMs: 1 } : answers(200),
  );
  shard.start(await sharedArtifact(steadyTimeline(400, 50)), [endpoint('a', BAD)]);
  await shard.time.pass(9_000);
  const early = shard.network.at(BAD);
  assert.ok(early.length <= BREAKER_FAILURES + 10, `${early.length} attempts while down`);
  assert.equal(checkpointOf(shard, 'a').breaker, 'open');
  await shard.time.pass(60_000);
  const checkpoint = checkpointOf(shard, 'a');
  assertSettled(checkpoint);
  assert.equal(checkpoint.breaker, 'closed');
  assert.ok(checkpoint.skipped.breaker_open! > 0);
  assert.ok(checkpoint.delivered >= 130, `${checkpoint.delivered} after it came back`);
});

test('dead endpoints do not move a healthy one', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200));
  shard.network.receiver(BAD, () => ({ kind: 'hang' }));
  const dead = Array.from({ length: 50 }, (_, index) => endpoint(`${index}`, BAD));
  shard.start(await sharedArtifact(steadyTimeline(200, 10)), [...dead, endpoint('healthy', GOOD)]);
  await shard.time.pass(5_000);
  const late = shard.network.at(GOOD).map(({ sequence, atMs }) => atMs - (sequence - 1) * 10);
  assert.equal(late.length, 200);
  assert.equal(Math.max(...late), 0);
});

test('a paused endpoint gets nothing, not even retries, and goes on when it is active again', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, ({ sequence }) => answers(sequence === 1 ? 500 : 200));
  const active = endpoint('a', GOOD);
  shard.start(await sharedArtifact(steadyTimeline(100, 100)), [active]);
  await shard.time.pass(550);
  shard.receive({ kind: 'endpoint.changed', settings: { ...active, active: false } });
  await shard.time.pass(4_000);
  assert.equal(shard.network.at(GOOD).length, 6);
  shard.receive({ kind: 'endpoint.changed', settings: active });
  await shard.time.pass(60_000);
  const checkpoint = checkpointOf(shard, 'a');
  assertSettled(checkpoint);
  assert.equal(checkpoint.skipped.paused, 41, '40 first attempts and the retry of the first update');
  assert.equal(checkpoint.delivered, 59);
});

test('I8: after a rotation the next attempt is signed with the new secret', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(500));
  const old = endpoint('a', GOOD);
  shard.start(await sharedArtifact(steadyTimeline(1, 1)), [old]);
  await shard.time.pass(100);
  shard.receive({ kind: 'endpoint.changed', settings: { ...old, secret: 'whsec_bmV3' } });
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
  shard.receive({ kind: 'endpoint.changed', settings: { ...before, url: `${GOOD}/new?x=1`, method: 'put' } });
  await shard.time.pass(2_000);
  const [arrival] = shard.network.at(GOOD);
  assert.equal(arrival!.path, '/new?x=1');
  assert.equal(arrival!.method, 'PUT');
  assert.equal(arrival!.attempt, 2);
});

test('filters are evaluated again before a further attempt', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(500));
  const before = endpoint('a', GOOD);
  shard.start(await sharedArtifact(steadyTimeline(1, 1)), [before]);
  await shard.time.pass(100);
  shard.receive({ kind: 'endpoint.changed', settings: { ...before, filters: { drivers: ['VER'] } } });
  await shard.time.pass(60_000);
  assert.equal(shard.network.at(GOOD).length, 1);
  assert.deepEqual(checkpointOf(shard, 'a').skipped, { filtered: 1 });
});

test('a deleted endpoint gets no further attempt and settles its part of the run', async () => {
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

test('a stopped run starts nothing more, lets what is in flight end, and counts the rest as stopped', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, ({ sequence }) => answers(sequence === 3 ? 500 : 200, 50));
  shard.start(await sharedArtifact(steadyTimeline(100, 100)), [endpoint('a', GOOD)]);
  await shard.time.pass(420);
  shard.receive({ kind: 'run.stop', runId: 'run_1' });
  await shard.time.pass(1_000);
  const checkpoint = checkpointOf(shard, 'a');
  assertSettled(checkpoint);
  assert.equal(checkpoint.matched, 5);
  assert.equal(checkpoint.delivered, 4, 'the fifth was in flight and ended well');
  assert.deepEqual(checkpoint.skipped, { stopped: 1 });
  assert.ok(shard.settled());
});

test('I9: an actor that throws is restarted from its checkpoint, loses nothing and harms no other', async () => {
  const shard = new SimulatedShard();
  let throwing = 1;
  shard.network.receiver(BAD, ({ sequence }) => (sequence === 30 && throwing-- > 0 ? { kind: 'throw' } : answers(200)));
  shard.network.receiver(GOOD, () => answers(200));
  shard.start(await sharedArtifact(steadyTimeline(100, 20)), [endpoint('b', BAD), endpoint('g', GOOD)]);
  await shard.time.pass(10_000);
  assert.equal(shard.troubles.length, 1);
  assert.equal(new Set(shard.network.at(BAD).map(({ sequence }) => sequence)).size, 100);
  assertSettled(checkpointOf(shard, 'b'));
  assert.equal(checkpointOf(shard, 'b').delivered, 100);
  assert.equal(shard.network.at(GOOD).length, 100);
});

test('an actor that keeps throwing is given up, and what falls due is counted', async () => {
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

test('I9: a shard that dies is replaced by one that goes on from the checkpoints, repeating at most the last batch', async () => {
  const first = new SimulatedShard();
  first.network.receiver(GOOD, () => answers(200));
  first.network.receiver(BAD, ({ sequence, attempt }) => answers(sequence % 7 === 0 && attempt === 1 ? 500 : 200));
  const artifact = await sharedArtifact(steadyTimeline(400, 20));
  const endpoints = [endpoint('b', BAD), endpoint('g', GOOD)];
  const startedAtMs = first.time.wallMs();
  first.start(artifact, endpoints, { startedAtMs });
  await first.time.pass(3_010);
  first.kill();
  const second = new SimulatedShard(first.time, first.network, first.store, 'shard-0-b');
  second.start(artifact, endpoints, { startedAtMs }, true);
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

test('I10: usage counts equal the attempts in the delivery log, by feed', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, ({ sequence, attempt }) => answers(sequence % 5 === 0 && attempt === 1 ? 503 : 200));
  shard.start(await sharedArtifact(steadyTimeline(100, 20)), [endpoint('a', GOOD)]);
  await shard.time.pass(60_000);
  const usage = [...shard.store.usage.values()];
  assert.equal(usage.length, 1);
  assert.equal(usage[0]!.attempts, shard.store.attempts.length);
  assert.equal(usage[0]!.attempts, 120);
  assert.equal(usage[0]!.succeeded, 100);
  assert.equal(usage[0]!.failed, 20);
});

test('a drained shard ends what is in flight, writes it down and starts nothing more', async () => {
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

test('the first attempt of a run is told once', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200));
  shard.start(await sharedArtifact(steadyTimeline(5, 10)), [endpoint('a', GOOD), endpoint('b', GOOD)]);
  await shard.time.pass(1_000);
  assert.equal(shard.heard.filter(({ kind }) => kind === 'run.first-attempt').length, 1);
});

test('settings that make no sense are refused, and the endpoint goes on with the old ones', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200));
  const settings = endpoint('a', GOOD);
  shard.start(await sharedArtifact(steadyTimeline(20, 50)), [settings]);
  await shard.time.pass(500);
  shard.receive({ kind: 'endpoint.changed', settings: { ...settings, url: 'not a url' } });
  await shard.time.pass(5_000);
  assert.equal(shard.troubles.length, 1);
  assert.equal(checkpointOf(shard, 'a').delivered, 20);
});
