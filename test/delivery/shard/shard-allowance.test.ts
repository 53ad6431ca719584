// A shard under a monthly limit: where deliveries stop, what counts, and the latencies.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RECORD_BATCH_MS } from '#engine/base/limits.ts';
import { Allowance, allowanceCell } from '#engine/delivery/usage/allowance.ts';
import { LatencySketch } from '#engine/delivery/usage/latency-sketch.ts';
import { assertSettled, BAD, checkpointOf, endpoint, GOOD } from '#test/support/shard-endpoints.ts';
import { answers } from '#test/support/simulated-network.ts';
import { SimulatedShard } from '#test/support/simulated-shard.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';
import { sharedArtifact, steadyTimeline } from '#test/support/timelines.ts';

function limited(limit: number): { readonly cell: SharedArrayBuffer; readonly allowance: Allowance } {
  const cell = allowanceCell();
  const allowance = new Allowance(cell);
  allowance.limit(limit);
  return { cell, allowance };
}

function usageIn(shard: SimulatedShard, month: string) {
  const rows = [...shard.store.usage.values()].filter((delta) => delta.month === month);
  const sum = (of: 'attempts' | 'skipped') => rows.reduce((total, row) => total + row[of], 0);
  return { attempts: sum('attempts'), skipped: sum('skipped') };
}

test('A6, I1: a run stops at exactly the limit, and everything past it is skipped and counted', async () => {
  const shard = new SimulatedShard();
  const { cell, allowance } = limited(137);
  shard.network.receiver(GOOD, () => answers(200));
  const endpoints = ['a', 'b', 'c'].map((name) => endpoint(name, GOOD));
  shard.start(await sharedArtifact(steadyTimeline(100, 10)), endpoints, { allowance: cell });
  await shard.time.pass(60_000);
  assert.ok(shard.settled());
  assert.equal(shard.network.arrivals.length, 137);
  assert.equal(shard.store.attempts.length, 137, 'the log agrees');
  assert.equal(allowance.used(shard.time.wallMs()), 137);
  assert.deepEqual(usageIn(shard, '2026-06-01'), { attempts: 137, skipped: 163 }, 'I10');
  let skipped = 0;
  for (const name of ['a', 'b', 'c']) {
    const checkpoint = checkpointOf(shard, name);
    assertSettled(checkpoint);
    assert.equal(checkpoint.matched, 100);
    skipped += checkpoint.skipped.monthly_limit ?? 0;
  }
  assert.equal(skipped, 163);
});

test('A6, I1: every retry takes one, and an update whose retry finds none left is skipped', async () => {
  const shard = new SimulatedShard();
  const { cell } = limited(13);
  shard.network.receiver(BAD, () => answers(500));
  shard.start(await sharedArtifact(steadyTimeline(5, 10)), [endpoint('a', BAD)], { allowance: cell });
  await shard.time.pass(120_000);
  assert.ok(shard.settled());
  assert.equal(shard.network.arrivals.length, 13);
  const attempts = shard.network.arrivals.map(({ attempt }) => attempt);
  assert.deepEqual(
    [1, 2, 3].map((number) => attempts.filter((attempt) => attempt === number).length),
    [5, 5, 3],
  );
  const checkpoint = checkpointOf(shard, 'a');
  assertSettled(checkpoint);
  assert.deepEqual(checkpoint.skipped, { monthly_limit: 5 });
  assert.equal(checkpoint.failed, 0);
});

test('two shards that share an account stop at its limit together', async () => {
  const { cell } = limited(90);
  const first = new SimulatedShard();
  const second = new SimulatedShard(first.time, first.network, first.store, { name: 'shard-1', epoch: 1 });
  first.network.receiver(GOOD, () => answers(200));
  const artifact = await sharedArtifact(steadyTimeline(100, 10));
  first.start(artifact, [endpoint('a', GOOD)], { allowance: cell });
  second.start(artifact, [endpoint('b', GOOD)], { allowance: cell });
  await first.time.pass(60_000);
  assert.ok(first.settled() && second.settled());
  assert.equal(first.store.attempts.length, 90);
  for (const name of ['a', 'b']) {
    const checkpoint = checkpointOf(first, name);
    assertSettled(checkpoint);
    assert.ok(checkpoint.delivered > 10, `both have had their part: ${checkpoint.delivered}`);
  }
});

test('an exhausted month ends at midnight UTC: updates due from then on are delivered', async () => {
  const shard = new SimulatedShard();
  const { cell, allowance } = limited(10);
  shard.network.receiver(GOOD, () => answers(200));
  const untilJulyMs = Date.UTC(2026, 6, 1) - shard.time.wallMs();
  await shard.time.pass(untilJulyMs - 1_000);
  // 20 updates in June and 20 in July.
  shard.start(await sharedArtifact(steadyTimeline(40, 50)), [endpoint('a', GOOD)], { allowance: cell });
  await shard.time.pass(60_000);
  assert.deepEqual(usageIn(shard, '2026-06-01'), { attempts: 10, skipped: 10 });
  assert.equal(usageIn(shard, '2026-07-01').attempts, 10);
  assert.equal(allowance.used(Date.UTC(2026, 5, 30)), 10);
  assert.equal(allowance.used(Date.UTC(2026, 6, 1)), 10);
  assertSettled(checkpointOf(shard, 'a'));
  assert.deepEqual(checkpointOf(shard, 'a').skipped, { monthly_limit: 20 });
});

