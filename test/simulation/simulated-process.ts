// A process of the service without its API: the real router over simulated threads, allowances and runs. It can be
// killed or drained at any moment. Its memory is gone then, and the next process resumes from the database, and from
// what it finds on the disk.

import { Allowances } from '#api/usage/allowances.ts';
import { type ShardEvents, ShardRouter } from '#engine/delivery/cluster/shard-router.ts';
import type { Writer } from '#engine/delivery/delivery-log/record-store.ts';
import { keepBatches } from '#engine/delivery/delivery-log/unrecorded-batches.ts';
import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import { Chance } from './chance.ts';
import { SimulatedRuns } from './simulated-runs.ts';
import { SimulatedSnapshots } from './simulated-snapshots.ts';
import { SimulatedThread } from './simulated-thread.ts';
import type { World } from './world.ts';

export class SimulatedProcess {
  readonly router: ShardRouter;
  readonly runs: SimulatedRuns;
  readonly allowances: Allowances;
  readonly threads: SimulatedThread[] = [];
  readonly #world: World;
  readonly #epochs = new Map<number, number>();
  readonly #name: string;
  readonly #snapshots: SimulatedSnapshots;
  #alive = true;

  constructor(world: World) {
    this.#world = world;
    const { time, scenario } = world;
    this.#name = `service ${world.observed.threads.length}`;
    const { memory } = world.database;
    memory.supersedeWriters();
    for (let shard = 0; shard < scenario.shards; shard++) void memory.admit(this.#writer(shard, 1));
    const usage = {
      totals: async (account: string, month: string) => world.totals(account, month),
      attemptsByMonth: async (account: string) => world.attemptsByMonth(account),
    };
    this.allowances = new Allowances(usage, time);
    this.#snapshots = new SimulatedSnapshots(world);
    this.router = new ShardRouter({
      shards: scenario.shards,
      startShard: (shard, events) => this.#startThread(shard, events),
      makeSnapshots: (timeline, position) => this.#snapshots.make(timeline, position),
      schedule: (delayMs, callback) => this.schedule(delayMs, callback),
      reportProblem: (what) => world.observed.note(time.nowMs(), () => `the router: ${what}`),
    });
    this.runs = new SimulatedRuns(world, this);
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** Timers of the process: they do not fire once it is dead. */
  schedule(delayMs: number, callback: () => void): () => void {
    return this.#world.time.schedule(delayMs, () => {
      if (this.#alive) callback();
    });
  }

  shardDies(shard: number, committing: boolean): void {
    const thread = this.threads.findLast(({ seen }) => seen.shard === shard);
    if (committing) thread?.dieCommitting('it was killed in a commit');
    else thread?.die('it was killed');
  }

  changed(settings: EndpointSettings): void {
    this.router.endpointsChanged([settings]);
  }

  deleted(endpoint: string): void {
    this.router.endpointDeleted(endpoint);
  }

  kill(): void {
    this.#alive = false;
    for (const thread of this.threads) thread.vanish();
  }

  /** SIGTERM. */
  async drain(): Promise<void> {
    await this.router.drain();
    this.kill();
  }

  #writer(shard: number, epoch: number): Writer {
    return { name: `shard ${shard} of ${this.#name}`, epoch };
  }

  #startThread(shard: number, events: ShardEvents): SimulatedThread {
    const { time, observed, database, scenario } = this.#world;
    if (this.threads.some((thread) => thread.alive && thread.seen.shard === shard))
      observed.violated(`C1: shard ${shard} is started while its thread still lives`);
    const no = observed.threads.length;
    const seen = { thread: no, shard, bornMs: time.nowMs(), diedMs: null, wasKilled: false };
    observed.threads.push(seen);
    const epoch = (this.#epochs.get(shard) ?? 0) + 1;
    this.#epochs.set(shard, epoch);
    const thread = new SimulatedThread({
      time,
      observed,
      seen,
      database: database.client(),
      keep: (batches) => keepBatches({ files: this.#world.disk, log: this.#world.log }, batches),
      writer: this.#writer(shard, epoch),
      messageMsMax: scenario.messageMsMax,
      checkpointsAtOnceMax: scenario.checkpointsAtOnceMax,
      liveToLocalhost: scenario.liveToLocalhost,
      seed: scenario.seed,
      sendingMs: scenario.sendingMs,
      slots: scenario.slots,
      overSockets: scenario.overSockets,
      faultsEndMs: scenario.faultsEndMs,
      chance: new Chance(scenario.seed, `thread ${no}`),
      events,
      addressee: (origin, headers) => this.#world.customers.addressee(origin, headers),
      react: (endpoint, asked) => this.#world.react(endpoint, asked),
    });
    this.threads.push(thread);
    return thread;
  }
}
