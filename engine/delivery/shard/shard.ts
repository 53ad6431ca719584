// A shard: the endpoint actors of its partitions, and everything they share on one thread.
//
// The shard is driven from outside: `receive` takes a message, `advance` does the work that is due and returns when to
// call it again. The shard sets no timer and its clock is injected, so the same code runs on a worker thread and in the
// simulation.
//
// S1 Actors take turns, one at a time. A slice of turns is bounded in time, so that responses are read between slices. It ends,
//    too, when so many requests wait for a check of their connections (HC4): they are written after it, all at once.
//    Reading is bounded alike: the event loop hands over all responses that have come, and what is due meanwhile takes its
//    turns between two of them.
// S2 An actor that throws is restarted where it left off and harms no other (I9). One that keeps throwing is given up:
//    the updates that fall due for it are counted as skipped.
// S3 The attempts under way on a shard are bounded (I2). Near the bound, actors with none under way come first, so many
//    hanging endpoints cannot starve a healthy one. An actor that was refused a slot comes before one of its account that
//    has just returned a slot, so no actor waits for ever.
// S4 A draining shard starts nothing more. A drained shard does nothing more.
// S5 All live runs of a session read one live timeline, whose changes wake the shard. An update costs no message.
// S6 While more actors of an account wait for a turn than fit into a slice, no near endpoint of it gets a second slot: the
//    thread is the bottleneck, so more attempts under way would be no faster and each would cost more. Far endpoints get
//    theirs, because they wait for the network and not for this thread.
// S7 Actors that keep up take their turns before those that are behind, which get one turn in four even then. So an
//    endpoint that catches up delays the others little.
// S8 Accounts take turns, one turn each, however many of their actors wait (turns/ready-lanes.ts). Between two turns of an
//    account whose actors wait, every other account takes one at most, and one in three of these turns more is for those
//    that are behind (S7).
// S9 Accounts share slots (turns/slots.ts). One gets another slot while it holds fewer than 15 times as many as are free, or
//    3 times for an actor that has one already. So an account without slots finds one at once until some 270 accounts
//    hold all they may. Beyond that, slots that are returned go to the accounts that wait for them, one each in turn.
// S10 A run is parked once none of its attempts is under way, the checkpoints of its actors are recorded, and no predecessor
//    of the shard can write them any more. From then on the shard holds nothing of it, and it can be handed over again, to
//    any shard.
// S11 A shard that stood still read no answers. Those that it reads just after that count as if they had come when it began:
//    the time is ours, not the receivers' (PU2).
// S12 No attempt starts without the lease of this process (engine/nodes/). Its last check is where a request is written
//    (HC7), since a process may stand still in between.

import type { Clock } from '#engine/base/clock.ts';
import { Lease } from '#engine/base/lease.ts';
import {
  ACTOR_RESTARTS_MAX,
  CENSUS_SLICE_ACTORS,
  LEASE_LOOK_MS,
  RECORD_RETRY_MS_MAX,
  SHARD_STALL_MS,
  SHARD_STALL_READ_MS,
  TURN_SLICE_CHECKS_MAX,
  TURN_SLICE_MS,
} from '#engine/base/limits.ts';
import { TimerWheel } from '#engine/base/timer-wheel.ts';
import type { AttemptResult } from '#engine/delivery/attempt-result.ts';
import {
  type Checkpoint,
  checkpointWithin,
  newCheckpoint,
  type RecordStore,
  type Writer,
} from '#engine/delivery/delivery-log/record-store.ts';
import { Recorder, type RecorderParts } from '#engine/delivery/delivery-log/recorder.ts';
import type { Delivery } from '#engine/delivery/endpoint/delivery.ts';
import { type ActorHost, EndpointActor } from '#engine/delivery/endpoint/endpoint-actor.ts';
import { EndpointState } from '#engine/delivery/endpoint/endpoint-state.ts';
import type { FinishedListener } from '#engine/delivery/endpoint/finished-delivery.ts';
import { LearnedCaps } from '#engine/delivery/endpoint/learned-caps.ts';
import { SnapshotShelf, type SnapshotsAtHand } from '#engine/delivery/endpoint/snapshot-shelf.ts';
import {
  TestDelivery,
  type TestHost,
  type TestOrder,
  type TestOutcome,
} from '#engine/delivery/endpoint/test-delivery.ts';
import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import { Audiences } from '#engine/delivery/filter/audiences.ts';
import type { ShardMeter } from '#engine/delivery/meter/shard-meter.ts';
import { LiveRun } from '#engine/delivery/run/live-run.ts';
import { PacedRun } from '#engine/delivery/run/paced-run.ts';
import { ResendRun } from '#engine/delivery/run/resend-run.ts';
import type { Run } from '#engine/delivery/run/run.ts';
import type { RunOrder, StopReason } from '#engine/delivery/run-order.ts';
import { DeliveryHeaders } from '#engine/delivery/sign/delivery-headers.ts';
import type { Transport } from '#engine/delivery/transport/transport.ts';
import { AccountShare } from '#engine/delivery/turns/account-share.ts';
import { ReadyLanes } from '#engine/delivery/turns/ready-lanes.ts';
import { Slots } from '#engine/delivery/turns/slots.ts';
import { openArtifact } from '#engine/timeline/artifact.ts';
import type { LiveMemory } from '#engine/timeline/live-memory.ts';
import { LiveTimeline } from '#engine/timeline/live-timeline.ts';
import type { SharedTimeline } from '#engine/timeline/shared-timeline.ts';
import { ActorCensus } from './actor-census.ts';
import { RunAgenda } from './run-agenda.ts';
import type { FromShard, ToShard } from './shard-messages.ts';

