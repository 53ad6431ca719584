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

type ResendEvent = Extract<ScenarioEvent, { readonly kind: 'resend' }>;

export class SimulatedRuns {
  readonly #world: World;
  readonly #process: SimulatedProcess;
  readonly #library: SimulatedLibrary;
  /** Runs that this process is playing. */
  readonly #playing = new Set<string>();

  constructor(world: World, process: SimulatedProcess) {
    this.#world = world;
    this.#process = process;
    this.#library = new SimulatedLibrary(world.planned, world.version);
  }

  /** Starts a replay, unless the account has one running. */
  replay(plan: ReplayPlan): void {
    const { observed } = this.#world;
    const { account, speed, allFeeds } = plan;
    const isBusy = [...observed.runs.values()].some(
      (run) => run.mode === 'replay' && run.resend === null && run.account === account && run.state !== 'ended',
    );
    if (isBusy) return;
    const { artifact, origin } = this.#library.current();
    const row = this.#insert({
      runId: plan.name,
      mode: 'replay',
      account,
      speed,
      allFeeds,
      timelineOrigin: origin,
      resend: null,
    });
    for (const endpoint of this.#world.customers.endpointsOf(account)) this.#enter(row, endpoint, 0);
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
    const positions = missed.filter((position) => position < opened.length && filter.matches(position));
    checkSelection(this.#world, source, to, outcome, new Set(positions));
    if (positions.length === 0) return;
    const { mode, speed, allFeeds, timelineOrigin } = source;
    const row = this.#insert({
      runId: `again_${observed.runs.size}`,
      mode,
      account,
      speed,
      allFeeds,
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
    this.#process.router.stopRun(runId, reason);
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
    const { observed, database } = this.#world;
    for (const row of observed.runs.values()) {
      if (row.state === 'ended' || this.#playing.has(row.runId)) continue;
      const positions = [...row.endpoints.keys()].map(
        (endpoint) => database.memory.checkpoint(row.runId, endpoint)?.nextPosition ?? 0,
      );
      const timeline = row.mode === 'live' ? Promise.resolve(this.#world.endedLive()) : this.#reopened(row);
      this.#play(row, timeline, row.mode === 'live' ? 0 : Math.max(0, ...positions), true);
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
        timelineOrigin: null,
        resend: null,
      });
    }
    for (const endpoint of endpoints) if (!row.endpoints.has(endpoint)) this.#enter(row, endpoint, position);
    return row;
  }

  #insert(run: Omit<RunRow, 'runNo' | 'endpoints' | 'state' | 'stopped'>): RunRow {
    const { runs } = this.#world.observed;
    const row: RunRow = { ...run, runNo: runs.size + 1, endpoints: new Map(), state: 'running', stopped: null };
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
    router.startRun(order, timeline, settings, resumed, this.#listener(row));
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
    };
  }
}

function resendOrder({ mode, speed, resend }: RunRow): ResendOrder {
  const { of, positions } = resend!;
  return { of: mode === 'live' ? null : { runId: of, speed }, positions };
}
