// One simulation from the beginning until nothing is left to do: the scenario's events on a simulated clock, the
// customers' settings, the receivers, the database and, while it lives, a process of the service.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { MonthAttempts, UsageTotals } from '#api/usage/usage-store.ts';
import { DRAIN_DEADLINE_MS } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import {
  recordKept,
  type UnrecordedFiles,
  type WriterStore,
} from '#engine/delivery/delivery-log/unrecorded-batches.ts';
import { monthOf } from '#engine/delivery/usage/month.ts';
import type { LiveMemory } from '#engine/timeline/live-memory.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';
import { Chance } from './chance.ts';
import { Customers } from './customers.ts';
import { Observed, type RunRow } from './observed.ts';
import { DERIVER_VERSIONS, type PlannedTimeline } from './planned-timeline.ts';
import { type Asked, type Reaction, react } from './receivers.ts';
import {
  BUCKET,
  type EndpointEvent,
  type EndpointPlan,
  type ReplayPlan,
  roomIn,
  type Scenario,
  type ScenarioEvent,
  type Temper,
} from './scenario.ts';
import { SimulatedDatabase } from './simulated-database.ts';
import { SimulatedDisk } from './simulated-disk.ts';
import { SimulatedLiveSession, type SimulatedRecording } from './simulated-live-session.ts';
import { SimulatedProcess } from './simulated-process.ts';

/** How long everything may take to end after the last fault, apart from updates that are not due yet. */
const SETTLING_MS_MAX = 400_000;
/** Timers that may fire in one simulation: far more than any scenario needs. */
const STEPS_MAX = 2_000_000;
/** From the death of a starting process to the next start. */
const RESTART_MS = 300;
/** How long a statement of a starting process takes. */
const STATEMENT_MS = 1;

export class World {
  readonly scenario: Scenario;
  readonly planned: PlannedTimeline;
  readonly time: SimulatedTime;
  readonly observed: Observed;
  readonly database: SimulatedDatabase;
  readonly disk = new SimulatedDisk();
  readonly customers: Customers;
  /** Of what is kept on the disk. Nothing of that may fail. */
  readonly log: Log;
  steps = 0;
  /** How often a process has read what the one before has kept, and has begun to work. */
  #reads = 0;
  #starts = 0;
  readonly #waiting: ReplayPlan[] = [];
  #process: SimulatedProcess | null = null;
  #live: SimulatedLiveSession | null = null;
  /** The recording of the live session; null until it begins. */
  #recording: SimulatedRecording | null = null;
  #isSealed = false;
  #left = 0;

  constructor(scenario: Scenario, planned: PlannedTimeline, traced: boolean) {
    this.scenario = scenario;
    this.planned = planned;
    this.time = new SimulatedTime(scenario.startWallMs);
    this.observed = new Observed(traced);
    this.database = new SimulatedDatabase(scenario.seed, this.time, this.observed);
    const note = (_: object, message: string): void => this.observed.note(this.time.nowMs(), () => message);
    const violated = (details: object, message: string): void =>
      this.observed.violated(`UR5: ${message} ${JSON.stringify(details)}`);
    this.log = { info: note, warn: note, error: violated };
    this.customers = new Customers(scenario, this.observed.versions);
  }