export interface ShardParts {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly store: RecordStore;
  /** Keeps what the database does not take at the end (R6). */
  readonly keep: RecorderParts['keep'];
  readonly checkpointsAtOnceMax?: RecorderParts['checkpointsAtOnceMax'];
  /** The shard's name and fencing epoch. */
  readonly writer: Writer;
  /** Without it no attempt starts. Default: one for ever. */
  readonly lease?: Lease;
  readonly headerPrefix: string;
  /** Whether live deliveries may go to URLs of this machine. */
  readonly liveToLocalhost: boolean;
  readonly meter: ShardMeter;
  /** Attempts under way at once. Default: as many as a service's shard has. */
  readonly slots?: number;
  /** Called for every started delivery once it is settled; null without a listener. */
  readonly finished: FinishedListener | null;
  /** Calls `changed` whenever the live timeline changes. The returned function ends that. */
  readonly watch: (live: LiveTimeline, changed: () => void) => () => void;
  readonly notify: (message: FromShard) => void;
  /** Call `advance` now: it has work earlier than its last return value said. */
  readonly wake: () => void;
  /** Reports an error that the shard has handled. */
  readonly reportProblem: (what: string, error: Error) => void;
}

type RunStart = Extract<ToShard, { readonly kind: 'run.start' }>;

interface ShardRun {
  readonly run: Run;
  /** The live timeline that it follows; null if its timeline is complete. */
  readonly live: LiveTimeline | null;
  readonly headers: DeliveryHeaders;
  readonly audiences: Audiences<EndpointActor>;
  readonly endpoints: Set<EndpointState>;
  /** Those that have not ended yet. */
  readonly actors: Set<EndpointActor>;
  /** Whether an attempt has started. */
  started: boolean;
  /** Why the run was stopped; null if it was not. */
  stopping: StopReason | null;
  /** Whether the shard lets go of it: it starts nothing and waits for the attempts under way (S10). */
  parking: boolean;
  /** How many `run.join`s have arrived. */
  joins: number;
  /** Reads of checkpoints under way. */
  reading: number;
  /** Whether the last one failed: a predecessor of this shard may still write them, so the run cannot be parked (S10). */
  outOfReach: boolean;
  /** Endpoints whose checkpoints could not be read, and when to try again. */
  unread: EndpointState[];
  readAgainMs: number;
}

interface WatchedTimeline {
  readonly live: LiveTimeline;
  readonly unwatch: () => void;
}

