// Starts a shard on a worker thread: the binding of the router's `ShardThread` to node:worker_threads.

import { randomUUID } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { ShardEvents, ShardThread } from '#engine/cluster/shard-router.ts';
import type { ConnectionSettings } from '#engine/storage/connection-settings.ts';
import type { FromShard } from '#schemas/wire/shard-messages.ts';

export interface ShardSettings {
  readonly connection: ConnectionSettings;
  readonly headerPrefix: string;
  /** Ports of this service, which no delivery may reach; in shared memory, because its own is known once it listens. */
  readonly ownPorts: Uint16Array<SharedArrayBuffer>;
  readonly logLevel: string;
  /** Whether live deliveries go to URLs of this machine as well. */
  readonly liveToLocalhost: boolean;
  /** Histograms of the live lag, one for each shard (engine/live/lag-histogram.ts). */
  readonly liveLags: readonly SharedArrayBuffer[];
}

export interface ShardThreadData extends ShardSettings {
  readonly shard: number;
  /** Names this incarnation in the group commits. */
  readonly writer: string;
}

export function startShardThread(shard: number, settings: ShardSettings, events: ShardEvents): ShardThread {
  const data: ShardThreadData = { ...settings, shard, writer: `shard-${shard}-${randomUUID()}` };
  const worker = new Worker(new URL('./shard.ts', import.meta.url), { workerData: data, name: `shard-${shard}` });
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
