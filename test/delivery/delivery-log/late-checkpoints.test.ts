// Checkpoints in one row: what is encoded in parts is what one go gives, and the last of each actor comes back.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode } from '#engine/base/codec.ts';
import { encodeCheckpoints, latestOf } from '#engine/delivery/delivery-log/late-checkpoints.ts';
import { type Checkpoint, newCheckpoint } from '#engine/delivery/delivery-log/record-store.ts';

function encoded(checkpoints: readonly Checkpoint[], atOnceMax: number): { bytes: Uint8Array; yields: number } {
  const encoding = encodeCheckpoints(checkpoints, atOnceMax);
  let yields = 0;
  let step = encoding.next();
  for (; !step.done; step = encoding.next()) yields++;
  return { bytes: step.value, yields };
}

const some = (count: number): Checkpoint[] =>
  Array.from({ length: count }, (_, index) => ({ ...newCheckpoint('run_1', `wh_${index}`), nextPosition: index }));

test('checkpoints are encoded in parts, as one array that any number of parts gives', () => {
  for (const count of [0, 1, 15, 16, 70_000]) {
    const checkpoints = some(count);
    const whole = encoded(checkpoints, Number.POSITIVE_INFINITY);
    const parted = encoded(checkpoints, 1_000);
    assert.equal(whole.yields, 0);
    assert.equal(parted.yields, Math.max(0, Math.ceil(count / 1_000) - 1));
    assert.ok(Buffer.from(whole.bytes).equals(parted.bytes));
    assert.equal((decode(whole.bytes) as unknown[]).length, count);
  }
});

test('of several rows the last checkpoint of each actor comes back', () => {
  const early = encoded(some(3), 2).bytes;
  const later = encoded([{ ...newCheckpoint('run_1', 'wh_1'), nextPosition: 99 }], 2).bytes;
  const known = latestOf([
    { batchNo: 2n, bytes: later },
    { batchNo: 1n, bytes: early },
  ]);
  assert.deepEqual(known.map(({ webhookId, nextPosition }) => [webhookId, nextPosition]).sort(), [
    ['wh_0', 0],
    ['wh_1', 99],
    ['wh_2', 2],
  ]);
});
