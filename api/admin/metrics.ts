// The metrics in the Prometheus text format. The threads count in shared memory (engine/delivery/meter/); this reads
// it.

import { Registry } from 'prom-client';
import type { RequestCounts } from '#api/http/request-meter.ts';
import type { MeteredNode } from '#api/nodes/node-meter.ts';
import type { Clock } from '#engine/base/clock.ts';
import type { Meters } from '#engine/delivery/meter/meters.ts';
import { ShardMeter } from '#engine/delivery/meter/shard-meter.ts';
import { deliveryMetrics } from './metrics/delivery-metrics.ts';
import { type LiveView, liveMetrics } from './metrics/live-metrics.ts';
import { logMetrics } from './metrics/log-metrics.ts';
import { Machine, type MachineParts, type MachineSample } from './metrics/machine.ts';
import { machineMetrics } from './metrics/machine-metrics.ts';
import { nodeMetrics } from './metrics/node-metrics.ts';
import { overageMetrics } from './metrics/overage-metrics.ts';
import { requestMetrics } from './metrics/request-metrics.ts';
import { shardMetrics } from './metrics/shard-metrics.ts';
import { streamMetrics } from './metrics/stream-metrics.ts';
import { threadMeters, threadMetrics } from './metrics/thread-metrics.ts';

export interface MetricsParts extends MachineParts {
  readonly live: LiveView;
  /** Whether the service is configured to follow live timing. */
  readonly hasTiming: boolean;
  readonly meters: Meters;
  readonly requests: RequestCounts;
  readonly clock: Clock;
  /** In a cluster. */
  readonly node?: MeteredNode;
  readonly version: string;
}

export class Metrics {
  readonly #registry = new Registry();
  readonly #machine: Machine;
  #latest: MachineSample = { database: null, disk: null, files: null };

  constructor(parts: MetricsParts) {
    const { clock, meters } = parts;
    this.#machine = new Machine(parts);
    const shards = meters.shards.map((memory) => new ShardMeter(memory));
    const threads = threadMeters(meters, shards);
    const metrics = [
      ...deliveryMetrics(shards),
      ...shardMetrics(shards, clock),
      ...requestMetrics(parts.requests),
      ...logMetrics(() => this.#latest.database?.journal ?? null),
      ...streamMetrics(meters.streams),
      ...liveMetrics(parts.live, parts.hasTiming, clock),
      ...threadMetrics(threads, clock),
      ...(parts.overage === undefined ? [] : overageMetrics(() => this.#latest.database?.overage ?? null, clock)),
      ...(parts.node === undefined ? [] : nodeMetrics(parts.node, clock)),
      ...machineMetrics(() => this.#latest, parts.version),
    ];
    for (const metric of metrics) this.#registry.registerMetric(metric);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  async text(): Promise<string> {
    this.#latest = await this.#machine.sample();
    return this.#registry.metrics();
  }
}
