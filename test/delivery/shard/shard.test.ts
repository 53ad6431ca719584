// A shard that delivers: pace, order, retries, the breaker, bounds, and its records.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  DEADLINE_MS,
  FURTHER_SLOTS_PER_FREE_MAX,
  MAILBOX_POSITIONS_MAX,
  RECORD_BUFFER_ATTEMPTS_MAX,
  RETRIES_IN_FLIGHT_MAX,
  RETRYING_MAX,
  SHARD_IN_FLIGHT_MAX,
  TURN_SLICE_MS,
} from '#engine/base/limits.ts';
import { BREAKER_FAILURES } from '#engine/delivery/endpoint/breaker.ts';
import { IN_FLIGHT_START } from '#engine/delivery/endpoint/in-flight-cap.ts';
import { logRow } from '#test/support/log-row.ts';
import { assertSettled, BAD, checkpointOf, endpoint, firsts, GOOD } from '#test/support/shard-endpoints.ts';
import { answers } from '#test/support/simulated-network.ts';
import { SimulatedShard } from '#test/support/simulated-shard.ts';
import { sharedArtifact, steadyTimeline } from '#test/support/timelines.ts';

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

test('the wait for a connection does not count as the latency of the endpoint: its in-flight cap still grows', async () => {
  const shard = new SimulatedShard();
  const connectingMs = ({ sequence }: { readonly sequence: number }): number => (sequence === 1 ? 0 : 50);
  shard.network.connectingMs = connectingMs;
  shard.network.receiver(GOOD, (arrival) => answers(200, connectingMs(arrival) + 2));
  shard.start(await sharedArtifact(steadyTimeline(200, 1)), [endpoint('a', GOOD)]);
  await shard.time.pass(10_000);
  assertSettled(checkpointOf(shard, 'a'));
  assert.ok(shard.network.inFlightMost > 8, `${shard.network.inFlightMost} in flight at most`);
});

test('HC5: no more attempts are under way than the connections have use for, and none is lost', async () => {
  const shard = new SimulatedShard();
  shard.network.usefulInFlight = 2;
  shard.network.receiver(GOOD, () => answers(200, 1));
  shard.start(await sharedArtifact(steadyTimeline(200, 0)), [endpoint('a', GOOD)]);
  await shard.time.pass(10_000);
  assert.equal(shard.network.inFlightMost, 2);
  assertSettled(checkpointOf(shard, 'a'));
  assert.equal(checkpointOf(shard, 'a').delivered, 200);
});

test('every response that arrives while updates wait for the cap raises it, also several at once', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200, 100));
  shard.start(await sharedArtifact(steadyTimeline(64, 0)), [endpoint('a', GOOD)]);
  await shard.time.pass(10_000);
  const sentAt = new Set(shard.network.at(GOOD).map(({ atMs }) => atMs));
  assert.equal(sentAt.size, 4, '2, 8 and 32 attempts, then the rest: a round trip each');
});

test('a far endpoint starts its next run with the slots and the connections that it needed in the last one', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200, 100));
  const timeline = await sharedArtifact(steadyTimeline(30, 0));
  const pacedFromMs = (): number => shard.time.nowMs() + 1_000;
  shard.start(timeline, [endpoint('a', GOOD)], { runId: 'run_1', runNo: 1, pacedFromMs: pacedFromMs() });
  await shard.time.pass(10_000);
  const first = shard.network.arrivals.length;
  const needed = shard.network.inFlightMost;
  assert.deepEqual(shard.network.warmed, [GOOD]);
  shard.start(timeline, [endpoint('a', GOOD)], { runId: 'run_2', runNo: 2, pacedFromMs: pacedFromMs() });
  await shard.time.pass(10_000);
  const atOnce = shard.network.arrivals.filter(({ atMs }) => atMs === shard.network.arrivals[first]!.atMs);
  assert.equal(atOnce.length, needed);
  assert.equal(shard.network.warmed.length, 1 + needed);
  assert.deepEqual(
    shard.network.connected.map(({ distanceMs }) => distanceMs > 0),
    [true, true],
    'its requests do not wait for connections in use',
  );
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

