import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EndpointSettings } from '#engine/endpoint/endpoint.ts';
import type { FilterSpec } from '#engine/filter/filter-spec.ts';
import {
  ACTOR_RESTARTS_MAX,
  BREAKER_FAILURES,
  DEADLINE_MS,
  IN_FLIGHT_START,
  MAILBOX_POSITIONS_MAX,
  RECORD_BUFFER_ATTEMPTS_MAX,
  RECORD_RETRY_MS_MAX,
  RETRIES_IN_FLIGHT_MAX,
  RETRYING_MAX,
  SHARD_IN_FLIGHT_MAX,
  SHARD_IN_FLIGHT_SHARED,
} from '#engine/limits.ts';
import type { Checkpoint } from '#engine/record/record-store.ts';
import { newCheckpoint } from '#engine/record/record-store.ts';
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

test('a deleted endpoint stays deleted for an actor that comes after a restart', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200));
  shard.start(await sharedArtifact(steadyTimeline(10, 100)), [endpoint('a', GOOD)], {}, true);
  // As the router hands it over: at once, while the checkpoints are still being read.
  shard.receive({ kind: 'endpoint.deleted', webhookId: 'wh_a' });
  await shard.time.pass(5_000);
  assert.equal(shard.network.arrivals.length, 0);
  assert.ok(shard.settled());
});

test('filters that changed while a shard was away hold for the retries it left behind', async () => {
  const first = new SimulatedShard();
  first.network.receiver(GOOD, () => answers(500));
  const artifact = await sharedArtifact(steadyTimeline(1, 1));
  const before = endpoint('a', GOOD);
  first.start(artifact, [before]);
  await first.time.pass(900);
  first.kill();
  const second = new SimulatedShard(first.time, first.network, first.store, 'shard-0-b');
  second.start(artifact, [{ ...before, filters: { drivers: ['VER'] } }], {}, true);
  await first.time.pass(60_000);
  assert.equal(first.network.arrivals.length, 1);
  assert.deepEqual(checkpointOf(second, 'a').skipped, { filtered: 1 });
});

test('I5: first attempts that were under way when a shard died come before later ones, in order', async () => {
  const first = new SimulatedShard();
  first.network.receiver(GOOD, () => answers(200));
  const artifact = await sharedArtifact(steadyTimeline(60, 5));
  const endpoints = [endpoint('a', GOOD)];
  const startedAtMs = first.time.wallMs();
  first.start(artifact, endpoints, { startedAtMs });
  await first.time.pass(100);
  first.network.receiver(GOOD, () => ({ kind: 'hang' }));
  await first.time.pass(1_000);
  const pending = first.store.checkpoint('run_1', 'wh_a')!.pending.length;
  assert.ok(pending >= 2, `${pending} under way`);
  first.kill();
  const { length } = first.network.arrivals;
  first.network.receiver(GOOD, () => answers(200));
  const second = new SimulatedShard(first.time, first.network, first.store, 'shard-0-b');
  second.start(artifact, endpoints, { startedAtMs }, true);
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

test('an attempt that fails to start gives its slot back, so that a drain ends', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(BAD, () => ({ kind: 'throw' }));
  shard.start(await sharedArtifact(steadyTimeline(50, 20)), [endpoint('b', BAD)]);
  await shard.time.pass(300);
  assert.ok(shard.troubles.length > 0);
  shard.receive({ kind: 'drain' });
  await shard.time.pass(1_000);
  assert.ok(shard.heard.some(({ kind }) => kind === 'drained'));
});

test('S4: a drained shard begins nothing, not even a run whose checkpoints come late or one that comes later', async () => {
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

test('an actor that cannot even give up ends its part of the run instead of failing for ever', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200));
  const senseless = { constructors: 'not a list' } as unknown as FilterSpec;
  const artifact = await sharedArtifact(steadyTimeline(50, 20));
  shard.start(artifact, [endpoint('b', GOOD, { filters: senseless }), endpoint('g', GOOD)]);
  await shard.time.pass(10_000);
  assert.ok(shard.troubles.length <= 3 * ACTOR_RESTARTS_MAX, `${shard.troubles.length} failures`);
  assert.equal(checkpointOf(shard, 'g').delivered, 50);
  assert.ok(shard.settled());
});

