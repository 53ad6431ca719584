// A shard of a cluster's node: it starts attempts only while the lease of its process holds.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lease } from '#engine/base/lease.ts';
import { LEASE_LOOK_MS } from '#engine/base/limits.ts';
import { assertSettled, checkpointOf, endpoint, GOOD } from '#test/support/shard-endpoints.ts';
import { answers } from '#test/support/simulated-network.ts';
import { SimulatedShard } from '#test/support/simulated-shard.ts';
import { sharedArtifact, steadyTimeline } from '#test/support/timelines.ts';

test('S12: without a lease no attempt starts; once it holds again, everything that was due goes out, once and in order', async () => {
  const lease = new Lease();
  const shard = new SimulatedShard(undefined, undefined, undefined, undefined, undefined, lease);
  shard.network.receiver(GOOD, () => answers(200));
  lease.extend(1_000);
  shard.start(await sharedArtifact(steadyTimeline(100, 20)), [endpoint('a', GOOD)]);
  await shard.time.pass(1_500);
  const before = shard.network.at(GOOD);
  assert.equal(before.length, 50);
  for (const { atMs } of before) assert.ok(atMs < 1_000, `an attempt started at ${atMs} ms`);
  lease.extend(Number.POSITIVE_INFINITY);
  await shard.time.pass(LEASE_LOOK_MS + 10);
  assert.ok(shard.network.at(GOOD).length > before.length, 'it goes on at once');
  await shard.time.pass(10_000);
  assert.deepEqual(
    shard.network.at(GOOD).map(({ sequence }) => sequence),
    Array.from({ length: 100 }, (_, index) => index + 1),
  );
  assertSettled(checkpointOf(shard, 'a'));
});