test('I3: a response after the deadline changes nothing, and the attempt counts as a timeout', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(BAD, ({ attempt }) => answers(200, attempt === 1 ? DEADLINE_MS + 50 : 5));
  shard.start(await sharedArtifact(steadyTimeline(1, 1)), [endpoint('a', BAD)]);
  await shard.time.pass(30_000);
  assert.deepEqual(
    shard.store.attempts.map(logRow).map(({ error, statusCode }) => error ?? statusCode),
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

test('B1, B2, B3: a dead endpoint is paused for the run and probed, and resumes when it recovers', async () => {
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

test('dead endpoints do not delay a healthy one', async () => {
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

test('the first attempt of a run is reported once', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200));
  shard.start(await sharedArtifact(steadyTimeline(5, 10)), [endpoint('a', GOOD), endpoint('b', GOOD)]);
  await shard.time.pass(1_000);
  assert.equal(shard.heard.filter(({ kind }) => kind === 'run.first-attempt').length, 1);
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

test('an endpoint in two runs gets both, and a change applies to both', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200));
  const artifact = await sharedArtifact(steadyTimeline(50, 20));
  const settings = endpoint('a', GOOD);
  shard.start(artifact, [settings]);
  shard.start(artifact, [settings], { runId: 'run_2' });
  await shard.time.pass(505);
  shard.receive({ kind: 'endpoints.changed', settings: [{ ...settings, active: false }] });
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

test('S3: with more endpoints than slots, an endpoint without one comes before those that have just returned one', async () => {
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

test('S7: an endpoint that keeps up is late by a slice of turns at most, however many others catch up', async () => {
  const shard = new SimulatedShard();
  shard.network.sendingMs = 0.05;
  const behind = Array.from({ length: 300 }, (_, index) => {
    const origin = `http://${index}.example`;
    shard.network.receiver(origin, () => answers(200, 1));
    return endpoint(`behind${index}`, origin);
  });
  shard.network.receiver(GOOD, () => answers(200, 1));
  const hourAgo = shard.time.nowMs() - 3_600_000;
  shard.start(await sharedArtifact(steadyTimeline(200, 0)), behind, { pacedFromMs: hourAgo });
  const order = { runId: 'run_2', runNo: 2 };
  shard.start(await sharedArtifact(steadyTimeline(100, 20)), [endpoint('prompt', GOOD)], order);
  await shard.time.pass(20_000);
  const lags = shard.network.at(GOOD).map(({ sequence, atMs }) => atMs - (sequence - 1) * 20);
  assert.equal(lags.length, 100);
  // The others are not behind before their first turn.
  const latest = Math.max(...lags.slice(10));
  assert.ok(latest <= 2 * TURN_SLICE_MS, `${latest} ms late`);
  const caughtUp = shard.network.arrivals.length - lags.length;
  assert.ok(caughtUp > 10_000, `those behind got ${caughtUp} updates in the meantime`);
});

test('S3: near the bound a hanging endpoint gets no more slots, and a healthy one gets its first', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(BAD, () => ({ kind: 'hang' }));
  shard.network.receiver(GOOD, () => answers(200));
  const shared = (SHARD_IN_FLIGHT_MAX * FURTHER_SLOTS_PER_FREE_MAX) / (FURTHER_SLOTS_PER_FREE_MAX + 1);
  const hanging = Array.from({ length: shared }, (_, index) => endpoint(`${index}`, BAD));
  shard.start(await sharedArtifact(steadyTimeline(3, 10)), [...hanging, endpoint('good', GOOD)]);
  await shard.time.pass(200);
  assert.equal(shard.network.at(GOOD).length, 3);
});

test('S6: while more actors wait than fit into a slice no endpoint gets a second slot; afterwards every endpoint does', async () => {
  const shard = new SimulatedShard();
  shard.network.sendingMs = 1;
  const origins = Array.from({ length: 60 }, (_, index) => `http://endpoint-${index}.example`);
  for (const origin of origins) shard.network.receiver(origin, () => answers(200, 60_000));
  const endpoints = origins.map((origin, index) => endpoint(`${index}`, origin));
  shard.start(await sharedArtifact(steadyTimeline(10, 1)), endpoints, { speed: Number.POSITIVE_INFINITY });
  await shard.time.pass(1_000);
  const order = shard.network.arrivals.map(({ origin }) => origins.indexOf(origin));
  // The first slice, in which the number of waiting actors is not known yet, and those after it.
  assert.deepEqual(order.slice(0, 4), [0, 0, 1, 1]);
  const firstOfLast = order.indexOf(59);
  for (let index = 20; index < 60; index++) {
    assert.ok(
      order.indexOf(index, order.indexOf(index) + 1) > firstOfLast,
      `endpoint ${index} has waited for the last one`,
    );
    assert.equal(order.filter((other) => other === index).length, IN_FLIGHT_START);
  }
});

test('S6: a far endpoint gets more slots even while the thread is the bottleneck', async () => {
  const shard = new SimulatedShard();
  const near = Array.from({ length: 200 }, (_, index) => `http://near-${index}.example`);
  for (const origin of near) shard.network.receiver(origin, () => answers(200, 1));
  shard.network.receiver(GOOD, () => answers(200, 200));
  const endpoints = [endpoint('far', GOOD), ...near.map((origin, index) => endpoint(`${index}`, origin))];
  shard.start(await sharedArtifact(steadyTimeline(3_000, 1)), endpoints, { speed: Number.POSITIVE_INFINITY });
  shard.network.sendingMs = 1;
  // It has responded, so its latency is known.
  await shard.time.pass(1_000);
  const before = shard.network.at(GOOD).length;
  await shard.time.pass(4_000);
  const attempts = shard.network.at(GOOD).length - before;
  assert.ok(attempts > 2 * 20, `${attempts} in four seconds, with one at a time at most 20`);
});

test('I2: while the record buffer is full nothing starts, and with room again everything resumes', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200, 1));
  shard.store.fault = 'refuse';
  const endpoints = Array.from({ length: 101 }, (_, index) => endpoint(`${index}`, GOOD));
  const artifact = await sharedArtifact(steadyTimeline(1_000, 1));
  shard.start(artifact, endpoints, { speed: Number.POSITIVE_INFINITY });
  await shard.time.pass(3_000);
  const sent = shard.network.arrivals.length;
  assert.ok(sent >= RECORD_BUFFER_ATTEMPTS_MAX && sent < 101_000, `${sent} sent`);
  await shard.time.pass(3_000);
  assert.equal(shard.network.arrivals.length, sent);
  const told = () => shard.heard.flatMap((message) => (message.kind === 'records' ? [message.full] : []));
  assert.deepEqual(told(), [true], 'readiness checks learn of it');
  shard.store.fault = 'none';
  await shard.time.pass(30_000);
  assert.deepEqual([told()[1], told().at(-1)], [false, false]);
  assert.equal(shard.store.attempts.length, 101_000);
  assert.ok(shard.settled());
});

test('an endpoint that responds with 429 or 503 gets one attempt at a time', async () => {
  for (const status of [429, 503]) {
    const shard = new SimulatedShard();
    shard.network.receiver(GOOD, () => answers(status, 100));
    shard.start(await sharedArtifact(steadyTimeline(8, 1)), [endpoint('a', GOOD)]);
    await shard.time.pass(750);
    const pacedFromMs = firsts(shard.network.at(GOOD)).map(({ atMs }) => atMs);
    for (let i = 3; i < pacedFromMs.length; i++) assert.ok(pacedFromMs[i]! - pacedFromMs[i - 1]! >= 100);
    assert.ok(pacedFromMs.length > 4);
  }
});

test('I2: updates that wait for a retry are bounded, and retries have slots of their own', async () => {
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

test('a run is settled only once everything is recorded', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200));
  shard.store.fault = 'refuse';
  shard.start(await sharedArtifact(steadyTimeline(5, 10)), [endpoint('a', GOOD)]);
  await shard.time.pass(5_000);
  assert.equal(shard.network.arrivals.length, 5);
  assert.equal(shard.settled(), false);
  shard.store.fault = 'none';
  await shard.time.pass(6_000);
  assert.ok(shard.settled());
  assertSettled(checkpointOf(shard, 'a'));
});
