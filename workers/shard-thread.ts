// Starts shards on worker threads: the binding of the router's `ShardThread` to node:worker_threads.

import { randomUUID } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { ShardEvents, ShardThread } from '#engine/delivery/cluster/shard-router.ts';
import type { Writer } from '#engine/delivery/delivery-log/record-store.ts';
import type { Meters } from '#engine/delivery/meter/meters.ts';
import type { FromShard } from '#engine/delivery/shard/shard-messages.ts';
import type { ConnectionSettings } from '#engine/storage/connection-settings.ts';

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
  const incarnations = new Map<number, number>();
  return (shard, events) => {
    const incarnation = (incarnations.get(shard) ?? 0) + 1;
    incarnations.set(shard, incarnation);
    const writer = { name: `shard ${shard} of ${service}`, incarnation };
    return startThread({ ...settings, shard, writer }, events);
  };
}

function startThread(data: ShardThreadData, events: ShardEvents): ShardThread {
  const worker = new Worker(new URL('./shard.ts', import.meta.url), { workerData: data, name: `shard-${data.shard}` });
  let ending = false;
  let cause = new Error('the thread ended');
  worker.on('message', (message: FromShard) => {
    if (!ending) events.heard(message);
  });
  worker.on('error', (error) => {
    cause = error instanceof Error ? error : new Error(String(error));
  });
  worker.on('exit', () => {
    if (!ending) events.died(cause);
  });
  return {
    post: (message) => worker.postMessage(message),
    async end() {
      ending = true;
      await worker.terminate();
    },
  };
}
