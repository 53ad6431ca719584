// A shard: the endpoint actors of its partitions, and everything they share on one thread.
//
// The shard is driven from outside: `receive` takes a message, `advance` does what is due and says when it wants to be
// called again. It sets no timer and reads no clock of its own, so the same code runs on a worker thread and under a
// simulated clock.
//
// S1 Actors run in turns, one at a time; a slice of turns is bounded, so that answers are read between slices.
// S2 An actor that throws is restarted from its last checkpoint and harms no other (I9); one that keeps throwing is given
//    up, and what falls due for it is counted as skipped.
// S3 Attempts under way are bounded for the shard (I2). Near the bound, actors that have none under way come first, so that
//    many hanging endpoints cannot keep a healthy one from its turn; and whoever got no slot comes before those who have
//    just given one back, so that none waits for ever.
// S4 A shard that drains starts nothing more, and one that has drained does nothing more.

import type { Clock } from '#engine/clock.ts';
import type { Transport } from '#engine/deliver/transport.ts';
import type { Delivery } from '#engine/endpoint/delivery.ts';
import type { EndpointSettings } from '#engine/endpoint/endpoint.ts';
import { type ActorHost, EndpointActor } from '#engine/endpoint/endpoint-actor.ts';
import { EndpointState } from '#engine/endpoint/endpoint-state.ts';
import {
  ACTOR_RESTARTS_MAX,
  RECORD_RETRY_MS_MAX,
  SHARD_IN_FLIGHT_MAX,
  SHARD_IN_FLIGHT_SHARED,
  TURN_SLICE_MS,
} from '#engine/limits.ts';
import { type Checkpoint, newCheckpoint, type RecordStore } from '#engine/record/record-store.ts';
import { Recorder } from '#engine/record/recorder.ts';
import { Run } from '#engine/replay/run.ts';
import { openArtifact } from '#engine/timeline/artifact.ts';
import { TimerWheel } from '#engine/timer-wheel.ts';
import type { FromShard, RunOrder, SharedArtifact, ToShard } from '#schemas/wire/shard-messages.ts';
import { ReadyQueue } from './ready-queue.ts';

export interface ShardParts {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly store: RecordStore;
  /** Names this incarnation of the shard among all writers, for ever. */
  readonly writer: string;
  readonly headerPrefix: string;
  readonly notify: (message: FromShard) => void;
  /** `advance` has work earlier than it said. */
  readonly wake: () => void;
  /** Something went wrong that the shard has dealt with. */
  readonly troubled: (what: string, error: Error) => void;
}

type RunPhase =
  /** A resumed run asks for its checkpoints. */
  | { readonly kind: 'reading' }
  | { readonly kind: 'unread'; readonly untilMs: number }
  /** Its actors stand ready; no attempt has started. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'delivering' };

interface ShardRun {
  readonly run: Run;
  readonly endpoints: readonly EndpointState[];
  /** Those that are not done yet. */
  readonly actors: Set<EndpointActor>;
  phase: RunPhase;
}

export class Shard implements ActorHost {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly recorder: Recorder;
  readonly wheel: TimerWheel<Delivery>;
  readonly headerPrefix: string;
  readonly #parts: ShardParts;
  readonly #endpoints = new Map<string, EndpointState>();
  readonly #runs = new Map<string, ShardRun>();
  readonly #restarts = new Map<string, number>();
  readonly #ready = new ReadyQueue<EndpointActor>();
  /** Actors that got no slot, in the order in which they asked: those that have none, and those that want a further one. */
  readonly #starved = new Set<EndpointActor>();
  readonly #wanting = new Set<EndpointActor>();
  #ended: EndpointActor[] = [];
  #inFlight = 0;
  #ending: 'no' | 'draining' | 'drained' = 'no';

