import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '#engine/base/ids.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { Placement, partitionOf } from '#engine/delivery/cluster/placement.ts';

test('an endpoint is always in the same partition', () => {
  assert.equal(partitionOf('wh_01k2zzzzzzzzzzzzzzzzzzzzzz'), partitionOf('wh_01k2zzzzzzzzzzzzzzzzzzzzzz'));
});

test('endpoints spread evenly over the shards', () => {
  const placement = new Placement(4);
  const counts = [0, 0, 0, 0];
  for (let i = 0; i < 4_000; i++) counts[placement.shardOf(newId('wh', 1_700_000_000_000 + i, systemRandomBytes))]!++;
  for (const count of counts) assert.ok(count > 800 && count < 1_200, String(counts));
});
