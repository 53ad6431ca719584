// What a shard counts: the same as it writes down, in cells that outlive it; and what it tells of every finished
// delivery.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CENSUS_SLICE_ACTORS, STREAM_QUIET_MS } from '#engine/base/limits.ts';
import type { Checkpoint } from '#engine/delivery/delivery-log/record-store.ts';
import { ATTEMPT_OUTCOMES } from '#engine/delivery/meter/attempt-outcome.ts';
import { ShardsActivity } from '#engine/delivery/meter/delivery-activity.ts';
import type { DeliveryMeter } from '#engine/delivery/meter/delivery-meter.ts';
import { ShardMeter } from '#engine/delivery/meter/shard-meter.ts';
import { logRow } from '#test/support/log-row.ts';
import { BAD, checkpointOf, endpoint, GOOD } from '#test/support/shard-endpoints.ts';
import { answers } from '#test/support/simulated-network.ts';
import { SimulatedShard } from '#test/support/simulated-shard.ts';
import { sharedArtifact, steadyTimeline } from '#test/support/timelines.ts';

const DEAD = 'http://dead.example';

const attempts = (meter: DeliveryMeter): number =>
  ATTEMPT_OUTCOMES.reduce((sum, outcome) => sum + meter.attempts(outcome), 0);

test('I10: attempts, deliveries and what was skipped are counted as they are written down', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, ({ attempt, sequence }) => answers(sequence % 10 === 0 && attempt === 1 ? 429 : 200, 7));
  shard.network.receiver(BAD, ({ sequence }) => {
    if (sequence > 5) return answers(200);
    return sequence === 3 ? { kind: 'hang' } : { kind: 'break', error: 'ECONNRESET', afterMs: 3 };
  });
  shard.network.receiver(DEAD, () => answers(500));
  shard.start(await sharedArtifact(steadyTimeline(100, 200)), [
    endpoint('a', GOOD),
    endpoint('b', BAD),
    endpoint('c', DEAD),
  ]);
  await shard.time.pass(120_000);
  assert.ok(shard.settled());
  const { replay, live } = shard.meter.deliveries;
  assert.equal(attempts(replay), shard.store.attempts.length);
  assert.equal(attempts(live), 0);
  const of = (error: string): number =>
    shard.store.attempts.filter((attempt) => logRow(attempt).error === error).length;
  assert.ok(of('timeout') > 0 && of('ECONNRESET') > 0);
  assert.equal(replay.attempts('timeout'), of('timeout'));
  assert.equal(replay.attempts('reset'), of('ECONNRESET'));
  assert.equal(replay.attempts('status_429'), 10);
  const [good, bad, dead] = ['a', 'b', 'c'].map((name) => checkpointOf(shard, name)) as [
    Checkpoint,
    Checkpoint,
    Checkpoint,
  ];
  const delivered = good.delivered + bad.delivered;
  assert.deepEqual([bad.failed, dead.failed], [5, 0]);
  assert.ok(dead.skipped.breaker_open! > 0);
  assert.equal(replay.attempts('delivered'), delivered);
  assert.equal(replay.failures, 5);
  assert.equal(replay.skips('breaker_open'), dead.skipped.breaker_open);
  const count = ({ counts }: { counts: readonly number[] }): number => counts.reduce((sum, next) => sum + next, 0);
  assert.equal(count(replay.attemptMs), shard.store.attempts.length);
  assert.equal(count(replay.deliveryMs), delivered);
  assert.equal(shard.meter.records.batches.sum, shard.store.attempts.length);
  assert.equal(shard.meter.records.commitFailures, 0);
  const { figures } = shard.meter.thread;
  for (const name of figures.names) assert.equal(figures.value(name), 0, `${name} is not the shard's to write`);
});

test('how it stands: mailboxes, the oldest that waits, retries, breakers, records that wait', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, () => ({ kind: 'hang' }));
  shard.network.receiver(BAD, () => answers(500, 1));
  shard.store.fault = 'refuse';
  shard.start(await sharedArtifact(steadyTimeline(40, 100)), [endpoint('a', GOOD), endpoint('b', BAD)]);
  const { gauges, records } = shard.meter;
  await shard.time.pass(350);
  shard.measure();
  assert.equal(gauges.value('retrying'), 4);
  await shard.time.pass(4_600);
  shard.measure();
  assert.equal(gauges.value('actors'), 2);
  assert.equal(gauges.value('inFlight'), shard.network.inFlight);
  assert.equal(gauges.value('mailbox'), 40 - shard.network.inFlight);
  assert.equal(gauges.value('mailboxMost'), gauges.value('mailbox'));
  assert.equal(gauges.value('queuedSinceMs'), shard.network.inFlight * 100, 'the first one that has no slot');
  assert.equal(gauges.value('breakersOpen'), 1);
  assert.equal(gauges.value('recordAttempts'), shard.network.at(BAD).length);
  assert.ok(gauges.value('recordSinceMs') < 100);
  assert.ok(records.commitFailures > 0);
  shard.store.fault = 'none';
  shard.network.receiver(GOOD, () => answers(200));
  await shard.time.pass(120_000);
  assert.ok(shard.settled());
  shard.measure();
  for (const name of gauges.names) assert.equal(gauges.value(name), 0, name);
});