  constructor(parts: ShardParts) {
    this.#parts = parts;
    this.clock = parts.clock;
    this.transport = parts.transport;
    this.headerPrefix = parts.headerPrefix;
    this.wheel = new TimerWheel(parts.clock.nowMs());
    this.recorder = new Recorder({
      store: parts.store,
      clock: parts.clock,
      writer: parts.writer,
      wake: parts.wake,
      troubled: (error, waitMs) => parts.troubled(`group commit failed, next try in ${waitMs} ms`, error),
    });
  }

  receive(message: ToShard): void {
    if (this.#ending !== 'no') return;
    switch (message.kind) {
      case 'run.start':
        this.#startRun(message.run, message.artifact, message.endpoints, message.resumed);
        break;
      case 'run.stop':
        this.#stopRun(message.runId);
        break;
      case 'endpoint.changed':
        this.#change(message.settings);
        break;
      case 'endpoint.deleted':
        this.#endpoints.get(message.webhookId)?.delete();
        this.#everyActorOf(message.webhookId);
        break;
      case 'drain':
        this.#ending = 'draining';
        break;
    }
    this.#parts.wake();
  }

  /** Does what is due. Answers the milliseconds until it wants to be called again: 0 at once, Infinity when woken. */
  advance(): number {
    const startMs = this.clock.nowMs();
    this.wheel.advance(startMs, this.#fire);
    if (this.#ending === 'no') {
      this.#readyStarved();
      for (const entry of this.#runs.values()) {
        if (entry.run.advance(startMs)) for (const actor of entry.actors) this.#ready.add(actor);
        if (entry.phase.kind === 'unread' && startMs >= entry.phase.untilMs) this.#readCheckpoints(entry);
      }
      this.#takeTurns(startMs);
    }
    this.#settleRuns();
    this.recorder.advance(this.clock.nowMs());
    if (this.#ending === 'draining') this.#drain();
    return this.#nextDelayMs();
  }

  // What the shard does for its actors.

  answered(delivery: Delivery, statusCode: number | null, error: string | null, answer: string | null): void {
    const actor = delivery.owner as EndpointActor;
    try {
      actor.answered(delivery, statusCode, error, answer);
    } catch (thrown) {
      this.#restart(actor, thrown as Error);
    }
  }

  acquire(actor: EndpointActor, held: number): boolean {
    const bound = held === 0 ? SHARD_IN_FLIGHT_MAX : SHARD_IN_FLIGHT_SHARED;
    if (this.#inFlight < bound && this.recorder.hasRoom) {
      this.#inFlight++;
      return true;
    }
    if (held === 0) this.#starved.add(actor);
    else this.#wanting.add(actor);
    return false;
  }

  release(): void {
    this.#inFlight--;
  }

  ready(actor: EndpointActor): void {
    this.#ready.add(actor);
    this.#parts.wake();
  }

  attemptStarted(run: Run): void {
    const entry = this.#runs.get(run.order.runId);
    if (entry === undefined || entry.phase.kind === 'delivering') return;
    entry.phase = { kind: 'delivering' };
    this.#parts.notify({ kind: 'run.first-attempt', runId: run.order.runId });
  }

  ended(actor: EndpointActor): void {
    this.#ended.push(actor);
  }

  /** How many actors could get a slot that they were refused before. */
  #roomFor(waiting: ReadonlySet<EndpointActor>, bound: number): number {
    return this.recorder.hasRoom ? Math.max(0, Math.min(waiting.size, bound - this.#inFlight)) : 0;
  }

  #readyStarved(): void {
    this.#readyFirst(this.#wanting, this.#roomFor(this.#wanting, SHARD_IN_FLIGHT_SHARED));
    this.#readyFirst(this.#starved, this.#roomFor(this.#starved, SHARD_IN_FLIGHT_MAX));
  }

  #readyFirst(waiting: Set<EndpointActor>, count: number): void {
    if (count === 0) return;
    const first: EndpointActor[] = [];
    for (const actor of waiting) {
      if (first.length === count) break;
      first.push(actor);
      waiting.delete(actor);
    }
    this.#ready.addFirst(first);
  }

  readonly #fire = (delivery: Delivery): void => {
    const actor = delivery.owner as EndpointActor;
    try {
      actor.timeUp(delivery);
    } catch (thrown) {
      this.#restart(actor, thrown as Error);
    }
  };

  #takeTurns(startMs: number): void {
    let turns = 0;
    for (let actor = this.#ready.take(); actor !== null; actor = this.#ready.take()) {
      try {
        actor.turn();
      } catch (thrown) {
        this.#restart(actor, thrown as Error);
      }
      turns++;
      if ((turns & 15) === 0 && this.clock.nowMs() - startMs >= TURN_SLICE_MS) return;
    }
  }