test('an endpoint whose settings make no sense at the start is left out, and the others are served', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200));
  const artifact = await sharedArtifact(steadyTimeline(5, 20));
  shard.start(artifact, [endpoint('b', GOOD, { url: 'not a url' }), endpoint('g', GOOD)]);
  await shard.time.pass(2_000);
  assert.equal(shard.troubles.length, 1);
  assert.equal(checkpointOf(shard, 'g').delivered, 5);
  assert.ok(shard.settled());
});

test('B2: an endpoint that hangs is probed again as soon as the last probe has timed out', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(BAD, ({ atMs }) =>
    atMs < 2_000 ? { kind: 'break', error: 'ECONNREFUSED', afterMs: 1 } : { kind: 'hang' },
  );
  shard.start(await sharedArtifact(steadyTimeline(800, 50)), [endpoint('a', BAD)]);
  await shard.time.pass(40_000);
  const probes = shard.network.at(BAD).filter(({ atMs }) => atMs > 2_000);
  const gaps = probes.slice(1).map(({ atMs }, index) => atMs - probes[index]!.atMs);
  assert.ok(gaps.length >= 2);
  for (const gap of gaps) assert.ok(gap >= DEADLINE_MS && gap <= DEADLINE_MS + 100, `a gap of ${gap} ms`);
});

test('one endpoint in two runs is delivered to in both, and a change reaches both', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200));
  const artifact = await sharedArtifact(steadyTimeline(50, 20));
  const settings = endpoint('a', GOOD);
  shard.start(artifact, [settings]);
  shard.start(artifact, [settings], { runId: 'run_2' });
  await shard.time.pass(505);
  shard.receive({ kind: 'endpoint.changed', settings: { ...settings, active: false } });
  await shard.time.pass(5_000);
  for (const runId of ['run_1', 'run_2']) {
    const checkpoint = shard.store.checkpoint(runId, 'wh_a')!;
    assertSettled(checkpoint);
    assert.equal(checkpoint.delivered, 26);
    assert.deepEqual(checkpoint.skipped, { paused: 24 });
    assert.ok(shard.settled(runId));
  }
  assert.equal(shard.network.openConnections, 0);
});

test('speed Infinity plays everything at once, in order', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200));
  const count = MAILBOX_POSITIONS_MAX * 4;
  const artifact = await sharedArtifact(steadyTimeline(count, 1_000));
  shard.start(artifact, [endpoint('a', GOOD)], { speed: Number.POSITIVE_INFINITY });
  await shard.time.pass(10_000);
  assert.deepEqual(
    shard.network.arrivals.map(({ sequence }) => sequence),
    Array.from({ length: count }, (_, index) => index + 1),
  );
  assertSettled(checkpointOf(shard, 'a'));
});

test('S3: with more endpoints than slots, whoever got none comes before those who have just given one back', async () => {
  const shard = new SimulatedShard();
  const count = SHARD_IN_FLIGHT_MAX + 100;
  const endpoints = Array.from({ length: count }, (_, index) => {
    const origin = `http://${index}.example`;
    shard.network.receiver(origin, () => answers(200, 100));
    return endpoint(`${index}`, origin);
  });
  shard.start(await sharedArtifact(steadyTimeline(6, 1)), endpoints, { speed: Number.POSITIVE_INFINITY });
  await shard.time.pass(150);
  assert.ok(shard.network.inFlightMost <= SHARD_IN_FLIGHT_MAX, 'I2');
  assert.equal(new Set(shard.network.arrivals.map(({ origin }) => origin)).size, count);
  await shard.time.pass(5_000);
  assert.equal(shard.network.arrivals.length, count * 6);
  assert.ok(shard.settled());
});

