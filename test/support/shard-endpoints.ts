// Shared by tests of a shard: two receivers, their endpoints, and a check of settled endpoints.

import assert from 'node:assert/strict';
import type { Checkpoint } from '#engine/delivery/delivery-log/record-store.ts';
import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import { endpointSettings } from './endpoints.ts';
import type { Arrival } from './simulated-network.ts';
import type { SimulatedShard } from './simulated-shard.ts';

export const GOOD = 'http://good.example';
export const BAD = 'http://bad.example';

export function endpoint(name: string, origin: string, changes: Partial<EndpointSettings> = {}): EndpointSettings {
  return endpointSettings({
    webhookId: `wh_${name}`,
    webhookNo: name.charCodeAt(0),
    url: `${origin}/hook`,
    ...changes,
  });
}

export function checkpointOf(shard: SimulatedShard, name: string): Checkpoint {
  const checkpoint = shard.store.checkpoint('run_1', `wh_${name}`);
  assert.ok(checkpoint, `wh_${name} has a checkpoint`);
  return checkpoint;
}

/** Asserts I1 for an endpoint whose run is settled. */
export function assertSettled(checkpoint: Checkpoint): void {
  const skipped = Object.values(checkpoint.skipped).reduce((sum, count) => sum + count, 0);
  assert.equal(checkpoint.matched, checkpoint.delivered + checkpoint.failed + skipped, 'I1: the sum is exact');
  assert.deepEqual(checkpoint.pending, []);
}

export const firsts = (arrivals: readonly Arrival[]): Arrival[] => arrivals.filter(({ attempt }) => attempt === 1);
