// Starts the threads of the shards.

import { randomUUID } from 'node:crypto';
import type { ShardEvents, ShardThread } from '#engine/delivery/cluster/shard-router.ts';
import type { Writer } from '#engine/delivery/delivery-log/record-store.ts';
import type { Meters } from '#engine/delivery/meter/meters.ts';
import type { ConnectionSettings } from '#engine/storage/connection-settings.ts';
import { startWorker } from './worker-thread.ts';

export interface ShardSettings {
  readonly connection: ConnectionSettings;
  readonly headerPrefix: string;
  /**
   * Ports that no delivery may reach (own-ports.ts); in shared memory, because some become known only after the start.
   */
  readonly ownPorts: Uint16Array<SharedArrayBuffer>;
  readonly logLevel: string;
  /** Whether live deliveries may also go to URLs on this machine. */
  /** Whether any delivery may go to this machine. */
  readonly replayToLocalhost: boolean;
  readonly liveToLocalhost: boolean;
  readonly meters: Meters;
}

export interface ShardThreadData extends ShardSettings {
  readonly shard: number;
  /** The name and fencing epoch of this thread in its group commits. */
  readonly writer: Writer;
}

/**
 * Returns the function that starts a shard, and starts it again after its thread has died, each time with a higher
 * epoch.
 */
export function shardThreads(settings: ShardSettings): (shard: number, events: ShardEvents) => ShardThread {
  const service = randomUUID();
  const epochs = new Map<number, number>();
  return (shard, events) => {
    const epoch = (epochs.get(shard) ?? 0) + 1;
    epochs.set(shard, epoch);
    const writer = { name: `shard ${shard} of ${service}`, epoch };
    const workerData: ShardThreadData = { ...settings, shard, writer };
    return startWorker('./shard.ts', `shard-${shard}`, workerData, events);
  };
}
