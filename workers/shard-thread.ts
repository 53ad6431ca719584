// Starts the threads of the shards.

import type { ShardEvents, ShardThread } from '#engine/delivery/cluster/shard-router.ts';
import type { Writer } from '#engine/delivery/delivery-log/record-store.ts';
import type { Meters } from '#engine/delivery/meter/meters.ts';
import type { ConnectionSettings } from '#engine/storage/connection-settings.ts';
import { startWorker } from './worker-thread.ts';

export interface ShardSettings {
  /** DATA_DIR, for what the database does not take at the end. */
  readonly dataDir: string;
  readonly connection: ConnectionSettings;
  readonly headerPrefix: string;
  /**
   * Ports that no delivery may reach (own-ports.ts); in shared memory, because some become known only after the start.
   */
  readonly ownPorts: Uint16Array<SharedArrayBuffer>;
  readonly logLevel: string;
  /** Whether any delivery may go to this machine. */
  readonly replayToLocalhost: boolean;
  readonly liveToLocalhost: boolean;
  readonly meters: Meters;
  /** The lease of a cluster's node. Without it, the service is alone. */
  readonly lease?: SharedArrayBuffer;
}

export interface ShardThreadData extends ShardSettings {
  readonly shard: number;
  /** The name and fencing epoch of this thread in its group commits. */
  readonly writer: Writer;
}

/** `service` names this process, differently each time. */
export function shardWriter(service: string, shard: number, epoch: number): Writer {
  return { name: `${service} shard ${shard}`, epoch };
}

/**
 * Returns the function that starts a shard, and starts it again after its thread has died, each time with a higher
 * epoch.
 */
export function shardThreads(
  service: string,
  settings: ShardSettings,
): (shard: number, events: ShardEvents) => ShardThread {
  const epochs = new Map<number, number>();
  return (shard, events) => {
    const epoch = (epochs.get(shard) ?? 0) + 1;
    epochs.set(shard, epoch);
    const workerData: ShardThreadData = { ...settings, shard, writer: shardWriter(service, shard, epoch) };
    return startWorker('./shard.ts', `shard-${shard}`, workerData, events);
  };
}
