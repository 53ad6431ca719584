// Starts shards on threads.

import { randomUUID } from 'node:crypto';
import type { ShardEvents, ShardThread } from '#engine/delivery/cluster/shard-router.ts';
import type { Writer } from '#engine/delivery/delivery-log/record-store.ts';
import type { Meters } from '#engine/delivery/meter/meters.ts';
import type { ConnectionSettings } from '#engine/storage/connection-settings.ts';
import { startWorker } from './worker-thread.ts';

export interface ShardSettings {
  readonly connection: ConnectionSettings;
  readonly headerPrefix: string;
  /** Ports of this service, which no delivery may reach; in shared memory, because its own is known once it listens. */
  readonly ownPorts: Uint16Array<SharedArrayBuffer>;
  readonly logLevel: string;
  /** Whether live deliveries go to URLs of this machine as well. */
  readonly liveToLocalhost: boolean;
  readonly meters: Meters;
}

export interface ShardThreadData extends ShardSettings {
  readonly shard: number;
  /** This incarnation in the group commits. */
  readonly writer: Writer;
}

/** What starts shards with these settings, and again in the place of those that died. */
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
