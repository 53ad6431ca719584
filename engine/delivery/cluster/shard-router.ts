// The main thread's side of delivery. It sends runs and settings to the shards that own the endpoints, and learns from
// them when runs are settled. Each shard has a supervisor.
//
// C1 An endpoint of a run is on exactly one shard.
// C2 A run is settled when every shard with a part of it has settled that part. If a shard settles its part while
//    another endpoint was on its way there, it gets the part again.
// C3 A shard that died is restarted. It gets every run that it had not settled, with the present settings, and resumes
//    it from the checkpoints in the database (I9).
// C4 A test runs on the shard of its endpoint. It ends when that shard reports its outcome, or as unavailable when the
//    shard dies first.
// C5 Endpoints that join a run are sent alone. What the run has already is sent again only to a shard that starts anew.
// C6 A run is parked when every shard with a part of it has let go of that part or settled it. A stop while it is being
//    parked goes to every part, also to those that are parked already.

import type { TimerClock } from '#engine/base/clock.ts';
import { DRAIN_DEADLINE_MS } from '#engine/base/limits.ts';
import { type SupervisedThread, Supervisor, type ThreadEvents } from '#engine/base/supervisor.ts';
import type { TestOrder, TestOutcome } from '#engine/delivery/endpoint/test-delivery.ts';
import type { EndpointCoverage, EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import type { RunOrder, StopReason } from '#engine/delivery/run-order.ts';
import type { FromShard, ToShard } from '#engine/delivery/shard/shard-messages.ts';
import type { SharedTimeline } from '#engine/timeline/shared-timeline.ts';
import type { Snapshots } from '#engine/timeline/snapshots.ts';
import type { DeliveryControl, RunListener } from './delivery-control.ts';
import { Placement } from './placement.ts';

export type ShardThread = SupervisedThread<ToShard>;
export type ShardEvents = ThreadEvents<FromShard>;

export interface RouterParts {
  readonly shards: number;
  readonly startShard: (shard: number, events: ShardEvents) => ShardThread;
  /** Makes the snapshots at a position of a timeline, for an account. Resolves with null if that fails. */
  readonly makeSnapshots: (timeline: SharedTimeline, position: number, accountId: string) => Promise<Snapshots | null>;
  readonly schedule: TimerClock['schedule'];
  readonly reportProblem: (what: string, error: Error) => void;
}

interface RoutedRun {
  readonly order: RunOrder;
  readonly timeline: SharedTimeline;
  readonly listener: RunListener;
  readonly endpoints: Map<string, EndpointSettings>;
  readonly deleted: Set<string>;
  /** Shards that have not settled their part, and how many `run.join`s each was sent since it got the part. */
  readonly open: Map<number, number>;
  started: boolean;
  stopping: StopReason | null;
  parking: boolean;
  /** Shards that have let go of their part. */
  readonly parked: Set<number>;
}

interface RoutedShard {
  readonly supervisor: Supervisor<ToShard, FromShard>;
  /** Whether its record buffer is full, so that it waits for the database. */
  recordsFull: boolean;
}

export class ShardRouter implements DeliveryControl {
  readonly #parts: RouterParts;
  readonly #placement: Placement;
  readonly #runs = new Map<string, RoutedRun>();
  readonly #shards: readonly RoutedShard[];
  /** Tests under way, by their ids. */
  readonly #tests = new Map<number, { readonly shard: number; readonly ended: (outcome: TestOutcome) => void }>();
  #lastTestId = 0;
  #ending = false;
  #draining: Promise<void> | null = null;
  #cutOff = 0;

  constructor(parts: RouterParts) {
    this.#parts = parts;
    this.#placement = new Placement(parts.shards);
    this.#shards = Array.from({ length: parts.shards }, (_, shard) => ({
      supervisor: this.#supervise(shard),
      recordsFull: false,
    }));
  }

  startRun(
    order: RunOrder,
    timeline: SharedTimeline,
    endpoints: readonly EndpointSettings[],
    resumed: boolean,
    listener: RunListener,
  ): void {
    // The shards are draining. The run resumes at the next start of the service.
    if (this.#ending) return;
    const run: RoutedRun = {
      order,
      timeline,
      listener,
      endpoints: new Map(endpoints.map((settings) => [settings.webhookId, settings])),
      deleted: new Set(),
      open: new Map(endpoints.map(({ webhookId }) => [this.#placement.shardOf(webhookId), 0])),
      started: false,
      stopping: null,
      parking: false,
      parked: new Set(),
    };
    this.#runs.set(order.runId, run);
    for (const shard of run.open.keys()) this.#handOver(run, shard, resumed);
    if (run.open.size === 0) this.#parts.schedule(0, () => this.#settled(run));
  }

  joinRun(runId: string, endpoints: readonly EndpointSettings[]): void {
    const run = this.#runs.get(runId);
    if (run === undefined || this.#ending) return;
    for (const settings of endpoints) run.endpoints.set(settings.webhookId, settings);
    const byShard = Map.groupBy(endpoints, ({ webhookId }) => this.#placement.shardOf(webhookId));
    for (const [shard, joining] of byShard) {
      const joins = run.open.get(shard);
      if (joins === undefined) {
        this.#handOver(run, shard, true);
      } else {
        run.open.set(shard, joins + 1);
        this.#post(shard, { kind: 'run.join', runId, endpoints: joining });
      }
    }
  }

  stopRun(runId: string, reason: StopReason = 'stopped'): void {
    const run = this.#runs.get(runId);
    if (run === undefined) return;
    run.stopping = reason;
    run.parking = false;
    for (const shard of run.open.keys()) this.#post(shard, { kind: 'run.stop', runId, reason });
    for (const shard of run.parked) this.#handOver(run, shard, true);
    run.parked.clear();
  }

  parkRun(runId: string): void {
    const run = this.#runs.get(runId);
    if (run === undefined || run.stopping !== null) return;
    run.parking = true;
    for (const shard of run.open.keys()) this.#post(shard, { kind: 'run.park', runId });
  }

  endpointsChanged(changed: readonly EndpointSettings[]): void {
    const byAccount = Map.groupBy(changed, ({ accountId }) => accountId);
    for (const { order, endpoints } of this.#runs.values())
      for (const settings of byAccount.get(order.accountId) ?? [])
        if (endpoints.has(settings.webhookId)) endpoints.set(settings.webhookId, settings);
    const byShard = Map.groupBy(changed, ({ webhookId }) => this.#placement.shardOf(webhookId));
    for (const [shard, settings] of byShard) this.#post(shard, { kind: 'endpoints.changed', settings });
  }

  coverageChanged(coverage: readonly EndpointCoverage[]): void {
    const byAccount = Map.groupBy(coverage, ({ accountId }) => accountId);
    const changed = new Map<string, EndpointSettings>();
    for (const { order, endpoints } of this.#runs.values()) {
      for (const covered of byAccount.get(order.accountId) ?? []) {
        const known = endpoints.get(covered.webhookId);
        if (known !== undefined) changed.set(covered.webhookId, { ...known, ...covered });
      }
    }
    this.endpointsChanged([...changed.values()]);
  }

  delivers(accountId: string): boolean {
    for (const { order } of this.#runs.values()) if (order.accountId === accountId) return true;
    return false;
  }

  endpointDeleted(webhookId: string): void {
    for (const run of this.#runs.values()) if (run.endpoints.has(webhookId)) run.deleted.add(webhookId);
    this.#post(this.#placement.shardOf(webhookId), { kind: 'endpoint.deleted', webhookId });
  }

  test(order: Omit<TestOrder, 'testId'>): Promise<TestOutcome> {
    const shard = this.#placement.shardOf(order.settings.webhookId);
    if (this.#ending || !this.#shards[shard]!.supervisor.isUp) return Promise.resolve({ kind: 'unavailable' });
    const testId = ++this.#lastTestId;
    return new Promise((ended) => {
      this.#tests.set(testId, { shard, ended });
      this.#post(shard, { kind: 'test.start', order: { ...order, testId } });
    });
  }

  /** Returns what prevents deliveries at the moment, in a few words each; empty if nothing does. */
  problems(): string[] {
    return this.#shards.flatMap(({ supervisor, recordsFull }, shard) => {
      if (supervisor.isRestarting) return [`shard ${shard} is being restarted`];
      return recordsFull ? [`shard ${shard} waits for the database to take its records`] : [];
    });
  }

  /** How many shards were ended before they had recorded or kept all their deliveries. */
  get cutOff(): number {
    return this.#cutOff;
  }

  /** A shard whose database is away keeps its deliveries in a file. One that hangs is ended after a deadline. */
  drain(): Promise<void> {
    this.#draining ??= this.#drain();
    return this.#draining;
  }

  async #drain(): Promise<void> {
    this.#ending = true;
    await Promise.all(
      this.#shards.map(async ({ supervisor }, shard) => {
        const problem = await supervisor.end({ kind: 'drain' });
        this.#abandonTests(shard);
        if (problem === null) return;
        this.#cutOff++;
        this.#parts.reportProblem(
          `shard ${shard} could not record all its deliveries: the unrecorded ones are repeated`,
          problem,
        );
      }),
    );
  }

  #supervise(shard: number): Supervisor<ToShard, FromShard> {
    const { startShard, schedule, reportProblem } = this.#parts;
    return new Supervisor({
      start: (events) => startShard(shard, events),
      heard: (message) => this.#receive(shard, message),
      died: (error, delayMs) => {
        this.#shards[shard]!.recordsFull = false;
        this.#abandonTests(shard);
        reportProblem(`shard ${shard} died; restarting it in ${delayMs} ms`, error);
      },
      restarted: () => {
        for (const run of this.#runs.values()) if (run.open.has(shard)) this.#handOver(run, shard, true);
      },
      schedule,
      endMs: DRAIN_DEADLINE_MS,
    });
  }

  #post(shard: number, message: ToShard): void {
    this.#shards[shard]!.supervisor.post(message);
  }

  #handOver(run: RoutedRun, shard: number, resumed: boolean): void {
    run.open.set(shard, 0);
    const endpoints = [...run.endpoints.values()].filter(
      ({ webhookId }) => this.#placement.shardOf(webhookId) === shard,
    );
    const deleted = endpoints.flatMap(({ webhookId }) => (run.deleted.has(webhookId) ? [webhookId] : []));
    const { order, timeline, stopping, parking } = run;
    this.#post(shard, { kind: 'run.start', run: order, timeline, endpoints, resumed, deleted, stopping, parking });
  }

  #receive(shard: number, message: FromShard): void {
    switch (message.kind) {
      case 'ready':
        this.#shards[shard]!.supervisor.ready();
        break;
      case 'records':
        this.#shards[shard]!.recordsFull = message.full;
        break;
      case 'run.first-attempt': {
        const run = this.#runs.get(message.runId);
        if (run === undefined || run.started) return;
        run.started = true;
        run.listener.firstAttempt(message.runId);
        break;
      }
      case 'run.settled': {
        const run = this.#runs.get(message.runId);
        const joins = run?.open.get(shard);
        if (run === undefined || joins === undefined) return;
        if (joins === message.joins) run.open.delete(shard);
        else this.#handOver(run, shard, true);
        if (run.open.size === 0) this.#settled(run);
        break;
      }
      case 'run.parked': {
        const run = this.#runs.get(message.runId);
        if (run === undefined || !run.open.has(shard)) return;
        if (run.parking) {
          run.open.delete(shard);
          run.parked.add(shard);
        } else {
          // It was stopped meanwhile.
          this.#handOver(run, shard, true);
        }
        if (run.open.size === 0) this.#settled(run);
        break;
      }
      case 'snapshots.wanted':
        this.#makeSnapshots(shard, message.runId, message.position);
        break;
      case 'test.ended': {
        const test = this.#tests.get(message.testId);
        this.#tests.delete(message.testId);
        test?.ended(message.outcome);
        break;
      }
      case 'drained':
        // The shard has reported what it could not keep.
        if (message.lost > 0) this.#cutOff++;
        this.#shards[shard]!.supervisor.finished();
        break;
    }
  }

  /** The answer goes to the shard's present thread, which may be another one by then. */
  #makeSnapshots(shard: number, runId: string, position: number): void {
    const run = this.#runs.get(runId);
    if (run === undefined) return;
    void this.#parts.makeSnapshots(run.timeline, position, run.order.accountId).then((snapshots) => {
      this.#post(shard, { kind: 'snapshots.made', runId, position, snapshots });
    });
  }

  /** C4 */
  #abandonTests(shard: number): void {
    for (const [testId, test] of this.#tests) {
      if (test.shard !== shard) continue;
      this.#tests.delete(testId);
      test.ended({ kind: 'unavailable' });
    }
  }

  #settled(run: RoutedRun): void {
    const { runId } = run.order;
    if (!this.#runs.delete(runId)) return;
    if (run.parked.size > 0) run.listener.parked?.(runId);
    else run.listener.settled(runId);
  }
}
