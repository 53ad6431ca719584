// Which shard owns which endpoint. An endpoint belongs to the same partition for ever; this table assigns partitions to
// shards. Today all shards are threads of one process.

import { hash } from 'node:crypto';
import { assert } from '#engine/base/assert.ts';
import { SHARDS_MAX } from '#engine/base/limits.ts';

const PARTITIONS = 256;

/** Returns the endpoint's partition, which is the same on every machine and in every release. */
export function partitionOf(webhookId: string): number {
  return hash('sha256', webhookId, 'buffer').readUInt32BE(0) % PARTITIONS;
}

export class Placement {
  readonly #shardOf: Uint8Array;
  readonly shards: number;

  /** Spreads the partitions evenly over the shards. */
  constructor(shards: number) {
    assert(shards >= 1 && shards <= SHARDS_MAX, `between 1 and ${SHARDS_MAX} shards`);
    this.shards = shards;
    this.#shardOf = Uint8Array.from({ length: PARTITIONS }, (_, partition) => partition % shards);
  }

  shardOf(webhookId: string): number {
    return this.#shardOf[partitionOf(webhookId)]!;
  }
}