test('R4: an attempt of the last millisecond of a month counts there, in the allowance, in usage and in the latencies', async () => {
  const shard = new SimulatedShard();
  const { cell, allowance } = limited(5);
  shard.network.receiver(GOOD, () => answers(200, 2_000));
  await shard.time.pass(Date.UTC(2026, 6, 1) - shard.time.wallMs() - 1);
  shard.start(await sharedArtifact(steadyTimeline(1, 1)), [endpoint('a', GOOD)], { allowance: cell });
  await shard.time.pass(10_000);
  assert.equal(allowance.used(Date.UTC(2026, 5, 30)), 1);
  assert.equal(allowance.used(Date.UTC(2026, 6, 1)), 0);
  assert.equal(usageIn(shard, '2026-06-01').attempts, 1);
  assert.deepEqual(
    [...shard.store.latency.values()].map(({ month }) => month),
    ['2026-06-01'],
  );
});

test('a limit that is raised during a run applies to the next update', async () => {
  const shard = new SimulatedShard();
  const { cell, allowance } = limited(0);
  shard.network.receiver(GOOD, () => answers(200));
  shard.start(await sharedArtifact(steadyTimeline(100, 10)), [endpoint('a', GOOD)], { allowance: cell });
  await shard.time.pass(495);
  assert.equal(shard.network.arrivals.length, 0);
  allowance.limit(1_000);
  await shard.time.pass(10_000);
  assert.equal(shard.network.arrivals.length, 50);
  assert.deepEqual(checkpointOf(shard, 'a').skipped, { monthly_limit: 50 });
});

test('I9: an actor that fails gives back its attempts under way, so that its successor can repeat them', async () => {
  const shard = new SimulatedShard();
  const { cell, allowance } = limited(30);
  let throws = 1;
  shard.network.receiver(GOOD, ({ sequence }) => {
    if (sequence === 8 && throws-- > 0) return { kind: 'throw' };
    return answers(200, 35);
  });
  shard.start(await sharedArtifact(steadyTimeline(30, 10)), [endpoint('a', GOOD)], { allowance: cell });
  await shard.time.pass(60_000);
  assert.equal(shard.problems.length, 1);
  assert.equal(allowance.used(shard.time.wallMs()), shard.store.attempts.length, 'used is what the log shows');
  assert.equal(shard.store.attempts.length, 30);
  assertSettled(checkpointOf(shard, 'a'));
});

/** A clock that changes the limit at each reading: another thread has taken the last attempt, or one is left again. */
class ContestedTime extends SimulatedTime {
  allowance: Allowance | null = null;
  #seed = 1;

  override wallMs(): number {
    const nowMs = super.wallMs();
    if (this.allowance !== null) {
      this.#seed = (this.#seed * 48_271) % 2_147_483_647;
      this.allowance.limit(this.allowance.used(nowMs) + (this.#seed % 2));
    }
    return nowMs;
  }
}

test('I1: an attempt that gets a slot but then finds the allowance used up returns the slot', async () => {
  const time = new ContestedTime();
  const shard = new SimulatedShard(time);
  const { cell, allowance } = limited(0);
  shard.network.receiver(GOOD, ({ sequence, attempt }) => answers(attempt === 1 && sequence % 3 === 0 ? 500 : 200));
  shard.start(await sharedArtifact(steadyTimeline(300, 10)), [endpoint('a', GOOD)], { allowance: cell });
  time.allowance = allowance;
  await time.pass(1_500);
  time.allowance = null;
  allowance.limit(10_000);
  await time.pass(60_000);
  assert.ok(shard.settled());
  const checkpoint = checkpointOf(shard, 'a');
  assertSettled(checkpoint);
  assert.equal(allowance.used(time.wallMs()), shard.store.attempts.length);
  assert.ok(checkpoint.skipped.monthly_limit! > 20, 'some were refused');
  assert.ok(checkpoint.delivered > 100, 'and those that came later were delivered');
  shard.receive({ kind: 'drain' });
  await time.pass(1_000);
  assert.ok(
    shard.heard.some(({ kind }) => kind === 'drained'),
    "none of the shard's slots is held either",
  );
});

test('the latency of a delivery runs from when the update was due to its acknowledgement, retries included', async () => {
  const shard = new SimulatedShard();
  shard.network.receiver(GOOD, ({ sequence, attempt }) => answers(sequence === 3 && attempt === 1 ? 500 : 200, 40));
  shard.network.receiver(BAD, () => answers(500));
  shard.start(await sharedArtifact(steadyTimeline(3, 1_000)), [endpoint('a', GOOD), endpoint('b', BAD)]);
  await shard.time.pass(60_000 + RECORD_BATCH_MS);
  const rows = [...shard.store.latency.values()];
  assert.deepEqual(
    rows.map(({ accountId, month, feedId }) => [accountId, month, feedId]),
    [['acc_1', '2026-06-01', 'timing.data']],
  );
  const sketch = new LatencySketch();
  sketch.merge(rows[0]!.counts);
  assert.equal(sketch.sampleCount, 3, 'one for each update delivered, none for those that failed');
  const near = (told: number, exact: number) =>
    assert.ok(Math.abs(told - exact) <= exact * 0.02, `${told} for ${exact}`);
  near(sketch.quantile(0.5), 40);
  const [retried] = shard.store.attempts.filter(({ sequence, attempt }) => sequence === 3 && attempt === 2);
  assert.ok(retried!.createdAtMs > 0);
  const last = shard.network.at(GOOD).at(-1)!;
  near(sketch.quantile(1), last.atMs + 40 - 2_000);
});
