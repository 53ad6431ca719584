// The life cycle of replay runs: start, stop, end, and resume after a restart. The engine delivers. This class decides
// who may start what, keeps each run's row up to date, and takes the simulate slot at the first delivery.

import type { FeedCatalogue } from '#api/feeds/feed-catalogue.ts';
import { ApiError } from '#api/http/api-error.ts';
import type { EventChannel } from '#api/http/event-channel.ts';
import type { Caller } from '#api/http/operation.ts';
import type { Plan } from '#api/plans/plan.ts';
import type { Allowances } from '#api/usage/allowances.ts';
import { endpointSettings } from '#api/webhooks/endpoint-settings.ts';
import type { WebhookStore } from '#api/webhooks/webhook-store.ts';
import type { TimerClock } from '#engine/base/clock.ts';
import { isId, newId } from '#engine/base/ids.ts';
import type { KeyedMutex } from '#engine/base/keyed-mutex.ts';
import { RUNS_MAX, STOP_WAIT_MS } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import { untilDone } from '#engine/base/persistent-work.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import type { DeliveryControl, RunListener } from '#engine/delivery/cluster/delivery-control.ts';
import { openPrepared } from '#engine/intake/playback/open-prepared.ts';
import type { OpenArtifact, PlaybackLibrary } from '#engine/intake/playback/playback-library.ts';
import type { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import { REPLAY_SPEED_MIN } from '#schemas/http/runs.ts';
import { type EndState, PlayingRun } from './playing-run.ts';
import { readyArtifact } from './ready-artifact.ts';
import { reopenedTimeline } from './reopened-timeline.ts';
import type { RunRecord, RunState, RunStore, Sinks } from './run-store.ts';
import { slotsOf } from './session-access.ts';
import type { SessionRecord, SessionStore } from './session-store.ts';
import { type VisualEnd, VisualStream } from './visual-stream.ts';

export interface RunsParts {
  readonly store: RunStore;
  readonly sessions: SessionStore;
  readonly webhooks: WebhookStore;
  readonly catalogue: FeedCatalogue;
  readonly control: DeliveryControl;
  readonly allowances: Allowances;
  readonly library: PlaybackLibrary;
  readonly secretBox: SecretBox;
  readonly clock: TimerClock;
  /** By account id. Changes to endpoints use it too. */
  readonly changes: KeyedMutex;
  readonly log: Log;
}

export interface Replay {
  readonly runId: string;
  readonly sessionId: string;
  readonly speed: number;
  readonly updateCount: number;
  /** How many endpoints are in the run. */
  readonly endpoints: number;
  /** Streams the run to a client. Call once if the sinks include `visual`. */
  readonly show: (channel: EventChannel) => void;
}

export class Runs {
  readonly #parts: RunsParts;
  readonly #playing = new Map<string, PlayingRun>();
  readonly #closing = new AbortController();
  readonly #listener: RunListener = {
    firstAttempt: (runId) => this.#firstAttempt(runId),
    settled: (runId) => {
      const run = this.#playing.get(runId);
      if (run === undefined) return;
      run.settled = true;
      this.#finishIfOver(run);
    },
  };

  constructor(parts: RunsParts) {
    this.#parts = parts;
  }

  /**
   * Starts a replay of a prepared session. Rejects with an ApiError if the account has one running or no slot is left.
   */
  async start(caller: Caller, session: SessionRecord, speed: number, sinks: Sinks): Promise<Replay> {
    if (this.#closing.signal.aborted)
      throw new ApiError('unavailable', 'The service is stopping.', { 'retry-after': '5' });
    if (this.#playing.size >= RUNS_MAX)
      throw new ApiError('unavailable', 'Too many replays are running.', { 'retry-after': '60' });
    const opened = await readyArtifact(this.#parts.library, session.sessionId);
    try {
      return await this.#begin(caller, session, speed, sinks, opened);
    } catch (error) {
      opened.release();
      throw error;
    }
  }

  async #begin(
    caller: Caller,
    session: SessionRecord,
    speed: number,
    sinks: Sinks,
    opened: OpenArtifact,
  ): Promise<Replay> {
    const { store, clock, changes } = this.#parts;
    const { sessionId } = session;
    const { timeline } = opened;
    const { accountId, plan } = caller;
    const startedAtMs = clock.wallMs();
    const pacedFromMs = clock.nowMs();
    const runId = newId('run', startedAtMs, systemRandomBytes);
    const updateCount = timeline.length;
    const run = new PlayingRun({ runId, accountId, session, sinks });
    run.artifact = opened;
    const endpoints = await changes.run(accountId, async () => {
      const startedAt = new Date(startedAtMs);
      const order = {
        runId,
        accountId,
        sessionId,
        speed,
        sinks,
        updateCount,
        timelineOrigin: opened.origin,
        startedAt,
      };
      // Watching takes no slot; delivering does, except for the demo.
      const slots = sinks === 'visual' || session.demo ? null : slotsOf(plan);
      const started = await store.insert(order, slots);
      if (started === 'running') throw new ApiError('replay_running');
      if (started === 'no_slot')
        throw new ApiError(
          'simulate_quota_reached',
          `All ${slots} simulate sessions of this plan are used: replay one of those that GET /v1/simulate/quota lists as unlocked, or take a higher plan.`,
        );
      this.#playing.set(runId, run);
      if (sinks === 'visual') return 0;
      const { runNo, webhookIds } = started;
      await this.#deliver(run, { runNo, webhookIds, speed, pacedFromMs, opened, resumed: false });
      return webhookIds.length;
    });
    const show = (channel: EventChannel) => this.#show(run, { channel, timeline, plan, speed, pacedFromMs });
    return { runId, sessionId, speed, updateCount, endpoints, show };
  }

  /** Stops a run and waits a moment for its end. Resolves with `stopping` if it has not ended by then. */
  async stop(accountId: string, runId: string): Promise<RunState> {
    const { store, clock } = this.#parts;
    const found = isId('run', runId) ? await store.find(accountId, runId) : null;
    if (found === null) throw new ApiError('not_found', 'There is no such run.');
    const run = this.#playing.get(runId);
    if (run !== undefined) {
      this.#requestStop(run);
      await store.markStopping(runId);
      await Promise.race([run.ended, clock.sleep(STOP_WAIT_MS)]);
    } else if (found.endedAt === null) {
      // No process plays this run, so there is nothing to wait for.
      await store.end(runId, 'stopped', found.visualPosition, new Date(clock.wallMs()));
    }
    return (await store.find(accountId, runId))!.state;
  }

  /** Stops the runs that another process, an operator's command, has marked as stopping; null: those of all accounts. */
  async stopMarked(accountId: string | null): Promise<void> {
    for (const runId of await this.#parts.store.stopping(accountId)) {
      const run = this.#playing.get(runId);
      if (run !== undefined) this.#requestStop(run);
    }
  }

  /** The position up to which a run has been played. */
  positionOf(run: RunRecord): number {
    if (run.state === 'completed') return run.updateCount;
    return Math.max(run.deliveryPosition, run.visualPosition, this.#playing.get(run.runId)?.visual?.position ?? 0);
  }

  /**
   * Resumes the runs that the last process left unfinished. Deliveries resume from their checkpoints, paced from the
   * furthest position. A purely visual run has lost its client, so it ends. Resolves when all runs have resumed or
   * ended.
   */
  async resume(): Promise<void> {
    const { store, clock, library, log } = this.#parts;
    await Promise.all(
      (await store.unfinished()).map(async (record) => {
        if (record.sinks !== 'visual') return this.#resumeOrStop(record);
        await store.end(record.runId, 'stopped', record.visualPosition, new Date(clock.wallMs()));
      }),
    );
    // A run may have been marked after it was read.
    await this.stopMarked(null);
    if (this.#closing.signal.aborted) return;
    // Each run holds its artifact by now.
    library.sweep().catch((error: Error) => log.error({ err: error }, 'could not remove outdated playback artifacts'));
  }

  /**
   * Ends all visual streams and waits for pending writes. Runs that deliver stay unfinished and resume at the next
   * start.
   */
  async close(): Promise<void> {
    this.#closing.abort();
    const runs = [...this.#playing.values()];
    for (const { visual } of runs) visual?.stop();
    await Promise.all(runs.map((run) => run.written()));
  }

  /** Hands a run to the delivery engine, with the current settings of its endpoints. */
  async #deliver(
    run: PlayingRun,
    how: {
      runNo: number;
      webhookIds: readonly string[];
      speed: number;
      /** When position 0 is due, on the monotonic clock. */
      pacedFromMs: number;
      opened: OpenArtifact;
      resumed: boolean;
    },
  ): Promise<void> {
    const { webhooks, control, allowances } = this.#parts;
    const { runId, accountId, session } = run.head;
    try {
      const allowance = await allowances.hold(accountId);
      run.holdsAllowance = true;
      const records = await webhooks.findAll(how.webhookIds);
      const order = {
        mode: 'replay' as const,
        runId,
        runNo: how.runNo,
        sessionId: session.sessionId,
        accountId,
        speed: how.speed,
        pacedFromMs: how.pacedFromMs,
        allFeeds: session.demo,
        allowance,
      };
      const settings = records.map((record) => endpointSettings(record, this.#parts));
      run.delivering = true;
      control.startRun(order, how.opened.artifact, settings, how.resumed, this.#listener);
      if (run.phase.kind === 'stopping') control.stopRun(runId);
    } catch (error) {
      this.#finish(run, 'stopped');
      throw error;
    }
  }

  #show(
    run: PlayingRun,
    how: { channel: EventChannel; timeline: Timeline; plan: Plan; speed: number; pacedFromMs: number },
  ): void {
    const { runId, session } = run.head;
    const { channel, timeline, plan, speed, pacedFromMs } = how;
    run.visual = new VisualStream({
      run: { runId, sessionId: session.sessionId, speed, pacedFromMs },
      timeline,
      feeds: session.demo ? null : new Set(this.#parts.catalogue.feedIdsOf(plan)),
      channel,
      clock: this.#parts.clock,
      onEnd: (end) => this.#visualEnded(run, end),
    });
    // The run may have been stopped before the stream existed.
    if (run.phase.kind !== 'playing') run.visual.stop();
  }

  #visualEnded(run: PlayingRun, end: VisualEnd): RunState {
    if (run.head.sinks === 'visual') {
      const state = end === 'played' ? 'completed' : 'stopped';
      this.#finish(run, state);
      return state;
    }
    run.watched = false;
    if (end === 'left') this.#requestStop(run);
    if (!run.settled) return run.phase.kind === 'playing' ? 'running' : 'stopping';
    return this.#finishIfOver(run);
  }

  /** A run with both sinks is over when its deliveries have settled and its stream has ended, in either order. */
  #finishIfOver(run: PlayingRun): EndState {
    // A run whose deliveries could not start has ended before the engine reports it settled.
    if (run.phase.kind === 'ended') return run.phase.state;
    const state = run.phase.kind === 'stopping' ? 'stopped' : 'completed';
    if (run.settled && !run.watched) this.#finish(run, state);
    return state;
  }

  #requestStop(run: PlayingRun): void {
    if (run.phase.kind !== 'playing') return;
    run.stop();
    if (run.delivering) this.#parts.control.stopRun(run.head.runId);
    run.visual?.stop();
  }

  #firstAttempt(runId: string): void {
    const run = this.#playing.get(runId);
    if (run === undefined || run.head.session.demo) return;
    const { accountId, session } = run.head;
    const now = new Date(this.#parts.clock.wallMs());
    run.write(() => this.#persist(() => this.#parts.sessions.unlock(accountId, session.sessionId, now)));
  }

  #finish(run: PlayingRun, state: EndState): void {
    run.end(state);
    const { runId } = run.head;
    const now = new Date(this.#parts.clock.wallMs());
    run.write(async () => {
      await this.#persist(() => this.#parts.store.end(runId, state, run.visual?.position ?? 0, now));
      this.#playing.delete(runId);
      if (run.holdsAllowance) this.#parts.allowances.release(run.head.accountId);
      run.hasEnded();
    });
  }

  /** Also resolves if the service closes first: the unfinished run resumes at the next start, and writes again. */
  async #persist(write: () => Promise<void>): Promise<void> {
    const { signal } = this.#closing;
    const failed = (error: unknown): void => {
      this.#parts.log.warn({ err: error }, 'could not commit the state of a replay run yet; it is retried');
    };
    await untilDone(write, {
      // Closing ends the pause, and one last try follows.
      pause: (delayMs) => this.#parts.clock.sleep(delayMs, signal).catch(() => {}),
      isClosing: () => signal.aborted,
      failed,
    }).catch(failed);
  }

  /** A run that cannot resume must neither stop the service from starting nor its account from further runs. */
  async #resumeOrStop(record: RunRecord): Promise<void> {
    try {
      await this.#resumeOne(record);
    } catch (error) {
      const { runId, sessionId } = record;
      this.#parts.log.error({ runId, sessionId, err: error }, 'ended an unfinished replay run that cannot resume');
      const run = this.#playing.get(runId);
      if (run !== undefined && run.phase.kind !== 'ended') this.#finish(run, 'stopped');
    }
  }

  async #resumeOne(record: RunRecord): Promise<void> {
    const { sessions, library, clock, changes, log } = this.#parts;
    const { runId, runNo, accountId, sessionId, sinks, deliveryPosition } = record;
    // Older versions accepted slower ones.
    const speed = Math.max(record.speed, REPLAY_SPEED_MIN);
    const session = await sessions.find(sessionId);
    const details = { runId, sessionId };
    if (session === null) {
      log.error(details, 'ended an unfinished replay run: its session is gone');
      return this.#parts.store.end(runId, 'stopped', record.visualPosition, new Date(clock.wallMs()));
    }
    const run = new PlayingRun({ runId, accountId, session, sinks });
    if (record.state === 'stopping') run.stop();
    // The client lost its stream when the last process ended.
    run.watched = false;
    this.#playing.set(runId, run);
    // The last process may have ended before it could take the slot, and there may be nothing left to attempt.
    if (record.endpoints.some(({ delivered, failed }) => delivered + failed > 0)) this.#firstAttempt(runId);
    const isClosing = (): boolean => this.#closing.signal.aborted;
    const opened = await reopenedTimeline(library, record, () => openPrepared(library, sessionId, clock, isClosing));
    if (opened === null && isClosing()) return;
    if (opened === null || opened === 'other') {
      const reason =
        opened === null
          ? 'its session cannot be prepared'
          : 'its artifact is gone, and its session now has other updates';
      log.error(details, `ended an unfinished replay run: ${reason}`);
      this.#finish(run, 'stopped');
      return run.ended;
    }
    run.artifact = opened;
    const pacedFromMs = clock.nowMs() - dueAt(opened.timeline, deliveryPosition) / speed;
    const webhookIds = record.endpoints.map(({ webhookId }) => webhookId);
    await changes.run(accountId, () =>
      this.#deliver(run, { runNo, webhookIds, speed, pacedFromMs, opened, resumed: true }),
    );
    log.info({ ...details, position: deliveryPosition }, 'resumed a replay run');
  }
}

/**
 * When a position is due, in milliseconds after the timeline's start. A position past the end is due like the last one.
 */
function dueAt({ columns, length }: Timeline, position: number): number {
  return length === 0 ? 0 : columns.dueMs[Math.min(position, length - 1)]!;
}
