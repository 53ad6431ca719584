// The life of runs as in `api/simulate/runs.ts` and `api/webhooks/live/live-deliveries.ts`, over the simulated
// database. The participants are recorded first, then the run is handed to the engine with the present settings. A run
// that one process left unfinished is resumed by the next.

import { reopenedTimeline } from '#api/simulate/reopened-timeline.ts';
import type { RunListener } from '#engine/delivery/cluster/delivery-control.ts';
import { missedUpdates, type RunOutcomes } from '#engine/delivery/delivery-log/missed-updates.ts';
import { CompiledFilter } from '#engine/delivery/filter/compiled-filter.ts';
import type { ResendOrder, RunOrder, StopReason } from '#engine/delivery/run-order.ts';
import { SKIP_REASONS } from '#engine/delivery/skip-reason.ts';
import { openArtifact } from '#engine/timeline/artifact.ts';
import { LiveTimeline } from '#engine/timeline/live-timeline.ts';
import type { SharedTimeline } from '#engine/timeline/shared-timeline.ts';
import { placeOf } from '#engine/timeline/snapshot-number.ts';
import { checkSelection, familyOf, isLastFailure, isSuccess, positionsIn } from './check-resends.ts';
import { checkSettled } from './check-settled.ts';
import type { RunRow } from './observed.ts';
import { SESSION_ID } from './planned-timeline.ts';
import type { ReplayPlan, ScenarioEvent } from './scenario.ts';
import { SimulatedLibrary } from './simulated-library.ts';
import type { SimulatedLiveSession } from './simulated-live-session.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import type { World } from './world.ts';

/** How long it takes to record that a run has ended. */
const ENDING_MS = 5;
/** How long it takes to move the endpoints of a run. */
const JUMPING_MS = 3;
const FOR_EVER = Number.POSITIVE_INFINITY;

type ResendEvent = Extract<ScenarioEvent, { readonly kind: 'resend' }>;

export class SimulatedRuns {
  readonly #world: World;
  readonly #process: SimulatedProcess;
  readonly #library: SimulatedLibrary;
  /** Runs that this process is playing. */
  readonly #playing = new Set<string>();
  /** Replays of it that are not in the engine, or are leaving it; and the positions to jump to then. */
  readonly #parked = new Set<string>();
  readonly #parking = new Set<string>();
  readonly #seeks = new Map<string, number>();

  constructor(world: World, process: SimulatedProcess) {
    this.#world = world;
    this.#process = process;
    this.#library = new SimulatedLibrary(world.planned, world.version);
  }