test('S3: near the bound an endpoint that hangs gets no further slot, and a healthy one gets its first', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(BAD, () => ({ kind: 'hang' }));
  shard.network.receiver(GOOD, () => answers(200));
  const hanging = Array.from({ length: SHARD_IN_FLIGHT_SHARED }, (_, index) => endpoint(`${index}`, BAD));
  shard.start(await sharedArtifact(steadyTimeline(3, 10)), [...hanging, endpoint('good', GOOD)]);
  await shard.time.pass(200);
  assert.equal(shard.network.at(GOOD).length, 3);
});

test('I2: while the records are full nothing starts, and when there is room again everything goes on', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200, 1));
  shard.store.trouble = 'refuse';
  const endpoints = Array.from({ length: 101 }, (_, index) => endpoint(`${index}`, GOOD));
  const artifact = await sharedArtifact(steadyTimeline(1_000, 1));
  shard.start(artifact, endpoints, { speed: Number.POSITIVE_INFINITY });
  await shard.time.pass(3_000);
  const sent = shard.network.arrivals.length;
  assert.ok(sent >= RECORD_BUFFER_ATTEMPTS_MAX && sent < 101_000, `${sent} sent`);
  await shard.time.pass(3_000);
  assert.equal(shard.network.arrivals.length, sent);
  shard.store.trouble = 'none';
  await shard.time.pass(30_000);
  assert.equal(shard.store.attempts.length, 101_000);
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

test('an attempt that fails after its run was stopped is not tried again, and the run ends at once', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(500, 100));
  shard.start(await sharedArtifact(steadyTimeline(1, 1)), [endpoint('a', GOOD)]);
  await shard.time.pass(50);
  shard.receive({ kind: 'run.stop', runId: 'run_1' });
  await shard.time.pass(500);
  assert.deepEqual(checkpointOf(shard, 'a').skipped, { stopped: 1 });
  assert.ok(shard.settled());
});

test('an endpoint that says it is overloaded gets one attempt at a time', async () => {
  for (const status of [429, 503]) {
    const shard = new SimulatedShard();
    shard.network.receiver(GOOD, () => answers(status, 100));
    shard.start(await sharedArtifact(steadyTimeline(8, 1)), [endpoint('a', GOOD)]);
    await shard.time.pass(750);
    const startedAtMs = firsts(shard.network.at(GOOD)).map(({ atMs }) => atMs);
    for (let i = 3; i < startedAtMs.length; i++) assert.ok(startedAtMs[i]! - startedAtMs[i - 1]! >= 100);
    assert.ok(startedAtMs.length > 4);
  }
});

test('a further attempt that fails to start gives its slot back as well', async () => {
  const shard = new SimulatedShard();
  let throws = 1;
  shard.network.receiver(BAD, ({ attempt }) => {
    if (attempt === 1) return answers(500);
    return throws-- > 0 ? { kind: 'throw' } : answers(200);
  });
  shard.start(await sharedArtifact(steadyTimeline(50, 100)), [endpoint('b', BAD)]);
  await shard.time.pass(1_500);
  assert.equal(shard.troubles.length, 1);
  shard.receive({ kind: 'drain' });
  await shard.time.pass(1_000);
  assert.ok(shard.heard.some(({ kind }) => kind === 'drained'));
});

