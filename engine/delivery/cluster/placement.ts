// Who owns what: an endpoint belongs to a partition for ever, a partition to a shard by this table. On one machine all
// shards are threads of it; with several, the same table says which machine.

import { createHash } from 'node:crypto';
import { assert } from '#engine/base/assert.ts';
import { SHARDS_MAX } from '#engine/base/limits.ts';

const PARTITIONS = 256;

/** The endpoint's partition: the same on every machine and in every release. */
export function partitionOf(webhookId: string): number {
  return createHash('sha256').update(webhookId).digest().readUInt32BE(0) % PARTITIONS;
}

export class Placement {
  readonly #shardOf: Uint8Array;
  readonly shards: number;

  /** Deals the partitions out evenly. */
  constructor(shards: number) {
    assert(shards >= 1 && shards <= SHARDS_MAX, `between 1 and ${SHARDS_MAX} shards`);
    this.shards = shards;
    this.#shardOf = Uint8Array.from({ length: PARTITIONS }, (_, partition) => partition % shards);
  }

  shardOf(webhookId: string): number {
    return this.#shardOf[partitionOf(webhookId)]!;
  }
}
