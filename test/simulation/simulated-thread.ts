// A shard thread without a thread: the real shard, driven as in `workers/shard.ts`. Messages take a while in both
// directions, stay in order, and are lost with the thread.

import type { ShardEvents, ShardThread } from '#engine/delivery/cluster/shard-router.ts';
import type { Writer } from '#engine/delivery/delivery-log/record-store.ts';
import { ShardMeter } from '#engine/delivery/meter/shard-meter.ts';
import { Shard, type ShardParts } from '#engine/delivery/shard/shard.ts';
import type { FromShard, ToShard } from '#engine/delivery/shard/shard-messages.ts';
import type { LiveTimeline } from '#engine/timeline/live-timeline.ts';
import type { SimulatedTime } from '#test/support/simulated-time.ts';
import { Chance } from './chance.ts';
import type { Observed, ThreadSeen } from './observed.ts';
import type { DatabaseClient } from './simulated-database.ts';
import { SimulatedTransport, type TransportParts } from './simulated-transport.ts';

export interface ThreadParts
  extends Pick<TransportParts, 'seed' | 'sendingMs' | 'slots' | 'overSockets' | 'faultsEndMs' | 'addressee' | 'react'> {
  readonly time: SimulatedTime;
  readonly observed: Observed;
  readonly seen: ThreadSeen;
  readonly database: DatabaseClient;
  readonly keep: ShardParts['keep'];
  readonly writer: Writer;
  readonly messageMsMax: number;
  readonly checkpointsAtOnceMax: number;
  readonly liveToLocalhost: boolean;
  readonly chance: Chance;
  readonly events: ShardEvents;
}

export class SimulatedThread implements ShardThread {
  readonly seen: ThreadSeen;
  readonly transport: SimulatedTransport;
  readonly #parts: ThreadParts;
  readonly #shard: Shard;
  readonly #watching = new Set<() => void>();
  readonly #answered: Chance;
  #alive = true;
  #awake = false;
  #asleep = false;
  #cancelSleep: () => void = () => {};
  #toShardMs = 0;
  #fromShardMs = 0;

  constructor(parts: ThreadParts) {
    this.#parts = parts;
    this.seen = parts.seen;
    this.#answered = new Chance(parts.seed, `answers to thread ${parts.seen.thread}`);
    this.transport = new SimulatedTransport({ ...parts, thread: parts.seen, onThread: (work) => this.#run(work) });
    this.#shard = new Shard({
      clock: parts.time,
      transport: this.transport,
      store: parts.database,
      keep: parts.keep,
      checkpointsAtOnceMax: parts.checkpointsAtOnceMax,
      writer: parts.writer,
      headerPrefix: 'X-Service',
      liveToLocalhost: parts.liveToLocalhost,
      meter: new ShardMeter(),
      slots: parts.slots,
      finished: null,
      watch: (_live: LiveTimeline, changed) => this.#watch(changed),
      notify: (message) => this.#notify(message),
      wake: () => this.#wake(),
      reportProblem: (what, error) => this.#reportProblem(what, error),
    });
    this.#notify({ kind: 'ready' });
  }

  get alive(): boolean {
    return this.#alive;
  }