test('I2: updates that wait for a further attempt are bounded, and further attempts have slots of their own', async () => {
  const shard = new SimulatedShard();
  const count = RETRYING_MAX * 3;
  shard.network.receiver(GOOD, ({ sequence, attempt }) => {
    if (attempt === 1) return answers(sequence % 2 === 0 ? 500 : 200, 1);
    return answers(200, 100);
  });
  shard.start(await sharedArtifact(steadyTimeline(count, 1)), [endpoint('a', GOOD)], {
    speed: Number.POSITIVE_INFINITY,
  });
  await shard.time.pass(2_500);
  const { pending } = checkpointOf(shard, 'a');
  assert.ok(pending.length > RETRYING_MAX / 2 && pending.length <= RETRYING_MAX, `${pending.length} pending`);
  await shard.time.pass(600_000);
  const again = shard.network.arrivals.filter(({ attempt }) => attempt > 1);
  const atOnce = again.map(({ atMs }) => again.filter((other) => other.atMs <= atMs && other.atMs > atMs - 100).length);
  assert.ok(Math.max(...atOnce) <= RETRIES_IN_FLIGHT_MAX, `${Math.max(...atOnce)} at once`);
  assertSettled(checkpointOf(shard, 'a'));
  assert.equal(checkpointOf(shard, 'a').delivered, count);
});

test('B2: a breaker that was open when a shard died is open for the next one', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(BAD, () => ({ kind: 'break', error: 'ECONNREFUSED', afterMs: 1 }));
  shard.store.put({ ...newCheckpoint('run_1', 'wh_a'), breaker: 'open' });
  shard.start(await sharedArtifact(steadyTimeline(100, 20)), [endpoint('a', BAD)], {}, true);
  await shard.time.pass(2_000);
  assert.equal(shard.network.arrivals.length, 1);
});

test('a run that was stopped while its shard was away is settled without a further attempt', async () => {
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
  shard.receive({ kind: 'run.stop', runId: 'run_1' });
  await shard.time.pass(2_000);
  assert.equal(shard.network.arrivals.length, 0);
  assertSettled(checkpointOf(shard, 'a'));
  assert.deepEqual(checkpointOf(shard, 'a').skipped, { stopped: 2 });
  assert.ok(shard.settled());
});

test('a run is settled only once everything is written down', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200));
  shard.store.trouble = 'refuse';
  shard.start(await sharedArtifact(steadyTimeline(5, 10)), [endpoint('a', GOOD)]);
  await shard.time.pass(5_000);
  assert.equal(shard.network.arrivals.length, 5);
  assert.equal(shard.settled(), false);
  shard.store.trouble = 'none';
  await shard.time.pass(6_000);
  assert.ok(shard.settled());
  assertSettled(checkpointOf(shard, 'a'));
});

test('checkpoints that cannot be read are asked for again, and the run goes on', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200));
  shard.store.unreadable = 2;
  shard.start(await sharedArtifact(steadyTimeline(1, 1)), [endpoint('a', GOOD)], {}, true);
  await shard.time.pass(2 * RECORD_RETRY_MS_MAX + 1_000);
  assert.equal(shard.troubles.length, 2);
  assert.equal(checkpointOf(shard, 'a').delivered, 1);
  assert.ok(shard.settled());
});

test('an endpoint is held as long as one of its runs goes on, and no longer', async () => {
  const shard = new SimulatedShard();
  for (const origin of [GOOD, BAD]) shard.network.receiver(origin, () => answers(200));
  const artifact = await sharedArtifact(steadyTimeline(20, 50));
  const settings = endpoint('a', GOOD);
  shard.start(artifact, [settings]);
  shard.start(artifact, [settings], { runId: 'run_2' });
  await shard.time.pass(110);
  shard.receive({ kind: 'run.stop', runId: 'run_1' });
  await shard.time.pass(500);
  assert.ok(shard.settled('run_1'));
  shard.receive({ kind: 'endpoint.changed', settings: { ...settings, url: `${BAD}/x` } });
  await shard.time.pass(2_000);
  assert.ok(shard.network.at(BAD).length > 0, 'the change reaches the other run');
  assert.ok(shard.settled('run_2'));
  const before = shard.network.at(GOOD).length;
  shard.start(artifact, [settings], { runId: 'run_3' });
  await shard.time.pass(2_000);
  assert.equal(shard.network.at(GOOD).length, before + 20, 'a later run brings its own settings');
});
