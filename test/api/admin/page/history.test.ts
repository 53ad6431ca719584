// The samples of lag and latency for the operators' page.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { History } from '#api/admin/page/history.ts';
import { HISTORY_SAMPLE_MS, HISTORY_SAMPLES_MAX } from '#engine/base/limits.ts';
import { ShardMeter } from '#engine/delivery/meter/shard-meter.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';

function stage() {
  const time = new SimulatedTime();
  const shards = [new ShardMeter(), new ShardMeter()] as const;
  const history = new History(shards, time);
  const sample = (): void => {
    time.spend(HISTORY_SAMPLE_MS);
    history.sample();
  };
  return { time, shards, history, sample };
}

test('before the first sample there is nothing', () => {
  const { at, columns } = stage().history.read();
  assert.deepEqual([at, columns.liveLagP50], [[], []]);
});

test('a sample has what all shards have counted since the one before, and null where nothing was', () => {
  const { shards, history, sample } = stage();
  sample();
  shards[0].deliveries.live.attemptSucceeded(1, 10);
  shards[1].deliveries.live.attemptSucceeded(1, 10);
  shards[1].deliveries.replay.attemptSucceeded(1, 5_000);
  shards[1].deliveries.replay.failed();
  sample();
  sample();
  const { columns } = history.read();
  const p50 = columns.liveLagP50[1]!;
  assert.ok(p50 > 5 && p50 <= 10, `${p50}`);
  const replay = columns.replayLagP99[1]!;
  assert.ok(replay > 2_000 && replay <= 5_000, `${replay}`);
  assert.deepEqual([columns.liveLagP50[0], columns.liveLagP50[2], columns.replayLagP99[2]], [null, null, null]);
  assert.deepEqual(columns.delivered, [0, 3, 0]);
  assert.deepEqual(columns.failed, [0, 1, 0]);
});

test('an hour is kept, the oldest sample first', () => {
  const { time, shards, history, sample } = stage();
  for (let no = 0; no < HISTORY_SAMPLES_MAX + 5; no++) {
    for (let delivered = 0; delivered < no; delivered++) shards[0].deliveries.live.attemptSucceeded(1, 1);
    sample();
  }
  const { at, everyMs, columns } = history.read();
  assert.equal(everyMs * HISTORY_SAMPLES_MAX, 3_600_000);
  assert.equal(at.length, HISTORY_SAMPLES_MAX);
  assert.equal(at.at(-1), time.wallMs() / 1_000);
  assert.deepEqual(
    columns.delivered,
    Array.from({ length: HISTORY_SAMPLES_MAX }, (_, no) => no + 5),
  );
});