export class Shard implements ActorHost, TestHost {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly recorder: Recorder;
  readonly wheel: TimerWheel<Delivery>;
  readonly headerPrefix: string;
  readonly liveToLocalhost: boolean;
  readonly meter: ShardMeter;
  readonly finished: FinishedListener | null;
  readonly learnedCaps = new LearnedCaps();
  nowMs = 0;
  wallMs = 0;
  /** When it asked to be called again at the latest. */
  #expectedMs = Number.POSITIVE_INFINITY;
  /** When it last stood still (S11). */
  #stalledFromMs = Number.NEGATIVE_INFINITY;
  #stalledUntilMs = Number.NEGATIVE_INFINITY;
  /** Since when it has read responses without advancing (S1). */
  #readingSinceMs = Number.POSITIVE_INFINITY;
  readonly #parts: ShardParts;
  readonly #endpoints = new Map<string, EndpointState>();
  readonly #runs = new Map<string, ShardRun>();
  readonly #agenda = new RunAgenda<ShardRun>();
  /** Those that are being parked, and those with endpoints whose checkpoints could not be read. */
  readonly #parkingOrUnread = new Set<ShardRun>();
  /** Those of all runs that have not ended yet, by webhook: an account may change thousands of endpoints at once. */
  readonly #actors = new Map<string, Set<EndpointActor>>();
  /** By session. */
  readonly #liveTimelines = new Map<string, WatchedTimeline>();
  readonly #restarts = new Map<string, number>();
  readonly #shelf: SnapshotShelf<EndpointActor>;
  readonly #ready = new ReadyLanes<EndpointActor>();
  readonly #slots: Slots<EndpointActor>;
  readonly #lease: Lease;
  /** Of accounts with actors or tests. */
  readonly #shares = new Map<string, AccountShare<EndpointActor>>();
  #ended: EndpointActor[] = [];
  #ending: 'no' | 'draining' | 'drained' = 'no';
  #census: ActorCensus | null = null;
  #recordsFull = false;

