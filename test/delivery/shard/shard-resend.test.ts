// A shard that sends updates of an earlier run again.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BREAKER_FAILURES } from '#engine/delivery/endpoint/breaker.ts';
import type { RunOrder } from '#engine/delivery/run-order.ts';
import { WrittenTimeline } from '#test/support/live-timelines.ts';
import { assertSettled, BAD, endpoint, firsts, GOOD } from '#test/support/shard-endpoints.ts';
import { answers } from '#test/support/simulated-network.ts';
import { SimulatedShard } from '#test/support/simulated-shard.ts';
import { sharedArtifact, steadyTimeline } from '#test/support/timelines.ts';

const LIVE = { mode: 'live', speed: Number.POSITIVE_INFINITY } as const;

function resendOf(runId: string | null, positions: readonly number[]): Partial<RunOrder> {
  return {
    ...(runId === null ? LIVE : { speed: 2 }),
    runId: 'run_again',
    runNo: 2,
    resend: { of: runId === null ? null : { runId, speed: 2 }, positions: Uint32Array.from(positions) },
  };
}

function headersOf(shard: SimulatedShard, name: string): (string | undefined)[] {
  return shard.network.at(GOOD).map(({ headers }) => headers.get(name));
}

test('the updates of a replay go out again at once, in order, with the ids and headers that they had, and one more', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200));
  const artifact = await sharedArtifact(steadyTimeline(60, 1_000));
  shard.start(artifact, [endpoint('a', GOOD)], { speed: 2 });
  await shard.time.pass(60_000);
  const first = shard.network.at(GOOD);
  shard.start(artifact, [endpoint('a', GOOD)], resendOf('run_1', [3, 4, 17, 59]));
  await shard.time.pass(1_000);
  assert.ok(shard.settled('run_again'));
  const again = shard.network.at(GOOD).slice(60);
  assert.deepEqual(
    again.map(({ sequence }) => sequence),
    [4, 5, 18, 60],
  );
  for (const { sequence, headers } of again) {
    const before = new Map(first[sequence - 1]!.headers);
    assert.equal(headers.get('x-service-resend'), 'run_again');
    for (const name of [...before.keys()].filter((name) => !name.startsWith('webhook-')))
      assert.equal(headers.get(name), before.get(name), name);
    assert.equal(headers.get('webhook-id'), before.get('webhook-id'));
  }
  assert.equal(headersOf(shard, 'x-service-resend').slice(0, 60).join(''), '');
  const checkpoint = shard.store.checkpoint('run_again', 'wh_a')!;
  assertSettled(checkpoint);
  assert.deepEqual([checkpoint.matched, checkpoint.delivered, checkpoint.nextPosition], [4, 4, 60]);
});

test('RE3: beside a live session a resend has the mode and ids of live delivery, and changes nothing of its order', async () => {
  const shard = new SimulatedShard();
  let status = 503;
  shard.network.receiver(GOOD, () => answers(status));
  const live = new WrittenTimeline();
  shard.start(live.memory, [endpoint('a', GOOD)], LIVE);
  live.publish(30, shard.time.nowMs());
  shard.published();
  await shard.time.pass(60_000);
  assert.equal(shard.store.checkpoint('run_1', 'wh_a')!.failed, 30);
  status = 200;
  const lost = shard.network.arrivals.length;
  shard.start(
    live.memory,
    [endpoint('a', GOOD)],
    resendOf(
      null,
      Array.from({ length: 30 }, (_, index) => index),
    ),
  );
  for (let count = 0; count < 10; count++) {
    live.publish(3, shard.time.nowMs());
    shard.published();
    await shard.time.pass(7);
  }
  await shard.time.pass(5_000);
  const since = shard.network.arrivals.slice(lost);
  const sequences = (resent: boolean): number[] =>
    since.filter(({ headers }) => headers.has('x-service-resend') === resent).map(({ sequence }) => sequence);
  const upTo = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);
  assert.deepEqual([sequences(true), sequences(false)], [upTo(1, 30), upTo(31, 60)]);
  for (const { headers, sequence } of since) {
    assert.equal(headers.get('x-service-mode'), 'live');
    assert.equal(headers.has('x-service-replay-run-id'), false);
    const { headers: before } = shard.network.arrivals.find((arrival) => arrival.sequence === sequence)!;
    assert.equal(headers.get('x-service-delivery-id'), before.get('x-service-delivery-id'));
  }
  assert.ok(shard.settled('run_again'), 'a resend ends although its session has not');
  assert.equal(shard.settled('run_1'), false);
});