  /** Plays the scenario, then waits until everything has ended. */
  async play(): Promise<void> {
    const { scenario, planned } = this;
    for (const plan of scenario.endpoints) {
      const bornMs = plan.atEnd && scenario.liveAtMs !== null ? this.#endMs - plan.bornMs : plan.bornMs;
      this.#at(Math.max(0, bornMs), () => this.#born(plan));
    }
    for (const plan of scenario.replays) this.#at(plan.atMs, () => this.#replay(plan));
    for (const event of scenario.events) this.#at(event.atMs, () => this.#happens(event));
    if (scenario.liveAtMs !== null) {
      const { updates } = planned;
      this.#at(scenario.liveAtMs, () => this.#openLive());
      for (const [position, { dueMs }] of updates.entries()) {
        if (updates[position + 1]?.dueMs === dueMs) continue;
        this.#at(scenario.liveAtMs + dueMs, () => this.#publish());
      }
      this.#at(this.#endMs, () => this.#seal());
    }
    this.#at(scenario.faultsEndMs, () => {
      this.database.weather = 'fair';
      this.#process?.runs.releaseAll();
    });
    this.#at(0, () => this.#start());
    try {
      await this.#untilQuiet();
    } finally {
      this.#live?.close();
      if (this.#recording !== null) rmSync(dirname(this.#recording.journal), { recursive: true });
    }
  }

  /** The deriver version of the present process. */
  get version(): number {
    return this.scenario.upgrades ? DERIVER_VERSIONS[this.#starts % DERIVER_VERSIONS.length]! : DERIVER_VERSIONS[0];
  }

  /** What the live session has published, once it is over: from its journal (J2). */
  endedLive(): LiveMemory {
    const session = new SimulatedLiveSession(this.#recording!, this.version, this.time.nowMs());
    session.seal();
    session.close();
    return session.memory;
  }

  /** Returns the account's usage of a month and its plan. */
  totals(account: string, month: string): UsageTotals {
    const { left } = this.scenario.accounts.find(({ name }) => name === account)!;
    let attempts = left === null ? 0 : BUCKET - roomIn(this.scenario, left, month);
    let demoAttempts = 0;
    for (const sum of this.database.memory.usage.values()) {
      if (sum.accountId !== account || sum.month !== month) continue;
      attempts += sum.attempts;
      demoAttempts += sum.demo ?? 0;
    }
    return {
      plan: left === null ? 'custom' : 'free',
      spendCapCents: 0,
      attempts,
      demoAttempts,
      succeeded: 0,
      failed: 0,
      skipped: 0,
    };
  }

  /** Returns the account's usage of every month that the database has any of. */
  attemptsByMonth(account: string): MonthAttempts[] {
    const own = [...this.database.memory.usage.values()].filter(({ accountId }) => accountId === account);
    const first = monthOf(this.scenario.startWallMs);
    const months = new Set([first.firstDay, monthOf(first.endsMs).firstDay, ...own.map(({ month }) => month)]);
    return [...months].map((month) => {
      const { attempts, demoAttempts = 0 } = this.totals(account, month);
      return { month, attempts, demoAttempts };
    });
  }

  react(endpoint: string, asked: Omit<Asked, 'seed' | 'endpoint'>): Reaction {
    const temper: Temper = asked.atMs >= this.scenario.faultsEndMs ? 'fast' : this.customers.planOf(endpoint).temper;
    return react(temper, { ...asked, seed: this.scenario.seed, endpoint });
  }

  #at(delayMs: number, work: () => void): void {
    this.#left++;
    this.time.schedule(delayMs, () => {
      this.#left--;
      work();
    });
  }

  #happens(event: ScenarioEvent): void {
    const { time, observed } = this;
    observed.note(time.nowMs(), () => JSON.stringify(event));
    switch (event.kind) {
      case 'shard.dies':
        this.#process?.shardDies(event.shard, event.committing);
        break;
      case 'process.dies':
        this.#endProcess(event.downMs);
        break;
      case 'process.drains':
        this.#drainProcess(event.downMs);
        break;
      case 'live-thread.dies':
        if (this.#process !== null && !this.#isSealed) this.#live?.restart(time.nowMs());
        break;
      case 'weather':
        this.database.weather = event.weather;
        this.#at(event.forMs, () => {
          this.database.weather = 'fair';
        });
        break;
      case 'stop':
        this.#process?.runs.stop(event.run, 'stopped');
        break;
      case 'resend':
        this.#process?.runs.resend(event, this.#live);
        break;
      case 'hold':
        this.#process?.runs.hold(event.run);
        break;
      case 'release':
        this.#process?.runs.release(event.run);
        break;
      case 'seek':
        this.#process?.runs.seek(event.run, event.over);
        break;
      case 'expire':
        if (this.#isSealed) this.#process?.runs.expireLive();
        break;
      case 'clock':
        observed.clockSteps.push({ atMs: time.nowMs(), wallMs: time.wallMs(), stepMs: event.stepMs });
        time.stepWall(event.stepMs);
        break;
      case 'stall':
        observed.stalls.push({ atMs: time.nowMs(), forMs: event.forMs });
        time.spend(event.forMs);
        break;
      case 'fold':
        this.database.memory.fold(event.rows, event.interruptedAfter ?? undefined);
        break;
      default:
        this.#changes(event);
    }
  }

  #changes(event: EndpointEvent): void {
    const changed = this.customers.change(event, this.time.nowMs(), this.time.wallMs());
    if (changed === 'deleted') this.#process?.deleted(event.endpoint);
    else if (changed !== null) this.#process?.changed(changed);
  }

  #born(plan: EndpointPlan): void {
    this.customers.create(plan, this.time.nowMs());
    const by = this.#process;
    // The process that stored it adds it to the live session a little later. The session may begin in between.
    this.#at(new Chance(this.scenario.seed, `join of ${plan.name}`).pick([0, 3, 25]), () => {
      if (by === null || by !== this.#process || this.#live === null || this.#isSealed) return;
      by.runs.endpointCreated(plan.account, plan.name, this.#live);
    });
  }

  #replay(plan: ReplayPlan): void {
    if (this.#process === null) this.#waiting.push(plan);
    else this.#process.runs.replay(plan);
  }

  /** When the live session ends, if a process follows it then. */
  get #endMs(): number {
    const { scenario, planned } = this;
    return (scenario.liveAtMs ?? 0) + (planned.updates.at(-1)?.dueMs ?? 0) + scenario.sealAfterMs;
  }

  /** After a stall, a process that has just started may have opened the session before its own event comes. */
  #openLive(): void {
    if (this.#process === null || this.#live !== null) return;
    this.#recording ??= { updates: this.planned.updates, journal: join(journalFolder(), 'updates'), frames: 0 };
    this.#live = new SimulatedLiveSession(this.#recording, this.version, this.time.nowMs());
    this.#publish();
    this.#process.runs.openLive(this.#live);
  }

  #publish(): void {
    const { scenario, planned, time } = this;
    if (this.#process === null || this.#live === null || this.#isSealed) return;
    const elapsedMs = time.nowMs() - scenario.liveAtMs!;
    const length = planned.updates.filter(({ dueMs }) => dueMs <= elapsedMs).length;
    this.#live.publishTo(length, time.nowMs());
    this.observed.published.push({ length, atMs: time.nowMs() });
    for (const thread of this.#process.threads) thread.published();
  }

  /** Ends the session. Without a process that follows it, it stays open. */
  #seal(): void {
    if (this.#process === null || this.#live === null || this.#isSealed) return;
    this.#publish();
    this.#isSealed = true;
    this.#live.seal();
    for (const thread of this.#process.threads) thread.published();
  }

  #start(): void {
    this.#left++;
    this.#recordKept().then((isAlive) => {
      this.#left--;
      if (isAlive) this.#begin();
      else this.#at(RESTART_MS, () => this.#start());
    });
  }

  /** Records what the last process has kept. Returns false if the process dies meanwhile. */
  async #recordKept(): Promise<boolean> {
    const { scenario, database, disk, log, observed, time } = this;
    const chance = new Chance(scenario.seed, `start ${this.#reads++}`);
    let steps = chance.happens(0.6) ? chance.whole(1, 3) : Number.POSITIVE_INFINITY;
    const die = (): void => {
      if (--steps === 0) throw new Error('the starting process dies');
    };
    const files: UnrecordedFiles = {
      folder: disk.folder,
      names: () => disk.names(),
      read: (name) => disk.read(name),
      write: (name, parts) => disk.write(name, parts),
      setAside: (name, reason) => disk.setAside(name, reason),
      remove(name) {
        die();
        disk.remove(name);
      },
    };
    const store: WriterStore = {
      async admit(writer) {
        await time.sleep(STATEMENT_MS);
        return database.memory.admit(writer);
      },
      async lastBatch(writer) {
        await time.sleep(STATEMENT_MS);
        return database.memory.lastBatch(writer);
      },
      async commit(batch) {
        await time.sleep(STATEMENT_MS);
        observed.batch(time.nowMs(), batch, 'the start records');
        die();
        await database.land(batch);
        die();
      },
    };
    return recordKept({ files, store, fold: async () => database.memory.fold(), log }).then(
      () => true,
      (error: Error) => {
        observed.note(time.nowMs(), () => error.message);
        if (steps > 0) observed.violated(`UR3: the start fails: ${error.message}`);
        return false;
      },
    );
  }

  #begin(): void {
    const { scenario, time } = this;
    this.#starts++;
    this.#process = new SimulatedProcess(this);
    const liveAtMs = scenario.liveAtMs;
    if (liveAtMs !== null && !this.#isSealed && time.nowMs() >= liveAtMs) {
      this.#openLive();
      if (time.nowMs() >= this.#endMs) this.#at(50, () => this.#seal());
    }
    this.#process.runs.resume();
    for (const plan of this.#waiting.splice(0)) this.#process.runs.replay(plan);
  }

  #endProcess(downMs: number): void {
    if (this.#process === null) return;
    this.#process.kill();
    this.#process = null;
    this.#live?.close();
    this.#live = null;
    this.#at(downMs, () => this.#start());
  }

  #drainProcess(downMs: number): void {
    const process = this.#process;
    if (process === null) return;
    this.#process = null;
    this.#live?.close();
    this.#live = null;
    this.#left++;
    this.#drained(process).then(() => {
      this.#left--;
      this.#at(downMs, () => this.#start());
    });
  }

  /** SIGTERM cuts off no attempt, and nothing is lost whatever the state of the database. */
  async #drained(process: SimulatedProcess): Promise<void> {
    const { time, observed } = this;
    const startedMs = time.nowMs();
    const threads = new Set(process.threads.filter(({ alive }) => alive).map(({ seen }) => seen.thread));
    await process.drain();
    const tookMs = time.nowMs() - startedMs;
    const isAlive = (thread: number): boolean => threads.has(thread) && !observed.threads[thread]!.wasKilled;
    const cut = observed.attempts.filter(({ thread, ended }) => isAlive(thread) && ended?.end.kind === 'cut');
    if (tookMs >= DRAIN_DEADLINE_MS && observed.stalls.length === 0)
      observed.violated(`liveness: SIGTERM took ${tookMs} ms`);
    const atDrain = cut.filter(({ ended }) => ended!.atMs === time.nowMs());
    if (tookMs < DRAIN_DEADLINE_MS && atDrain.length > 0)
      observed.violated(`I1: SIGTERM cut off ${atDrain.length} attempts`);
    const killed = process.threads.filter(({ seen }) => seen.wasKilled);
    if (tookMs < DRAIN_DEADLINE_MS && process.router.cutOff > killed.length)
      observed.violated(`I1: SIGTERM reports ${process.router.cutOff} shards as cut off, but ${killed.length} died`);
    observed.drains.push({ threads, wasClean: tookMs < DRAIN_DEADLINE_MS });
  }

  get #isOver(): boolean {
    const { observed, scenario } = this;
    if (this.#left > 0 || this.#process === null || this.time.nowMs() < scenario.faultsEndMs) return false;
    return [...observed.runs.values()].every(({ state }: RunRow) => state === 'ended');
  }

  async #untilQuiet(): Promise<void> {
    const { scenario, planned, time, observed } = this;
    const untilMs = scenario.faultsEndMs + (planned.updates.at(-1)?.dueMs ?? 0) + SETTLING_MS_MAX;
    while (!this.#isOver) {
      const hasStepped = await time.step(untilMs);
      if (hasStepped && ++this.steps < STEPS_MAX) continue;
      const open = [...observed.runs.values()].filter(({ state }) => state !== 'ended').map(({ runId }) => runId);
      observed.violated(`liveness: all faults are over, but these runs do not end: ${open.join(', ')}`);
      return;
    }
    await time.pass(20_000);
    for (const thread of this.#process!.threads.filter(({ alive }) => alive)) {
      const left = thread.leftovers();
      if (left.length > 0) observed.violated(`liveness: shard ${thread.seen.shard} still has ${left.join(', ')}`);
    }
    for (const name of this.disk.names()) observed.violated(`UR3: ${name} was not recorded`);
    let hasEnded = false;
    this.#drained(this.#process!).then(() => {
      hasEnded = true;
    });
    await time.pass(1_000);
    if (!hasEnded) observed.violated('liveness: with nothing left to do, SIGTERM takes more than a second');
  }
}

/** In memory where there is such a file system: hundreds of simulations write and sync journals. */
function journalFolder(): string {
  return mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'slipstream-simulation-'));
}