  post(message: ToShard): void {
    const { time, observed } = this.#parts;
    // An answer can come twice: the question was asked again before the first answer arrived.
    if (message.kind === 'snapshots.made' && this.#answered.happens(0.2))
      time.schedule(this.#answered.whole(0, 30_000), () => this.#run(() => this.#shard.receive(message)));
    this.#toShardMs = Math.max(this.#toShardMs, time.nowMs() + this.#delayMs());
    time.schedule(this.#toShardMs - time.nowMs(), () => {
      this.#run(() => {
        observed.note(time.nowMs(), () => `thread ${this.seen.thread} receives ${message.kind}`);
        observed.received.push({ no: observed.nextNo(), thread: this.seen.thread, message });
        this.#shard.receive(message);
      });
    });
  }

  /** Kills it from outside. */
  die(reason: string): void {
    if (!this.#alive) return;
    this.#stop();
    this.seen.wasKilled = true;
    const { time, events } = this.#parts;
    time.schedule(this.#delayMs(), () => events.died(new Error(reason)));
  }

  /** Kills it while its next commit is under way. */
  dieCommitting(reason: string): void {
    this.#parts.database.onceCommitting(() => this.die(reason));
  }

  async end(): Promise<void> {
    this.#stop();
  }

  /** Its whole process is gone: no router learns of its death. */
  vanish(): void {
    this.#stop();
  }

  /** Updates were published to a live timeline. */
  published(): void {
    for (const changed of this.#watching) {
      this.#parts.time.schedule(this.#parts.chance.next() * 2, () => {
        if (this.#watching.has(changed)) this.#run(changed);
      });
    }
  }

  /** Returns what it still holds although everything is settled. */
  leftovers(): string[] {
    const left: string[] = [];
    if (this.#shard.wheel.running > 0) left.push(`${this.#shard.wheel.running} timers`);
    if (this.#shard.recorder.ledgers > 0) left.push(`${this.#shard.recorder.ledgers} ledgers`);
    if (this.transport.openConnections > 0) left.push(`${this.transport.openConnections} open connections`);
    if (this.transport.openSockets > 0) left.push(`${this.transport.openSockets} open sockets`);
    if (this.transport.inFlight > 0) left.push(`${this.transport.inFlight} attempts under way`);
    if (this.#watching.size > 0) left.push(`${this.#watching.size} live timelines watched`);
    if (this.#awake || this.#asleep) left.push('work to do');
    return left;
  }

  #stop(): void {
    if (!this.#alive) return;
    this.#alive = false;
    this.#cancelSleep();
    this.#watching.clear();
    this.#parts.database.die();
    this.transport.cut();
    this.seen.diedMs = this.#parts.time.nowMs();
  }

  #delayMs(): number {
    return this.#parts.chance.next() * this.#parts.messageMsMax;
  }

  #notify(message: FromShard): void {
    const { time, events, observed } = this.#parts;
    this.#fromShardMs = Math.max(this.#fromShardMs, time.nowMs() + this.#delayMs());
    time.schedule(this.#fromShardMs - time.nowMs(), () => {
      if (!this.#alive) return;
      observed.note(time.nowMs(), () => `thread ${this.seen.thread} says ${message.kind}`);
      events.heard(message);
    });
  }

  #watch(changed: () => void): () => void {
    this.#watching.add(changed);
    return () => this.#watching.delete(changed);
  }

  #wake(): void {
    if (this.#awake || !this.#alive) return;
    this.#awake = true;
    this.#parts.time.schedule(0, () => this.#run(() => this.#advance()));
  }

  #advance(): void {
    this.#awake = false;
    this.#asleep = false;
    this.#cancelSleep();
    const delayMs = this.#shard.advance();
    if (delayMs === 0) this.#wake();
    if (this.#awake || delayMs === Number.POSITIVE_INFINITY) return;
    this.#asleep = true;
    const sleepMs = delayMs < 1 ? delayMs : Math.floor(delayMs);
    this.#cancelSleep = this.#parts.time.schedule(sleepMs, () => this.#run(() => this.#advance()));
  }

  /** An error here would end the real thread, so it is a violation. */
  #run(work: () => void): void {
    if (!this.#alive) return;
    try {
      work();
    } catch (error) {
      this.#parts.observed.violated(`I9: shard ${this.seen.shard} threw: ${(error as Error).message}`);
      this.die((error as Error).message);
    }
  }

  #reportProblem(what: string, error: Error): void {
    const { observed, time } = this.#parts;
    observed.note(time.nowMs(), () => `thread ${this.seen.thread} reports: ${what}: ${error.message}`);
    // Actors fail only when the transport throws.
    if (/^actor of/.test(what) && !/a defect in the transport/.test(error.message))
      observed.violated(`${citedOr('I9', error.message)}: ${what}: ${error.message}`);
    if (error.name === 'WriterSuperseded' && this.#alive)
      observed.violated(`I1: ${what} although the thread lives: ${error.message}`);
  }
}

/** The invariant that the message cites, or `otherwise`. */
function citedOr(otherwise: string, message: string): string {
  return /^[A-Z]\d+(?=:)/.exec(message)?.[0] ?? otherwise;
}