test('A7: a resend has no breaker: at a dead receiver every update gets its four attempts', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(BAD, () => answers(500));
  const count = 2 * BREAKER_FAILURES;
  const positions = Array.from({ length: count }, (_, index) => index);
  shard.start(await sharedArtifact(steadyTimeline(count, 10)), [endpoint('a', BAD)], resendOf('run_1', positions));
  await shard.time.pass(120_000);
  assert.equal(firsts(shard.network.at(BAD)).length, count);
  assert.equal(shard.store.checkpoint('run_again', 'wh_a')!.failed, count);
});

test('I9: a resend continues from its checkpoint, each update once', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200, 300));
  const artifact = await sharedArtifact(steadyTimeline(200, 1_000));
  const positions = Array.from({ length: 100 }, (_, index) => 2 * index);
  shard.start(artifact, [endpoint('a', GOOD)], resendOf('run_1', positions));
  await shard.time.pass(900);
  shard.kill();
  const { time, network, store } = shard;
  const recorded = store.checkpoint('run_again', 'wh_a')!.delivered;
  assert.ok(recorded > 0 && recorded < 100, `${recorded} recorded`);
  const next = new SimulatedShard(time, network, store, { name: 'shard-0', epoch: 2 });
  next.start(artifact, [endpoint('a', GOOD)], resendOf('run_1', positions), true);
  await time.pass(60_000);
  assert.ok(next.settled('run_again'));
  assert.equal(store.checkpoint('run_again', 'wh_a')!.delivered, 100);
  const acknowledged = store.attempts.map(({ sequence }) => sequence);
  assert.deepEqual(
    [...acknowledged].sort((a, b) => a - b),
    positions.map((position) => position + 1),
  );
});

test('what a resend selects is what the filters of now let through; the rest does not count as matched', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => answers(200));
  const settings = endpoint('a', GOOD, { subscriptions: [] });
  shard.start(await sharedArtifact(steadyTimeline(5, 10)), [settings], resendOf('run_1', [0, 1]));
  await shard.time.pass(1_000);
  assert.ok(shard.settled('run_again'));
  assert.equal(shard.store.checkpoint('run_again', 'wh_a')?.matched ?? 0, 0);
});

test('I1: the spans of a replay say exactly what was skipped and why: breaker, pauses, retries that were let go', async () => {
  const shard = new SimulatedShard();
  let status = 500;
  shard.network.receiver(GOOD, () => answers(status));
  const settings = endpoint('a', GOOD);
  shard.start(await sharedArtifact(steadyTimeline(400, 100)), [settings]);
  await shard.time.pass(14_000);
  status = 200;
  await shard.time.pass(6_000);
  shard.receive({ kind: 'endpoints.changed', settings: [{ ...settings, active: false }] });
  await shard.time.pass(5_000);
  shard.receive({ kind: 'endpoints.changed', settings: [settings] });
  await shard.time.pass(60_000);
  assert.ok(shard.settled());
  const { delivered, failed, skipped } = shard.store.checkpoint('run_1', 'wh_a')!;
  const spans = shard.store.spans('run_1', 'wh_a');
  const positions = spans.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, i) => first + i));
  assert.equal(new Set(positions).size, positions.length, 'no update is in two spans');
  const attempted = new Set(
    shard.store.attempts.flatMap(({ sequence, result }) =>
      result.kind === 'answered' && result.statusCode === 200 ? [sequence - 1] : [],
    ),
  );
  assert.equal(attempted.size, delivered);
  const missed = Array.from({ length: 400 }, (_, position) => position).filter((position) => !attempted.has(position));
  assert.deepEqual(
    positions.sort((a, b) => a - b),
    missed,
  );
  for (const reason of ['breaker_open', 'paused'] as const) {
    const count = spans.reduce((sum, span) => sum + (span.reason === reason ? span.last - span.first + 1 : 0), 0);
    assert.ok(count > 20, `${count} ${reason}`);
    assert.equal(count, skipped[reason]);
  }
  assert.equal(failed, 0);
  assert.ok(spans.length < 40, `${spans.length} spans`);
});
