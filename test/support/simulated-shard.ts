// A real shard in a simulated world: the test controls time, network and record store.

import { Lease } from '#engine/base/lease.ts';
import type { RecordBatch, Writer } from '#engine/delivery/delivery-log/record-store.ts';
import type { FinishedDelivery } from '#engine/delivery/endpoint/finished-delivery.ts';
import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import { ShardMeter } from '#engine/delivery/meter/shard-meter.ts';
import type { RunOrder } from '#engine/delivery/run-order.ts';
import { Shard } from '#engine/delivery/shard/shard.ts';
import type { FromShard } from '#engine/delivery/shard/shard-messages.ts';
import { allowanceCell } from '#engine/delivery/usage/allowance.ts';
import type { LiveTimeline } from '#engine/timeline/live-timeline.ts';
import type { SharedTimeline } from '#engine/timeline/shared-timeline.ts';
import type { Snapshots } from '#engine/timeline/snapshots.ts';
import { MemoryRecordStore } from './memory-record-store.ts';
import { SimulatedNetwork } from './simulated-network.ts';
import { SimulatedTime } from './simulated-time.ts';

/** How long making snapshots takes. */
export const MAKING_MS = 50;

export class SimulatedShard {
  readonly time: SimulatedTime;
  readonly network: SimulatedNetwork;
  readonly store: MemoryRecordStore;
  readonly heard: FromShard[] = [];
  readonly problems: string[] = [];
  /** What the store did not take at the end. */
  readonly kept: RecordBatch[] = [];
  readonly meter: ShardMeter;
  readonly finished: FinishedDelivery[] = [];
  /** Makes the snapshots at a position; null: it fails. Without it, no question is answered. */
  makeSnapshots: ((position: number) => Snapshots | null) | null = null;
  readonly #watched = new Set<() => void>();
  readonly #shard: Shard;
  #cancelSleep: () => void = () => {};
  #killed = false;

  constructor(
    time = new SimulatedTime(),
    network = new SimulatedNetwork(time),
    store = new MemoryRecordStore(),
    writer: Writer = { name: 'shard-0', epoch: 1 },
    meter = new ShardMeter(),
    lease = Lease.forever(),
  ) {
    this.time = time;
    this.meter = meter;
    this.network = network;
    this.store = store;
    this.#shard = new Shard({
      clock: time,
      transport: network,
      store,
      keep: (batches) => {
        this.kept.push(...batches);
        return batches.length;
      },
      writer,
      lease,
      headerPrefix: 'X-Service',
      liveToLocalhost: false,
      meter: this.meter,
      finished: (finished) => this.finished.push(finished),
      watch: (live, changed) => this.#watch(live, changed),
      notify: (message) => this.#hear(message),
      wake: () => this.#sleep(0),
      reportProblem: (what, error) => this.problems.push(`${what}: ${error.message}`),
    });
  }

  start(
    timeline: SharedTimeline,
    endpoints: readonly EndpointSettings[],
    order: Partial<RunOrder> = {},
    resumed = false,
  ): void {
    this.#shard.receive({
      kind: 'run.start',
      run: {
        mode: 'replay',
        runId: 'run_1',
        runNo: 1,
        sessionId: 'small-race',
        accountId: 'acc_1',
        speed: 1,
        pacedFromMs: this.time.nowMs(),
        allFeeds: false,
        allowance: allowanceCell(),
        ...order,
      },
      timeline,
      endpoints,
      resumed,
      deleted: [],
      stopping: null,
      parking: false,
    });
  }

  receive(message: Parameters<Shard['receive']>[0]): void {
    this.#shard.receive(message);
  }

  /** Updates the gauges, as its thread does about once a second. Returns the number of slices that took. */
  measure(): number {
    let slices = 1;
    while (this.#shard.measure()) slices++;
    return slices;
  }

  /** Wakes the shard after a publish to a live timeline. On real threads, shared memory does that. */
  published(): void {
    for (const changed of this.#watched) changed();
  }

  /** Number of live timelines that the shard waits for. */
  get watching(): number {
    return this.#watched.size;
  }

  #watch(_live: LiveTimeline, changed: () => void): () => void {
    this.#watched.add(changed);
    return () => this.#watched.delete(changed);
  }

  /** Lets the thread die: it does nothing from now on. */
  kill(): void {
    this.#killed = true;
    this.#cancelSleep();
  }

  #hear(message: FromShard): void {
    this.heard.push(message);
    if (message.kind !== 'snapshots.wanted' || this.makeSnapshots === null) return;
    const { runId, position } = message;
    const snapshots = this.makeSnapshots(position);
    this.time.schedule(MAKING_MS, () => {
      if (!this.#killed) this.#shard.receive({ kind: 'snapshots.made', runId, position, snapshots });
    });
  }

  settled(runId = 'run_1'): boolean {
    return this.heard.some((message) => message.kind === 'run.settled' && message.runId === runId);
  }

  #sleep(delayMs: number): void {
    this.#cancelSleep();
    if (this.#killed) return;
    this.#cancelSleep = this.time.schedule(delayMs, () => {
      const nextMs = this.#shard.advance();
      if (nextMs !== Number.POSITIVE_INFINITY) this.#sleep(nextMs);
    });
  }
}