  #startRun(order: RunOrder, artifact: SharedArtifact, endpoints: readonly EndpointSettings[], resumed: boolean): void {
    if (this.#runs.has(order.runId)) return;
    const startMs = this.clock.nowMs() - (this.clock.wallMs() - order.startedAtMs);
    const entry: ShardRun = {
      run: new Run(order, openArtifact(artifact.bytes), startMs),
      endpoints: endpoints.flatMap((settings) => this.#endpoint(settings) ?? []),
      actors: new Set(),
      phase: { kind: 'reading' },
    };
    this.#runs.set(order.runId, entry);
    if (resumed) this.#readCheckpoints(entry);
    else this.#begin(entry, []);
  }

  #readCheckpoints(entry: ShardRun): void {
    const { runId } = entry.run.order;
    const webhookIds = entry.endpoints.map(({ settings }) => settings.webhookId);
    entry.phase = { kind: 'reading' };
    this.#parts.store.checkpoints(runId, webhookIds).then(
      (checkpoints) => this.#begin(entry, checkpoints),
      (error: Error) => {
        this.#parts.troubled(`checkpoints of run ${runId} cannot be read yet`, error);
        entry.phase = { kind: 'unread', untilMs: this.clock.nowMs() + RECORD_RETRY_MS_MAX };
        this.#parts.wake();
      },
    );
  }

  #begin(entry: ShardRun, checkpoints: readonly Checkpoint[]): void {
    const { runId } = entry.run.order;
    // Drained while it was waiting for them.
    if (this.#runs.get(runId) !== entry) return;
    const known = new Map(checkpoints.map((checkpoint) => [checkpoint.webhookId, checkpoint]));
    entry.phase = { kind: 'waiting' };
    for (const endpoint of entry.endpoints) {
      const { webhookId } = endpoint.settings;
      const actor = this.#spawn(entry, endpoint, known.get(webhookId) ?? newCheckpoint(runId, webhookId));
      if (entry.run.stopped) actor.refuse('stopped');
    }
    if (entry.actors.size === 0) this.#settleRun(runId);
    this.#parts.wake();
  }

  /** One endpoint's settings that make no sense, which nobody should be able to store, must not end the whole shard. */
  #change(settings: EndpointSettings): void {
    try {
      this.#endpoints.get(settings.webhookId)?.change(settings);
    } catch (thrown) {
      this.#parts.troubled(`settings of ${settings.webhookId} are refused, the old ones stay`, thrown as Error);
    }
    this.#everyActorOf(settings.webhookId);
  }

  #endpoint(settings: EndpointSettings): EndpointState | null {
    const known = this.#endpoints.get(settings.webhookId);
    if (known !== undefined) return known;
    try {
      const endpoint = new EndpointState(settings);
      this.#endpoints.set(settings.webhookId, endpoint);
      return endpoint;
    } catch (thrown) {
      this.#parts.troubled(`settings of ${settings.webhookId} are refused, it is left out`, thrown as Error);
      return null;
    }
  }

  #spawn(entry: ShardRun, endpoint: EndpointState, from: Checkpoint): EndpointActor {
    const actor = new EndpointActor(this, endpoint, entry.run, from);
    entry.actors.add(actor);
    this.#ready.add(actor);
    return actor;
  }

  #restart(actor: EndpointActor, error: Error): void {
    const { runId } = actor.run.order;
    const { webhookId } = actor.endpoint.settings;
    const entry = this.#runs.get(runId);
    const key = `${runId} ${webhookId}`;
    const restarts = (this.#restarts.get(key) ?? 0) + 1;
    this.#restarts.set(key, restarts);
    this.#parts.troubled(`actor of ${webhookId} in ${runId} failed and is restarted (${restarts})`, error);
    actor.abandon();
    this.recorder.forget(actor);
    this.#starved.delete(actor);
    this.#wanting.delete(actor);
    if (entry === undefined || !entry.actors.delete(actor)) return;
    if (restarts > 2 * ACTOR_RESTARTS_MAX) {
      // Not even giving up works. Its part of the run ends where its last checkpoint stands.
      this.#ended.push(actor);
      this.#parts.wake();
      return;
    }
    const successor = this.#spawn(entry, actor.endpoint, actor.lastCheckpoint);
    if (restarts > ACTOR_RESTARTS_MAX) successor.refuse('actor_failed');
    else if (entry.run.stopped) successor.refuse('stopped');
    this.#parts.wake();
  }

  #stopRun(runId: string): void {
    const entry = this.#runs.get(runId);
    if (entry === undefined) return;
    entry.run.stop();
    for (const actor of entry.actors) actor.refuse('stopped');
  }

  #everyActorOf(webhookId: string): void {
    for (const { actors } of this.#runs.values()) {
      for (const actor of actors) if (actor.endpoint.settings.webhookId === webhookId) this.#ready.add(actor);
    }
  }

  #settleRuns(): void {
    if (this.#ended.length === 0) return;
    const ended = this.#ended;
    this.#ended = [];
    for (const actor of ended) {
      this.#starved.delete(actor);
      this.#wanting.delete(actor);
      const { runId } = actor.run.order;
      const entry = this.#runs.get(runId);
      if (entry === undefined) continue;
      entry.actors.delete(actor);
      if (entry.actors.size === 0) this.#settleRun(runId);
    }
  }

  #settleRun(runId: string): void {
    this.#runs.delete(runId);
    const active = new Set<EndpointState>();
    for (const { endpoints } of this.#runs.values()) for (const endpoint of endpoints) active.add(endpoint);
    for (const [webhookId, endpoint] of this.#endpoints) if (!active.has(endpoint)) this.#endpoints.delete(webhookId);
    for (const key of this.#restarts.keys()) if (key.startsWith(`${runId} `)) this.#restarts.delete(key);
    this.recorder.whenWritten(() => this.#parts.notify({ kind: 'run.settled', runId }));
  }

  #drain(): void {
    if (this.#inFlight > 0) return;
    this.#ending = 'drained';
    const runs = [...this.#runs.values()];
    this.#runs.clear();
    for (const { actors } of runs) for (const actor of actors) actor.abandon();
    this.recorder.whenWritten(() => this.#parts.notify({ kind: 'drained' }));
  }

  #nextDelayMs(): number {
    let nextMs = Math.min(this.wheel.nextDueMs(), this.recorder.nextDueMs());
    if (this.#ending === 'no') {
      if (this.#ready.length > 0) return 0;
      if (this.#roomFor(this.#starved, SHARD_IN_FLIGHT_MAX) > 0) return 0;
      if (this.#roomFor(this.#wanting, SHARD_IN_FLIGHT_SHARED) > 0) return 0;
      for (const { run, phase } of this.#runs.values()) {
        nextMs = Math.min(nextMs, phase.kind === 'unread' ? phase.untilMs : run.nextDueMs());
      }
    }
    return Math.max(0, nextMs - this.clock.nowMs());
  }
}