  /** Starts a replay, unless the account has one running, or no endpoint of those that it chooses. */
  replay(plan: ReplayPlan): void {
    const { observed, customers } = this.#world;
    const { account, speed, allFeeds, ordered, chosen } = plan;
    const isBusy = [...observed.runs.values()].some(
      (run) => run.mode === 'replay' && run.resend === null && run.account === account && run.state !== 'ended',
    );
    const present = customers.endpointsOf(account);
    const endpoints = chosen === null ? present : present.filter((name) => chosen.includes(name));
    if (isBusy || (chosen !== null && endpoints.length === 0)) return;
    const { artifact, origin } = this.#library.current();
    const row = this.#insert({
      runId: plan.name,
      mode: 'replay',
      account,
      speed,
      allFeeds,
      ordered,
      timelineOrigin: origin,
      resend: null,
    });
    for (const endpoint of endpoints) this.#enter(row, endpoint, 0);
    this.#play(row, Promise.resolve(artifact), 0, false);
  }

  /** As `api/resends/resends.ts` does it: the real choice of what was missed. */
  async resend({ of, to, outcome }: ResendEvent, live: SimulatedLiveSession | null): Promise<void> {
    const { observed, customers, time } = this.#world;
    const { account } = customers.planOf(to);
    const source = observed.runs.get(of ?? `live_${account}`);
    if (source === undefined || !source.endpoints.has(to)) return;
    const settings = customers.settingsOf(to);
    const isBusy = [...observed.runs.values()].some(
      ({ resend, endpoints, state }) => resend !== null && endpoints.has(to) && state !== 'ended',
    );
    if (isBusy || !settings.active || customers.isDeleted(to)) return;
    const timeline = source.mode === 'replay' ? await this.#reopened(source) : this.#liveMemory(live);
    if (!this.#process.alive) return;
    const opened = 'bytes' in timeline ? openArtifact(timeline.bytes) : new LiveTimeline(timeline).timeline;
    const filter = new CompiledFilter(settings, source, opened);
    const missed = missedUpdates(this.#outcomes(source, to), {
      failed: outcome !== 'skipped',
      reasons: new Set(outcome === 'failed' ? [] : SKIP_REASONS),
    });
    const positions = missed.filter((position) => placeOf(position) < opened.length && filter.wants(position));
    checkSelection(this.#world, source, to, outcome, new Set(positions));
    if (positions.length === 0) return;
    const { mode, speed, allFeeds, timelineOrigin } = source;
    const row = this.#insert({
      runId: `again_${observed.runs.size}`,
      mode,
      account,
      speed,
      allFeeds,
      ordered: false,
      timelineOrigin,
      resend: { of: source.runId, positions, atMs: time.nowMs(), versions: observed.versions.get(to)!.length },
    });
    this.#enter(row, to, 0);
    this.#play(row, Promise.resolve(timeline), 0, false);
  }

  #liveMemory(live: SimulatedLiveSession | null): SharedTimeline {
    return live?.memory ?? this.#world.endedLive();
  }

  #outcomes(source: RunRow, endpoint: string): RunOutcomes[] {
    const { memory } = this.#world.database;
    return familyOf(this.#world, source, endpoint).map((row) => ({
      delivered: positionsIn(this.#world, row, endpoint, isSuccess),
      failed: positionsIn(this.#world, row, endpoint, isLastFailure),
      skipped: memory.spans(row.runId, endpoint),
      pending: memory.checkpoint(row.runId, endpoint)!.pending.map(({ position }) => position),
      selection: row.resend?.positions ?? null,
    }));
  }

  stop(runId: string, reason: StopReason): void {
    const row = this.#world.observed.runs.get(runId);
    if (row === undefined || row.state !== 'running') return;
    row.state = 'stopping';
    row.stopped = { atMs: this.#world.time.nowMs(), reason };
    this.#endHold(row);
    // Before its handover there is nothing to stop in the engine yet; the handover stops it.
    if (this.#parked.has(runId)) this.#continue(row);
    else this.#process.router.stopRun(runId, reason);
  }

  /** Pauses a replay. */
  hold(runId: string): void {
    const row = this.#world.observed.runs.get(runId);
    if (row === undefined || row.state !== 'running') return;
    if (!row.held) this.#world.observed.holds.push({ runId, fromMs: this.#world.time.nowMs(), untilMs: FOR_EVER });
    row.held = true;
    this.#park(row);
  }

  /** Continues a paused replay. One that is still leaving the engine continues when it has left. */
  release(runId: string): void {
    const row = this.#world.observed.runs.get(runId);
    if (row === undefined || !row.held) return;
    this.#endHold(row);
    if (this.#parked.has(runId)) this.#continue(row);
  }

  seek(runId: string, over: number): void {
    const row = this.#world.observed.runs.get(runId);
    if (row === undefined || row.state !== 'running') return;
    this.#seeks.set(runId, over);
    if (this.#parked.has(runId)) this.#jump(row);
    else this.#park(row);
  }

  /** Continues every paused replay. */
  releaseAll(): void {
    for (const { runId } of this.#world.observed.runs.values()) this.release(runId);
  }

  #endHold(row: RunRow): void {
    row.held = false;
    const { observed, time } = this.#world;
    for (const hold of observed.holds)
      if (hold.runId === row.runId) hold.untilMs = Math.min(hold.untilMs, time.nowMs());
  }

  #park({ runId }: RunRow): void {
    if (this.#parked.has(runId) || !this.#playing.has(runId)) return;
    this.#parking.add(runId);
    this.#process.router.parkRun(runId);
  }

  #hasLeft(row: RunRow): void {
    const { observed, time } = this.#world;
    observed.note(time.nowMs(), () => `${row.runId} is parked`);
    observed.parked.push({ runId: row.runId, fromMs: time.nowMs(), untilMs: FOR_EVER });
    this.#parking.delete(row.runId);
    this.#parked.add(row.runId);
    this.#process.allowances.release(row.account);
    if (this.#seeks.has(row.runId)) this.#jump(row);
    else if (!row.held) this.#continue(row);
  }

  /** One statement moves all endpoints, if the process lives that long. */
  #jump(row: RunRow): void {
    const { observed, database, time, planned } = this.#world;
    this.#process.schedule(JUMPING_MS, () => {
      const over = this.#seeks.get(row.runId);
      if (over === undefined || !this.#parked.has(row.runId)) return;
      this.#seeks.delete(row.runId);
      const to = Math.min(planned.updates.length, this.#positionOf(row) + over);
      for (const endpoint of row.endpoints.keys()) {
        const checkpoint = database.memory.checkpoint(row.runId, endpoint)!;
        const from = checkpoint.nextPosition;
        if (from >= to) continue;
        database.memory.put({ ...checkpoint, nextPosition: to });
        observed.jumps.push({ runId: row.runId, endpoint, atMs: time.nowMs(), from, to });
      }
      if (!row.held) this.#continue(row);
    });
  }

  #continue(row: RunRow): void {
    this.#parked.delete(row.runId);
    this.#play(row, this.#reopened(row), this.#positionOf(row), true);
  }

  #positionOf({ runId, endpoints }: RunRow): number {
    const { memory } = this.#world.database;
    return Math.max(0, ...[...endpoints.keys()].map((name) => memory.checkpoint(runId, name)?.nextPosition ?? 0));
  }

  /** Stops the live runs: their session ended too long ago. */
  expireLive(): void {
    for (const { runId, mode, resend } of this.#world.observed.runs.values())
      if (mode === 'live' && resend === null) this.stop(runId, 'expired');
  }

  /**
   * Resumes the runs that the last process left unfinished. The live session, if it is still live, must be open by
   * then.
   */
  resume(): void {
    const { observed, time, scenario } = this.#world;
    for (const row of observed.runs.values()) {
      if (row.state === 'ended' || this.#playing.has(row.runId)) continue;
      if (row.held && time.nowMs() < scenario.faultsEndMs) {
        this.#playing.add(row.runId);
        this.#parked.add(row.runId);
        observed.parked.push({ runId: row.runId, fromMs: time.nowMs(), untilMs: FOR_EVER });
        continue;
      }
      this.#endHold(row);
      const timeline = row.mode === 'live' ? Promise.resolve(this.#world.endedLive()) : this.#reopened(row);
      this.#play(row, timeline, row.mode === 'live' ? 0 : this.#positionOf(row), true);
    }
  }

  /** A live session begins, or is live again after a restart. */
  openLive(session: SimulatedLiveSession): void {
    const { observed, scenario } = this.#world;
    const isKnown = [...observed.runs.values()].some(({ mode }) => mode === 'live');
    const { customers } = this.#world;
    for (const { name } of scenario.accounts)
      this.#enterLive(name, customers.endpointsOf(name), isKnown ? session.length : 0);
    for (const row of observed.runs.values()) {
      if (row.mode === 'live' && row.state !== 'ended') this.#play(row, Promise.resolve(session.memory), 0, true);
    }
  }

  /** Adds a new endpoint, alone, to the live run. It gets the updates from now on. */
  endpointCreated(account: string, endpoint: string, session: SimulatedLiveSession): void {
    const { customers } = this.#world;
    if (!customers.endpointsOf(account).includes(endpoint)) return;
    const row = this.#enterLive(account, [endpoint], session.length)!;
    if (row.state === 'ended') return;
    if (this.#playing.has(row.runId)) this.#process.router.joinRun(row.runId, [customers.settingsOf(endpoint)]);
    else this.#play(row, Promise.resolve(session.memory), 0, true);
  }

  /** Returns the account's live run with these endpoints in it; null if there is neither. */
  #enterLive(account: string, endpoints: readonly string[], position: number): RunRow | null {
    const { observed } = this.#world;
    const runId = `live_${account}`;
    let row = observed.runs.get(runId);
    if (row === undefined) {
      if (endpoints.length === 0) return null;
      row = this.#insert({
        runId,
        mode: 'live',
        account,
        speed: Number.POSITIVE_INFINITY,
        allFeeds: false,
        ordered: false,
        timelineOrigin: null,
        resend: null,
      });
    }
    for (const endpoint of endpoints) if (!row.endpoints.has(endpoint)) this.#enter(row, endpoint, position);
    return row;
  }

  #insert(run: Omit<RunRow, 'runNo' | 'endpoints' | 'state' | 'stopped' | 'held'>): RunRow {
    const { runs } = this.#world.observed;
    const row: RunRow = {
      ...run,
      runNo: runs.size + 1,
      endpoints: new Map(),
      state: 'running',
      stopped: null,
      held: false,
    };
    runs.set(run.runId, row);
    return row;
  }

  #enter(row: RunRow, endpoint: string, position: number): void {
    row.endpoints.set(endpoint, position);
    this.#world.database.enter(row.runId, endpoint, position);
  }

  /** As Runs does it: the real choice of the timeline. */
  async #reopened({ runId, timelineOrigin }: RunRow): Promise<SharedTimeline> {
    const run = { sessionId: SESSION_ID, timelineOrigin, updateCount: this.#world.planned.updates.length };
    const opened = await reopenedTimeline(this.#library, run, async () => this.#library.current());
    if (opened !== null && opened !== 'other') return opened.artifact;
    this.#world.observed.violated(`I1: ${runId} does not find what it plays`);
    return this.#library.current().artifact;
  }

  #play(row: RunRow, timeline: Promise<SharedTimeline>, position: number, resumed: boolean): void {
    this.#playing.add(row.runId);
    Promise.all([timeline, this.#process.allowances.hold(row.account, row.allFeeds ? 'demo' : 'month')]).then(
      ([opened, allowance]) => this.#handOver(row, opened, position, resumed, allowance),
    );
  }

  #handOver(
    row: RunRow,
    timeline: SharedTimeline,
    position: number,
    resumed: boolean,
    allowance: SharedArrayBuffer,
  ): void {
    if (!this.#process.alive) return;
    const { time, observed, planned } = this.#world;
    const { router } = this.#process;
    const updates = planned.updates;
    const elapsedMs = updates.length === 0 ? 0 : updates[Math.min(position, updates.length - 1)]!.dueMs / row.speed;
    const order: RunOrder = {
      mode: row.mode,
      runId: row.runId,
      runNo: row.runNo,
      sessionId: SESSION_ID,
      accountId: row.account,
      speed: row.speed,
      pacedFromMs: time.nowMs() - elapsedMs,
      allFeeds: row.allFeeds,
      ordered: row.ordered,
      allowance,
      ...(row.resend !== null && { resend: resendOrder(row) }),
    };
    observed.handed.push({
      runId: row.runId,
      atMs: time.nowMs(),
      startMs: 'bytes' in timeline && row.resend === null ? time.nowMs() - elapsedMs : null,
    });
    const endpoints = [...row.endpoints.keys()];
    const settings = endpoints.map((name) => this.#world.customers.settingsOf(name));
    for (const parked of observed.parked)
      if (parked.runId === row.runId) parked.untilMs = Math.min(parked.untilMs, time.nowMs());
    router.startRun(order, timeline, settings, resumed, this.#listener(row));
    if (row.held || this.#seeks.has(row.runId)) this.#park(row);
    if (row.mode === 'live' || row.resend !== null)
      for (const name of endpoints) if (this.#world.customers.isDeleted(name)) router.endpointDeleted(name);
    if (row.stopped !== null) router.stopRun(row.runId, row.stopped.reason);
  }

  #listener(row: RunRow): RunListener {
    const { observed, time } = this.#world;
    let isSettled = false;
    return {
      firstAttempt: () => observed.note(time.nowMs(), () => `${row.runId} has started`),
      settled: () => {
        observed.note(time.nowMs(), () => `${row.runId} is settled`);
        if (isSettled) observed.violated(`C2: ${row.runId} was reported as settled twice`);
        isSettled = true;
        checkSettled(this.#world, row);
        this.#process.schedule(ENDING_MS, () => {
          row.state = 'ended';
          this.#playing.delete(row.runId);
          this.#process.allowances.release(row.account);
        });
      },
      parked: () => this.#hasLeft(row),
    };
  }
}

function resendOrder({ mode, speed, resend }: RunRow): ResendOrder {
  const { of, positions } = resend!;
  return { of: mode === 'live' ? null : { runId: of, speed }, positions };
}