test('attempts under way are shown at once, to every thread and of all shards, and for a while that there were some', async () => {
  const memory = ShardMeter.memory();
  const shard = new SimulatedShard(undefined, undefined, undefined, undefined, new ShardMeter(memory));
  const activity = new ShardsActivity([memory, memory]);
  const isRecent = () => activity.isRecent(shard.time.nowMs());
  assert.equal(isRecent(), false);
  shard.network.receiver(GOOD, () => answers(200, 5));
  shard.start(await sharedArtifact(steadyTimeline(1, 1)), [endpoint('a', GOOD), endpoint('b', GOOD)]);
  await shard.time.pass(2);
  assert.equal(activity.underWay(), 4);
  await shard.time.pass(10);
  assert.equal(activity.underWay(), 0);
  assert.equal(isRecent(), true, 'some have ended since it was asked last');
  await shard.time.pass(STREAM_QUIET_MS - 1);
  assert.equal(isRecent(), true);
  await shard.time.pass(1);
  assert.equal(isRecent(), false);
});

test('many actors are counted a slice at a time', async () => {
  const shard = new SimulatedShard();
  const endpoints = Array.from({ length: 2 * CENSUS_SLICE_ACTORS + 1 }, (_, no) => endpoint(`a${no}`, GOOD));
  shard.start(await sharedArtifact(steadyTimeline(1, 1)), endpoints, { pacedFromMs: shard.time.nowMs() + 60_000 });
  assert.equal(shard.measure(), 3);
  assert.equal(shard.meter.gauges.value('actors'), endpoints.length);
});

test('a shard in the place of one that died goes on counting', async () => {
  const first = new SimulatedShard();
  first.network.receiver(GOOD, () => answers(200, 5));
  const artifact = await sharedArtifact(steadyTimeline(100, 100));
  first.start(artifact, [endpoint('a', GOOD)]);
  await first.time.pass(5_000);
  first.kill();
  const before = first.meter.deliveries.replay.attempts('delivered');
  assert.ok(before >= 49);
  const { time, network, store, meter } = first;
  const second = new SimulatedShard(time, network, store, { name: 'shard-0', epoch: 2 }, meter);
  second.start(artifact, [endpoint('a', GOOD)], { pacedFromMs: time.nowMs() - 5_000 }, true);
  await time.pass(10_000);
  assert.ok(second.settled());
  const delivered = meter.deliveries.replay.attempts('delivered');
  assert.equal(delivered, network.at(GOOD).length, 'also what came again, because its batch was lost');
  assert.ok(delivered >= 100 && delivered > before);
});

test('a finished delivery is reported once, with its last result', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, ({ attempt }) => answers(attempt === 1 ? 503 : 200, 8));
  shard.network.receiver(BAD, () => answers(500, 1));
  shard.start(await sharedArtifact(steadyTimeline(2, 1_000)), [endpoint('a', GOOD), endpoint('b', BAD)]);
  await shard.time.pass(10_000);
  shard.receive({ kind: 'run.stop', runId: 'run_1', reason: 'stopped' });
  await shard.time.pass(60_000);
  const [good, bad] = [0, 1].map((no) =>
    shard.finished.filter(({ origin }) => origin === [GOOD, BAD][no]).toSorted((a, b) => a.sequence - b.sequence),
  );
  assert.equal(good!.length, 2);
  const { deliveryId, ...told } = good![0]!;
  assert.equal(deliveryId, shard.network.at(GOOD)[0]!.headers.get('x-service-delivery-id'));
  assert.deepEqual(told, {
    ...{
      runId: 'run_1',
      mode: 'replay',
      sessionId: 'small-race',
      webhookId: 'wh_a',
      origin: GOOD,
      feed: 'timing.data',
    },
    ...{ sequence: 1, attempts: 2, outcome: { kind: 'delivered' }, lagMs: told.lagMs },
    lastAttempt: { result: { kind: 'answered', statusCode: 200, body: 'status 200' }, latencyMs: 8 },
  });
  assert.ok(told.lagMs >= 1_016 && told.lagMs < 1_030, `${told.lagMs} ms`);
  assert.deepEqual(
    bad!.map(({ outcome, attempts, lastAttempt }) => ({ outcome, attempts, lastAttempt })),
    [1, 2].map(() => ({ outcome: { kind: 'skipped', reason: 'stopped' }, attempts: 3, lastAttempt: null })),
  );
});