  constructor(parts: ShardParts) {
    this.#parts = parts;
    this.#slots = new Slots(this.#ready, parts.slots);
    this.#lease = parts.lease ?? Lease.forever();
    this.clock = parts.clock;
    this.transport = parts.transport;
    this.headerPrefix = parts.headerPrefix;
    this.liveToLocalhost = parts.liveToLocalhost;
    this.meter = parts.meter;
    this.finished = parts.finished;
    this.wheel = new TimerWheel(parts.clock.nowMs());
    this.#shelf = new SnapshotShelf(
      (runId, position) => parts.notify({ kind: 'snapshots.wanted', runId, position }),
      (actor) => this.#readyIfHere(actor),
    );
    this.recorder = new Recorder({
      store: parts.store,
      clock: parts.clock,
      meter: parts.meter.records,
      writer: parts.writer,
      wake: parts.wake,
      keep: parts.keep,
      checkpointsAtOnceMax: parts.checkpointsAtOnceMax,
      reportProblem: (error, waitMs) =>
        parts.reportProblem(
          waitMs === Number.POSITIVE_INFINITY
            ? 'another process has taken over from this one, which records nothing more'
            : `group commit failed, next try in ${waitMs} ms`,
          error,
        ),
    });
  }

  receive(message: ToShard): void {
    if (this.#ending !== 'no') return;
    switch (message.kind) {
      case 'run.start':
        this.#startRun(message);
        break;
      case 'run.join':
        this.#joinRun(message.runId, message.endpoints);
        break;
      case 'run.stop':
        this.#stopRun(message.runId, message.reason);
        break;
      case 'run.park':
        this.#parkRun(message.runId);
        break;
      case 'endpoints.changed':
        for (const settings of message.settings) this.#change(settings);
        break;
      case 'endpoint.deleted':
        this.#delete(message.webhookId);
        break;
      case 'snapshots.made':
        this.#shelf.answered(message.runId, message.position, message.snapshots, this.clock.nowMs());
        break;
      case 'test.start':
        this.#readClock();
        new TestDelivery(this, message.order).start();
        break;
      case 'drain':
        this.#ending = 'draining';
        break;
    }
    this.#parts.wake();
  }

  /**
   * Does the work that is due. Returns the milliseconds until the next call: 0 for at once, Infinity for when woken.
   */
  advance(): number {
    this.#readClock();
    this.#readingSinceMs = Number.POSITIVE_INFINITY;
    const startMs = this.nowMs;
    this.wheel.advance(startMs, this.#fire);
    if (this.#ending === 'no') {
      this.#shelf.advance(startMs);
      if (this.#mayStart) this.#slots.readyRefused();
      this.#agenda.advance(startMs, this.#fallDue);
      for (const entry of this.#parkingOrUnread) this.#goOn(entry, startMs);
      this.#takeTurns(startMs);
    }
    this.#settleRuns();
    this.recorder.advance(this.clock.nowMs());
    this.#reportRecordsFull();
    if (this.#ending === 'draining') this.#drain();
    const delayMs = this.#nextDelayMs();
    this.#expectedMs = this.clock.nowMs() + delayMs;
    return delayMs;
  }

  /**
   * Counts a slice of the actors, and sets the gauges after the last slice. Returns true if there are more to count.
   */
  measure(): boolean {
    this.#census ??= new ActorCensus(this.#everyActor());
    const census = this.#census;
    if (!census.count(CENSUS_SLICE_ACTORS)) return true;
    this.#census = null;
    const { gauges } = this.meter;
    gauges.set('actors', census.actors);
    gauges.set('breakersOpen', census.breakersOpen);
    this.#showInFlight();
    gauges.set('mailbox', census.mailbox);
    gauges.set('mailboxMost', census.mailboxMost);
    gauges.set('queuedSinceMs', Number.isFinite(census.queuedSinceMs) ? census.queuedSinceMs : 0);
    gauges.set('recordAttempts', this.recorder.held);
    gauges.set('recordSinceMs', Number.isFinite(this.recorder.heldSinceMs) ? this.recorder.heldSinceMs : 0);
    gauges.set('retrying', census.retrying);
    return false;
  }

  // For actors and tests (ActorHost, TestHost).

  attemptEnded(delivery: Delivery, result: AttemptResult): void {
    this.#readClock();
    try {
      delivery.owner.attemptEnded(delivery, result);
    } catch (thrown) {
      delivery.owner.failed(thrown as Error);
    }
    if (this.#readingSinceMs === Number.POSITIVE_INFINITY) this.#readingSinceMs = this.nowMs;
    else if (this.nowMs - this.#readingSinceMs >= TURN_SLICE_MS) {
      this.advance();
      this.#parts.wake();
    }
  }

  get answersSinceMs(): number {
    return this.nowMs - this.#stalledUntilMs <= SHARD_STALL_READ_MS ? this.#stalledFromMs : this.nowMs;
  }

  acquire(actor: EndpointActor, held: number, far: boolean): boolean {
    if (!this.#slots.take(actor, held, far, this.#mayStart)) return false;
    this.#showInFlight();
    return true;
  }

  release({ share }: EndpointActor): void {
    this.#slots.release(share);
    this.#showInFlight();
  }

  acquireForTest(accountId: string): boolean {
    const share = this.#openShare(accountId);
    if (!this.#mayStart || !this.#slots.takeForTest(share)) {
      this.#closeShare(share);
      return false;
    }
    this.#showInFlight();
    return true;
  }

  releaseForTest(accountId: string): void {
    const share = this.#shares.get(accountId)!;
    this.#slots.release(share);
    this.#showInFlight();
    this.#closeShare(share);
  }

  testEnded({ testId }: TestOrder, outcome: TestOutcome): void {
    this.recorder.whenDurable(() => this.#parts.notify({ kind: 'test.ended', testId, outcome }));
  }

  reportProblem(what: string, error: Error): void {
    this.#parts.reportProblem(what, error);
  }

  ready(actor: EndpointActor): void {
    this.#ready.add(actor);
    this.#parts.wake();
  }

  snapshots(actor: EndpointActor, position: number): SnapshotsAtHand | null {
    return this.#shelf.get(actor.run.order.runId, position, actor, this.nowMs);
  }

  attemptStarted(run: Run): void {
    const entry = this.#runs.get(run.order.runId);
    if (entry === undefined || entry.started) return;
    entry.started = true;
    this.#parts.notify({ kind: 'run.first-attempt', runId: run.order.runId });
  }

  ended(actor: EndpointActor): void {
    this.#ended.push(actor);
  }

  restart(actor: EndpointActor, error: Error): void {
    const { runId } = actor.run.order;
    const { webhookId } = actor.endpoint.settings;
    const entry = this.#runs.get(runId);
    const key = `${runId} ${webhookId}`;
    const restarts = (this.#restarts.get(key) ?? 0) + 1;
    this.#restarts.set(key, restarts);
    this.meter.counts.add('actorRestarts');
    this.#parts.reportProblem(`actor of ${webhookId} in ${runId} failed and is restarted (${restarts})`, error);
    const from = actor.restartPoint();
    actor.abandon();
    this.recorder.forget(actor);
    this.#slots.forget(actor);
    if (entry === undefined || !this.#remove(entry, actor)) return;
    if (restarts > 2 * ACTOR_RESTARTS_MAX) {
      // Even refusing work fails. The actor's part of the run ends at its last recorded checkpoint.
      this.#ended.push(actor);
      this.#parts.wake();
      return;
    }
    const successor = this.#spawn(entry, actor.endpoint, from);
    this.recorder.note(successor);
    if (restarts > ACTOR_RESTARTS_MAX) successor.refuse('actor_failed');
    else if (entry.stopping !== null) successor.refuse(entry.stopping);
    if (entry.parking) successor.park(true);
    this.#parts.wake();
  }

  #showInFlight(): void {
    this.meter.gauges.set('inFlight', this.#slots.inFlight);
  }

  /** Readiness checks need to know that attempts are waiting for the database. */
  #reportRecordsFull(): void {
    const full = !this.recorder.hasRoom;
    if (full === this.#recordsFull) return;
    this.#recordsFull = full;
    this.#parts.notify({ kind: 'records', full });
  }

  readonly #toTurn = (actor: EndpointActor): void => this.#ready.add(actor);

  readonly #fire = (delivery: Delivery): void => {
    try {
      delivery.owner.timeUp(delivery);
    } catch (thrown) {
      delivery.owner.failed(thrown as Error);
    }
  };

  /** S12: whether what starts now can be recorded, and is this process's to start. */
  get #mayStart(): boolean {
    return this.recorder.hasRoom && this.#lease.holdsAt(this.nowMs);
  }

  #readClock(): void {
    this.nowMs = this.clock.nowMs();
    this.wallMs = this.clock.wallMs();
    if (this.nowMs - this.#expectedMs < SHARD_STALL_MS) return;
    this.#stalledFromMs = this.#expectedMs;
    this.#stalledUntilMs = this.nowMs;
    this.#expectedMs = Number.POSITIVE_INFINITY;
  }

  /** At the end of the run every actor takes a turn, if only to end. */
  readonly #fallDue = (entry: ShardRun): void => {
    const { run, actors, audiences } = entry;
    if (run.due >= run.end) actors.forEach(this.#toTurn);
    else audiences.fallDue(run.due, this.#toTurn);
    this.#settleIfOver(entry);
  };

  /** With parking it, or with reading what could not be read. */
  #goOn(entry: ShardRun, nowMs: number): void {
    if (entry.parking && !entry.outOfReach) this.#parkIfQuiet(entry);
    else if (entry.unread.length > 0 && nowMs >= entry.readAgainMs)
      this.#readCheckpoints(entry, entry.unread.splice(0));
    if (!entry.parking && entry.unread.length === 0) this.#parkingOrUnread.delete(entry);
  }

  #takeTurns(startMs: number): void {
    let turns = 0;
    for (let actor = this.#ready.take(); actor !== null; actor = this.#ready.take()) {
      this.#readClock();
      try {
        actor.turn();
      } catch (thrown) {
        this.restart(actor, thrown as Error);
      }
      turns++;
      if ((turns & 15) === 0 && this.nowMs - startMs >= TURN_SLICE_MS) break;
      if (this.transport.checking >= TURN_SLICE_CHECKS_MAX) break;
    }
    this.#ready.sliceEnded();
  }

  #startRun({ run: order, timeline, endpoints, resumed, deleted, stopping, parking }: RunStart): void {
    if (this.#runs.has(order.runId)) return;
    const live = 'bytes' in timeline ? null : this.#liveTimeline(timeline);
    const run = openRun(order, timeline, live);
    const entry: ShardRun = {
      run,
      live,
      audiences: new Audiences(order, run.timeline),
      headers: this.#headersOf(order),
      endpoints: new Set(endpoints.flatMap((settings) => this.#endpoint(settings) ?? [])),
      actors: new Set(),
      started: false,
      stopping: null,
      parking,
      joins: 0,
      reading: 0,
      outOfReach: false,
      unread: [],
      readAgainMs: 0,
    };
    this.#runs.set(order.runId, entry);
    this.#agenda.add(entry, live);
    if (parking) this.#parkingOrUnread.add(entry);
    for (const endpoint of entry.endpoints) endpoint.runs++;
    if (resumed) this.#readCheckpoints(entry, [...entry.endpoints]);
    else this.#spawnActors(entry, [...entry.endpoints], []);
    for (const webhookId of deleted) this.#delete(webhookId);
    if (stopping !== null) this.#stopRun(order.runId, stopping);
  }

  /** A resend has the headers of the run whose updates it sends, and one more. */
  #headersOf({ mode, sessionId, runId, speed, resend }: RunOrder): DeliveryHeaders {
    const run = resend === undefined ? { runId, speed } : resend.of;
    return new DeliveryHeaders({
      mode,
      sessionId,
      run: mode === 'live' ? null : run,
      resend: resend === undefined ? null : runId,
      headerPrefix: this.headerPrefix,
    });
  }

  #liveTimeline(memory: LiveMemory): LiveTimeline {
    const { sessionId } = memory.head;
    let watched = this.#liveTimelines.get(sessionId);
    if (watched === undefined) {
      const live = new LiveTimeline(memory);
      watched = { live, unwatch: this.#parts.watch(live, this.#parts.wake) };
      this.#liveTimelines.set(sessionId, watched);
    }
    return watched.live;
  }

  /**
   * If the run has already settled here, its `joins` does not count this message, and the router starts it again (C2).
   */
  #joinRun(runId: string, endpoints: readonly EndpointSettings[]): void {
    const entry = this.#runs.get(runId);
    if (entry === undefined) return;
    entry.joins++;
    const joining = endpoints
      .flatMap((settings) => this.#endpoint(settings) ?? [])
      .filter((endpoint) => !entry.endpoints.has(endpoint));
    if (joining.length === 0) return;
    for (const endpoint of joining) {
      entry.endpoints.add(endpoint);
      endpoint.runs++;
    }
    this.#readCheckpoints(entry, joining);
  }

  #readCheckpoints(entry: ShardRun, endpoints: readonly EndpointState[]): void {
    const { runId } = entry.run.order;
    const webhookIds = endpoints.map(({ settings }) => settings.webhookId);
    entry.reading++;
    const checkpoints = this.recorder.takeOver().then(() => this.#parts.store.checkpoints(runId, webhookIds));
    checkpoints.then(
      (known) => {
        entry.reading--;
        entry.outOfReach = false;
        this.#spawnActors(entry, endpoints, known);
      },
      (error: Error) => {
        this.#parts.reportProblem(
          `checkpoints of run ${runId} could not be read, next try in ${RECORD_RETRY_MS_MAX} ms`,
          error,
        );
        entry.reading--;
        entry.outOfReach = true;
        entry.unread.push(...endpoints);
        if (this.#runs.get(runId) === entry) this.#parkingOrUnread.add(entry);
        entry.readAgainMs = this.clock.nowMs() + RECORD_RETRY_MS_MAX;
        this.#parts.wake();
      },
    );
  }

  #spawnActors(entry: ShardRun, endpoints: readonly EndpointState[], checkpoints: readonly Checkpoint[]): void {
    const { runId } = entry.run.order;
    // The shard was drained during the read.
    if (this.#runs.get(runId) !== entry) return;
    if (entry.parking) {
      // If the run is stopped now, they are read again.
      entry.unread.push(...endpoints);
      this.#parts.wake();
      return;
    }
    const known = new Map(checkpoints.map((checkpoint) => [checkpoint.webhookId, checkpoint]));
    // The writer of the checkpoints may have seen more of a live timeline than this shard has yet.
    entry.live?.refresh();
    for (const endpoint of endpoints) {
      const { webhookId } = endpoint.settings;
      const from = known.get(webhookId) ?? newCheckpoint(runId, webhookId);
      const actor = this.#spawn(entry, endpoint, checkpointWithin(from, entry.run.timeline.length));
      if (entry.stopping !== null) actor.refuse(entry.stopping);
    }
    this.#settleIfOver(entry);
    this.#parts.wake();
  }

  /** Invalid settings, which the API should never store, must not end the whole shard. */
  #change(settings: EndpointSettings): void {
    try {
      this.#endpoints.get(settings.webhookId)?.change(settings);
    } catch (thrown) {
      this.#parts.reportProblem(`invalid settings of ${settings.webhookId}, the old ones stay`, thrown as Error);
    }
    this.#tellActorsOf(settings.webhookId);
  }

  #delete(webhookId: string): void {
    this.#endpoints.get(webhookId)?.delete();
    this.#tellActorsOf(webhookId);
  }

  #endpoint(settings: EndpointSettings): EndpointState | null {
    const known = this.#endpoints.get(settings.webhookId);
    if (known !== undefined) return known;
    try {
      const endpoint = new EndpointState(settings);
      this.#endpoints.set(settings.webhookId, endpoint);
      return endpoint;
    } catch (thrown) {
      this.#parts.reportProblem(`invalid settings of ${settings.webhookId}, it is left out`, thrown as Error);
      return null;
    }
  }

  #spawn(entry: ShardRun, endpoint: EndpointState, from: Checkpoint): EndpointActor {
    const share = this.#openShare(endpoint.settings.accountId);
    const actor = new EndpointActor(this, share, endpoint, entry.run, entry.headers, entry.audiences, from);
    entry.actors.add(actor);
    const { webhookId } = endpoint.settings;
    const others = this.#actors.get(webhookId);
    if (others === undefined) this.#actors.set(webhookId, new Set([actor]));
    else others.add(actor);
    this.#ready.add(actor);
    return actor;
  }

  /** Forgets an actor. Returns false if it was forgotten before. */
  #remove(entry: ShardRun, actor: EndpointActor): boolean {
    if (!entry.actors.delete(actor)) return false;
    const { webhookId } = actor.endpoint.settings;
    const actors = this.#actors.get(webhookId)!;
    actors.delete(actor);
    if (actors.size === 0) this.#actors.delete(webhookId);
    this.#closeShare(actor.share);
    return true;
  }

  #openShare(accountId: string): AccountShare<EndpointActor> {
    let share = this.#shares.get(accountId);
    if (share === undefined) {
      share = new AccountShare(accountId);
      this.#shares.set(accountId, share);
    }
    share.users++;
    return share;
  }

  #closeShare(share: AccountShare<EndpointActor>): void {
    share.users--;
    if (share.users === 0) this.#shares.delete(share.accountId);
  }

  #stopRun(runId: string, reason: StopReason): void {
    const entry = this.#runs.get(runId);
    if (entry === undefined) return;
    this.#readClock();
    // Updates that are due by now still count, even if the run has not advanced since it arrived.
    entry.run.advance(this.nowMs);
    entry.run.stop();
    entry.stopping = reason;
    entry.parking = false;
    for (const actor of entry.actors) {
      actor.park(false);
      actor.refuse(reason);
    }
    this.#settleIfOver(entry);
  }

  #parkRun(runId: string): void {
    const entry = this.#runs.get(runId);
    // It has just settled here, or is being stopped.
    if (entry === undefined || entry.stopping !== null) return;
    entry.parking = true;
    this.#parkingOrUnread.add(entry);
    for (const actor of entry.actors) actor.park(true);
    this.#parts.wake();
  }

  /** S10 */
  #parkIfQuiet(entry: ShardRun): void {
    if (entry.reading > 0) return;
    for (const { inFlight } of entry.actors) if (inFlight > 0) return;
    for (const actor of [...entry.actors]) {
      this.recorder.note(actor);
      actor.abandon();
      this.#slots.forget(actor);
      this.#remove(entry, actor);
    }
    const { runId } = entry.run.order;
    this.#forgetRun(entry);
    this.recorder.whenWritten(() => this.#parts.notify({ kind: 'run.parked', runId }));
  }

  *#everyActor(): Generator<EndpointActor> {
    for (const { actors } of this.#runs.values()) yield* actors;
  }

  /** An actor that waited may have been replaced since. */
  #readyIfHere(actor: EndpointActor): void {
    if (this.#runs.get(actor.run.order.runId)?.actors.has(actor) === true) this.ready(actor);
  }

  #tellActorsOf(webhookId: string): void {
    for (const actor of this.#actors.get(webhookId) ?? []) actor.changed();
  }

  #settleRuns(): void {
    if (this.#ended.length === 0) return;
    const ended = this.#ended;
    this.#ended = [];
    for (const actor of ended) {
      this.#slots.forget(actor);
      const { runId } = actor.run.order;
      const entry = this.#runs.get(runId);
      if (entry === undefined) continue;
      this.#remove(entry, actor);
      this.#settleIfOver(entry);
    }
  }

  /** A live run without actors waits for new endpoints until its session ends. */
  #settleIfOver({ run, actors, reading, unread }: ShardRun): void {
    const awaited = reading > 0 || unread.length > 0 || run.end === Number.POSITIVE_INFINITY;
    if (!awaited && actors.size === 0 && this.#runs.has(run.order.runId)) this.#settleRun(run.order.runId);
  }

  #settleRun(runId: string): void {
    const entry = this.#runs.get(runId)!;
    const { joins } = entry;
    this.#forgetRun(entry);
    this.recorder.whenWritten(() => this.#parts.notify({ kind: 'run.settled', runId, joins }));
  }

  #forgetRun(entry: ShardRun): void {
    const { run, endpoints } = entry;
    const { runId } = run.order;
    this.#runs.delete(runId);
    this.#parkingOrUnread.delete(entry);
    this.#shelf.forget(runId);
    this.#unfollow(entry);
    for (const endpoint of endpoints) {
      endpoint.runs--;
      if (endpoint.runs === 0) this.#endpoints.delete(endpoint.settings.webhookId);
    }
    for (const key of this.#restarts.keys()) if (key.startsWith(`${runId} `)) this.#restarts.delete(key);
  }

  #unfollow(entry: ShardRun): void {
    const { run, live } = entry;
    const isFollowed = this.#agenda.remove(entry, live);
    if (live === null || isFollowed) return;
    this.#liveTimelines.get(run.order.sessionId)!.unwatch();
    this.#liveTimelines.delete(run.order.sessionId);
  }

  #drain(): void {
    if (this.#slots.inFlight > 0) return;
    this.#ending = 'drained';
    const runs = [...this.#runs.values()];
    this.#runs.clear();
    this.#actors.clear();
    this.#parkingOrUnread.clear();
    for (const entry of runs) {
      for (const actor of entry.actors) actor.abandon();
      this.#unfollow(entry);
    }
    this.recorder.end((lost) => this.#parts.notify({ kind: 'drained', lost }));
  }

  #nextDelayMs(): number {
    const nowMs = this.clock.nowMs();
    // Timers and batches may be a millisecond late; only updates justify an earlier wake-up.
    let nextMs = Math.min(this.wheel.nextDueMs(), this.recorder.nextDueMs());
    if (nextMs > nowMs) nextMs = Math.max(nextMs, nowMs + 1);
    if (this.#slots.inFlight > 0) nextMs = Math.min(nextMs, nowMs + SHARD_STALL_MS);
    if (this.#ending === 'no') {
      if (!this.#ready.isEmpty || (this.#mayStart && this.#slots.awaited)) return 0;
      if (!this.#lease.holdsAt(nowMs) && this.#slots.awaited) nextMs = Math.min(nextMs, nowMs + LEASE_LOOK_MS);
      nextMs = Math.min(nextMs, this.#shelf.nextDueMs(), this.#agenda.nextDueMs());
      for (const { parking, outOfReach, unread, readAgainMs } of this.#parkingOrUnread)
        if (unread.length > 0 && (outOfReach || !parking)) nextMs = Math.min(nextMs, readAgainMs);
    }
    return Math.max(0, nextMs - nowMs);
  }
}

function openRun(order: RunOrder, shared: SharedTimeline, live: LiveTimeline | null): Run {
  const { resend } = order;
  const timeline = 'bytes' in shared ? openArtifact(shared.bytes) : live!.timeline;
  if (resend !== undefined) return new ResendRun(order, resend, timeline, live);
  return live === null ? new PacedRun(order, timeline) : new LiveRun(order, live);
}
