// The main thread's side of the thread that keeps a node's lease.

import { systemClock } from '#engine/base/clock.ts';
import type { Lease } from '#engine/base/lease.ts';
import { STOP_CLUSTER_MS } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import { Supervisor } from '#engine/base/supervisor.ts';
import type { NodeRecord, Standing } from '#engine/nodes/membership.ts';
import type { ConnectionSettings } from '#engine/storage/connection-settings.ts';
import type { FromCluster, ToCluster } from './cluster-messages.ts';
import { startWorker } from './worker-thread.ts';

export interface ClusterThreadData {
  readonly nodeNo: number;
  readonly connection: ConnectionSettings;
  readonly lease: SharedArrayBuffer;
  readonly logLevel: string;
}

export interface ClusterThreadParts extends Omit<ClusterThreadData, 'lease'> {
  readonly lease: Lease;
  readonly stands: (standing: Standing) => void;
  readonly tookOver: (node: NodeRecord) => void;
  /** Another node has taken over from this one, for good. */
  readonly replaced: () => void;
  readonly log: Log;
}

export class ClusterThread {
  readonly #parts: ClusterThreadParts;
  readonly #supervisor: Supervisor<ToCluster, FromCluster>;
  readonly #ready = Promise.withResolvers<void>();

  constructor(parts: ClusterThreadParts) {
    this.#parts = parts;
    const { nodeNo, connection, logLevel, lease, log } = parts;
    const data: ClusterThreadData = { nodeNo, connection, logLevel, lease: lease.memory };
    this.#supervisor = new Supervisor<ToCluster, FromCluster>({
      start: (events) => startWorker('./cluster.ts', 'cluster', data, events),
      heard: (message) => this.#heard(message),
      died: (error, delayMs) =>
        log.error({ err: error }, `the thread that keeps the lease died; restarting it in ${delayMs} ms`),
      restarted() {},
      schedule: systemClock.schedule,
      endMs: STOP_CLUSTER_MS,
    });
  }

  /** Resolves when the lease has been renewed, or the first try has failed. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Renews no more. */
  async close(): Promise<void> {
    const problem = await this.#supervisor.end({ kind: 'close' });
    if (problem !== null) throw problem;
  }

  #heard(message: FromCluster): void {
    switch (message.kind) {
      case 'ready':
        this.#supervisor.ready();
        this.#ready.resolve();
        break;
      case 'standing':
        this.#parts.stands(message.standing);
        break;
      case 'took-over':
        this.#parts.tookOver(message.node);
        break;
      case 'replaced':
        this.#parts.replaced();
        break;
      case 'closed':
        this.#supervisor.finished();
        break;
    }
  }
}
