// The life cycle of replay runs: start, stop, end, and resume after a restart. The engine delivers. This class decides
// who may start what, keeps each run's row up to date, and takes the simulate slot at the first delivery.

import type { FeedCatalogue } from '#api/feeds/feed-catalogue.ts';
import { ApiError } from '#api/http/api-error.ts';
import { isDatabaseOutage } from '#api/http/database-outage.ts';
import type { EventChannel } from '#api/http/event-channel.ts';
import { everybody, type IsOurs } from '#api/http/homes.ts';
import type { Authenticate, Caller } from '#api/http/operation.ts';
import { checkCallers, type OpenCaller } from '#api/tokens/open-callers.ts';
import type { Allowances } from '#api/usage/allowances.ts';
import type { WebhookStore } from '#api/webhooks/webhook-store.ts';
import type { TimerClock } from '#engine/base/clock.ts';
import { isId, newId } from '#engine/base/ids.ts';
import { KeyedMutex } from '#engine/base/keyed-mutex.ts';
import { RUN_PAUSED_MS_MAX, RUNS_MAX, STOP_WAIT_MS } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import { untilDone } from '#engine/base/persistent-work.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { allSettled } from '#engine/base/settled.ts';
import type { DeliveryControl, RunListener } from '#engine/delivery/cluster/delivery-control.ts';
import { openPrepared } from '#engine/intake/playback/open-prepared.ts';
import type { OpenArtifact, PlaybackLibrary } from '#engine/intake/playback/playback-library.ts';
import type { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { REPLAY_SPEED_MIN } from '#schemas/http/replay-speed.ts';
import { type EndState, PlayingRun } from './playing-run.ts';
import { readyArtifact, withRoom } from './ready-artifact.ts';
import { reopenedTimeline } from './reopened-timeline.ts';
import type { ReplayOrder } from './replay-order.ts';
import { activeEndpoints, checkChosen } from './run-endpoints.ts';
import { type RunForecast, runForecast } from './run-forecast.ts';
import { handOver, pacedFrom } from './run-handover.ts';
import { obstacle, slotsNeeded } from './run-obstacle.ts';
import type { RunRecord, RunState, RunStore } from './run-store.ts';
import type { SessionRecord, SessionStore } from './session-store.ts';
import { VisualStream } from './visual-stream.ts';

export interface RunsParts {
  readonly store: RunStore;
  readonly sessions: SessionStore;
  readonly webhooks: WebhookStore;
  readonly catalogue: FeedCatalogue;
  readonly control: DeliveryControl;
  readonly allowances: Allowances;
  readonly library: PlaybackLibrary;
  readonly secretBox: SecretBox;
  readonly authenticate: Authenticate;
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
  /** If its start has chosen them. */
  readonly webhookIds?: string[];
  /** Of a run that delivers. */
  readonly forecast: RunForecast | null;
  /** Streams the run to a client. Call once if the sinks include `visual`. */
  readonly show: (channel: EventChannel, authorization: string) => void;
}

export class Runs {
  /** By run id: it is resumed, paused and moved by one at a time. */
  readonly turns = new KeyedMutex();
  readonly #parts: RunsParts;
  readonly #playing = new Map<string, PlayingRun>();
  readonly #givenUp = new Set<string>();
  readonly #closing = new AbortController();
  readonly #listener: RunListener = {
    firstAttempt: (runId) => this.#firstAttempt(runId),
    settled: (runId) => {
      const run = this.#playing.get(runId);
      if (run === undefined) return;
      run.settled = true;
      this.#finishIfOver(run);
    },
    parked: (runId) => this.#parked(runId),
  };

  constructor(parts: RunsParts) {
    this.#parts = parts;
  }

  /**
   * Starts a replay of a prepared session. Rejects with an ApiError if the account has one running, no slot is left, or no
   * endpoint would get it.
   */
  async start(caller: Caller, session: SessionRecord, order: ReplayOrder): Promise<Replay> {
    if (this.#closing.signal.aborted)
      throw new ApiError('unavailable', 'The service is stopping.', { 'retry-after': '5' });
    if (this.#playing.size >= RUNS_MAX)
      throw new ApiError('unavailable', 'Too many replays are running.', { 'retry-after': '60' });
    const opened = await readyArtifact(this.#parts.library, session.sessionId);
    try {
      const { timeline } = opened;
      return await this.#begin(caller, session, order, opened, Math.min(order.from(timeline), timeline.length));
    } catch (error) {
      opened.release();
      throw error;
    }
  }

  async #begin(
    caller: Caller,
    session: SessionRecord,
    { speed, sinks, ordered, webhookIds: chosen }: ReplayOrder,
    opened: OpenArtifact,
    position: number,
  ): Promise<Replay> {
    const { store, clock, changes, allowances, webhooks } = this.#parts;
    const { sessionId } = session;
    const { timeline } = opened;
    const { accountId, plan } = caller;
    const startedAtMs = clock.wallMs();
    const runId = newId('run', startedAtMs, systemRandomBytes);
    const updateCount = timeline.length;
    const run = new PlayingRun({ runId, accountId, session, sinks, speed, ordered });
    run.artifact = opened;
    run.pacedFromMs = pacedFrom(position, timeline, speed, clock);
    let webhookIds: string[] = [];
    const forecast = await changes.run(accountId, async () => {
      if (chosen !== null) await checkChosen(this.#parts, caller, chosen);
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
        position,
        ordered,
        webhookIds: chosen,
        reachesAny: sinks === 'visual' || chosen !== null || (await activeEndpoints(webhooks, caller)).size > 0,
      };
      const slots = slotsNeeded(plan, session, sinks);
      const started = await store.insert(order, slots).catch((error: Error) => {
        // It may be in the database all the same, where it would keep the account from another one.
        void this.persist(() => store.end(runId, 'stopped', 0, false, startedAt));
        throw error;
      });
      if (typeof started === 'string') throw obstacle(started, slots);
      this.#playing.set(runId, run);
      if (sinks === 'visual') return null;
      const how = { ...started, resumed: position > 0 ? position : null };
      const handed = await handOver(this.#parts, run, how, this.#listener).catch((error: Error) => {
        this.#finish(run, 'stopped');
        throw error;
      });
      webhookIds = handed.settings.map(({ webhookId }) => webhookId);
      const left = allowances.left(accountId, session.demo ? 'demo' : 'month');
      return runForecast(handed.order, handed.settings, timeline, position, left);
    });
    const show: Replay['show'] = (channel, authorization) =>
      this.show(run, channel, { caller, authorization }, position);
    const endpoints = webhookIds.length;
    return { runId, sessionId, speed, updateCount, endpoints, ...(chosen !== null && { webhookIds }), forecast, show };
  }

  /** Stops a run and waits a moment for its end. Resolves with `stopping` if it has not ended by then. */
  async stop(accountId: string, runId: string): Promise<RunState> {
    const { store, clock } = this.#parts;
    const found = isId('run', runId) ? await store.find(accountId, runId) : null;
    if (found === null) throw new ApiError('not_found', 'There is no such run: GET /v1/simulate/runs lists yours.');
    const run = this.#playing.get(runId);
    if (run !== undefined) {
      this.#requestStop(run);
      await store.markStopping(runId);
      await Promise.race([run.ended, clock.sleep(STOP_WAIT_MS)]);
    } else if (found.endedAt === null) {
      // No process plays this run, so there is nothing to wait for.
      await store.end(runId, 'stopped', found.visualPosition, false, new Date(clock.wallMs()));
      // Unless it is being resumed just now, and was found unfinished before.
      const resumed = this.#playing.get(runId);
      if (resumed !== undefined) this.#requestStop(resumed);
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

  /** A run that this process plays, or whose end it is recording. */
  playing(runId: string): PlayingRun | undefined {
    return this.#playing.get(runId);
  }

  /** The position up to which a run has been played. */
  positionOf(run: RunRecord): number {
    if (run.state === 'completed') return run.updateCount;
    return Math.max(run.deliveryPosition, run.visualPosition, this.#playing.get(run.runId)?.visual?.position ?? 0);
  }

  /**
   * Resumes the runs that the last process left unfinished. Deliveries resume from their checkpoints, paced from the
   * furthest position. A purely visual run has lost its client, so it ends. Resolves when all runs have resumed, are paused
   * or have ended. Rejects if the database is away; call it again then. `isOurs`: whether the account is at home here,
   * since when it is.
   */
  async resume(isOurs: IsOurs = everybody): Promise<void> {
    const { store, clock } = this.#parts;
    const unfinished = (await store.unfinished()).filter(
      ({ accountId, runId }) => isOurs(accountId) && !this.#playing.has(runId),
    );
    await allSettled(
      unfinished.map(async (found) => {
        const record = await this.#moved(found);
        if (record.sinks !== 'visual') {
          return record.pausedAt !== null && record.state === 'running'
            ? this.#rest(record)
            : this.#resumeOrStop(record);
        }
        await store.end(record.runId, 'stopped', record.visualPosition, true, new Date(clock.wallMs()));
      }),
    );
    // A run may have been marked after it was read.
    await this.stopMarked(null);
  }

  /**
   * Lets go of the runs of these accounts, for another node that resumes them. Their streams end; their clients may come
   * back there. Resolves when the engine holds nothing of them and everything is recorded.
   */
  async letGo(isTheirs: IsOurs): Promise<void> {
    const runs = [...this.#playing.values()].filter(({ head }) => isTheirs(head.accountId));
    await Promise.all(
      runs.map(async (run) => {
        run.cancelPauseBound();
        this.#interrupt(run);
        this.park(run);
        await (run.phase.kind === 'playing' ? run.whenParked : run.ended);
        await run.written();
        if (this.#playing.get(run.head.runId) !== run) return;
        this.#playing.delete(run.head.runId);
        for (const follower of run.followers) follower.ended('stopped');
        run.artifact?.release();
        run.artifact = null;
      }),
    );
  }

  /**
   * Ends all visual streams and waits for pending writes. Runs that deliver stay unfinished and resume at the next
   * start.
   */
  async close(): Promise<void> {
    this.#closing.abort();
    const runs = [...this.#playing.values()];
    for (const run of runs) {
      run.cancelPauseBound();
      this.#interrupt(run);
    }
    await Promise.all(runs.map((run) => run.written()));
  }

  /** Shows the run to this client from a position on, and to no other one any more. */
  show(run: PlayingRun, channel: EventChannel, viewer: OpenCaller, from: number): void {
    const { runId, session, speed } = run.head;
    run.visual?.supersede();
    run.watched = true;
    run.viewer = viewer;
    run.visual = new VisualStream({
      run: { runId, sessionId: session.sessionId, speed, pacedFromMs: run.pacedFromMs },
      timeline: run.artifact!.timeline,
      from,
      isPaused: run.paused,
      feeds: session.demo ? null : new Set(this.#parts.catalogue.feedIdsOf(viewer.caller.plan)),
      channel,
      clock: this.#parts.clock,
      onEvent: (event) => (event === 'played' ? this.#played(run) : this.#left(run)),
    });
    // The run may have been stopped before the stream existed.
    if (run.phase.kind === 'ended') run.visual.finish(run.phase.state);
    else if (run.phase.kind === 'stopping') run.visual.silence();
    // VS3: a change that came while the run was being started did not reach it.
    void this.#checkViewers([run]);
  }

  /** VS3: a token of the account may have been revoked, or its plan has changed; null: of any account. */
  accountChanged(accountId: string | null): void {
    const runs = [...this.#playing.values()];
    void this.#checkViewers(accountId === null ? runs : runs.filter(({ head }) => head.accountId === accountId));
  }

  #checkViewers(runs: readonly PlayingRun[]): Promise<void> {
    const shown = runs.flatMap((run) => {
      const { visual, viewer } = run;
      return visual === null || viewer === null ? [] : { ...viewer, run, visual };
    });
    return checkCallers(shown, this.#parts.authenticate, ({ run, visual }, code) => {
      visual.revoke(code);
      if (run.visual === visual) this.#left(run);
    });
  }

  #played(run: PlayingRun): void {
    if (run.head.sinks === 'visual') {
      this.#finish(run, 'completed');
      return;
    }
    run.watched = false;
    this.#finishIfOver(run);
  }

  /** The deliveries of what has been shown to the end continue. */
  #left(run: PlayingRun): void {
    const hasSeenAll = !run.watched;
    run.watched = false;
    if (hasSeenAll || run.phase.kind !== 'playing') return;
    run.left = true;
    this.#requestStop(run);
  }

  /** The service stops. */
  #interrupt(run: PlayingRun): void {
    if (run.visual === null || run.phase.kind === 'ended') return;
    if (run.head.sinks === 'visual') {
      run.left = true;
      run.visual.interrupt('stopped');
      this.#finish(run, 'stopped');
    } else {
      run.visual.interrupt(run.phase.kind === 'playing' ? 'running' : 'stopping');
    }
  }

  /** A run with both sinks is over when its deliveries have settled and its stream has ended, in either order. */
  #finishIfOver(run: PlayingRun): void {
    // A run whose deliveries could not start has ended before the engine reports it settled.
    if (run.phase.kind === 'ended' || !run.settled || run.watched) return;
    this.#finish(run, run.phase.kind === 'stopping' ? 'stopped' : 'completed');
  }

  #requestStop(run: PlayingRun): void {
    if (run.phase.kind !== 'playing') return;
    if (run.head.sinks === 'visual') {
      this.#finish(run, 'stopped');
      return;
    }
    run.stop();
    run.watched = false;
    run.visual?.silence();
    for (const follower of run.followers) follower.held();
    if (run.engine === 'parked') {
      void this.#stopParked(run);
      return;
    }
    run.engine = 'plays';
    if (run.delivering) this.#parts.control.stopRun(run.head.runId);
    this.#finishIfOver(run);
  }

  /** The engine skips what its checkpoints still hold. */
  async #stopParked(run: PlayingRun): Promise<void> {
    const { runId, accountId, sessionId } = { ...run.head, ...run.head.session };
    try {
      const record = await this.#parts.store.find(accountId, runId);
      if (record !== null && (await this.continueRun(run, record, record.deliveryPosition))) return;
    } catch (error) {
      this.#parts.log.error({ runId, sessionId, err: error }, 'ended a paused replay run that cannot be stopped');
    }
    if (run.phase.kind !== 'ended') this.#finish(run, 'stopped');
  }

  /** Lets go of a run: its attempts under way end. `whenParked` of the run resolves then. */
  park(run: PlayingRun): void {
    if (run.engine !== 'plays' || !run.delivering) return;
    run.park();
    this.#parts.control.parkRun(run.head.runId);
  }

  #parked(runId: string): void {
    const run = this.#playing.get(runId);
    if (run === undefined || run.engine !== 'parks') return;
    run.delivering = false;
    this.#giveBack(run);
    run.hasParked();
  }

  /** The engine holds nothing of the run. */
  #giveBack(run: PlayingRun): void {
    if (run.holdsAllowance) this.#parts.allowances.release(run.head.accountId);
    run.holdsAllowance = false;
    // A stream that is open needs it still.
    if (run.visual !== null) return;
    run.artifact?.release();
    run.artifact = null;
  }

  /** Bounds the time that a run may stay paused. */
  boundPause(run: PlayingRun, leftMs: number): void {
    run.cancelPauseBound = this.#parts.clock.schedule(leftMs, () => this.#requestStop(run));
  }

  /** A run that was paused when the last process ended stays so. */
  async #rest(record: RunRecord): Promise<void> {
    const { runId, accountId, sessionId, sinks, speed } = record;
    const session = await this.#parts.sessions.find(sessionId);
    if (session === null) return this.#resumeOrStop(record);
    const run = new PlayingRun({ runId, accountId, session, sinks, speed, ordered: record.ordered });
    run.watched = false;
    run.paused = true;
    run.engine = 'parked';
    if (!(await this.#takeUp(run))) return;
    const restedMs = Math.max(0, this.#parts.clock.wallMs() - record.pausedAt!.getTime());
    this.boundPause(run, Math.max(0, RUN_PAUSED_MS_MAX - restedMs));
  }

  /** RC5: the record of a run whose accepted seek has been carried out. */
  async #moved(record: RunRecord): Promise<RunRecord> {
    const { runId, seekPosition, deliveryPosition, state } = record;
    if (seekPosition === null || state !== 'running') return record;
    await this.#parts.store.seek(runId, seekPosition);
    return { ...record, seekPosition: null, deliveryPosition: Math.max(deliveryPosition, seekPosition) };
  }

  #firstAttempt(runId: string): void {
    const run = this.#playing.get(runId);
    if (run === undefined || run.head.session.demo) return;
    const { accountId, session } = run.head;
    const now = new Date(this.#parts.clock.wallMs());
    run.write(() => this.persist(() => this.#parts.sessions.unlock(accountId, session.sessionId, now)));
  }

  #finish(run: PlayingRun, state: EndState): void {
    run.end(state);
    run.visual?.finish(state);
    for (const follower of run.followers) follower.ended(state);
    const { runId } = run.head;
    const now = new Date(this.#parts.clock.wallMs());
    run.write(async () => {
      await this.persist(() => this.#parts.store.end(runId, state, run.visual?.position ?? 0, run.left, now));
      this.#playing.delete(runId);
      if (run.holdsAllowance) this.#parts.allowances.release(run.head.accountId);
      run.hasEnded();
    });
  }

  /** Also resolves if the service closes first: the unfinished run resumes at the next start, and writes again. */
  async persist(write: () => Promise<void>): Promise<void> {
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

  /**
   * Rejects only if the database is away: then the run is left to the next try. One that cannot resume for another reason
   * must neither stop the service from starting nor its account from further runs.
   */
  async #resumeOrStop(record: RunRecord): Promise<void> {
    const run = await this.#again(record);
    if (run === null) return;
    try {
      await this.#continued(run, record, record.deliveryPosition);
    } catch (error) {
      const { runId, sessionId } = record;
      if (isDatabaseOutage(error) && run.phase.kind !== 'ended') {
        this.#playing.delete(runId);
        throw error;
      }
      if (error instanceof ApiError && run.phase.kind === 'playing') {
        this.#parts.log.warn(
          { runId, sessionId, err: error },
          'paused an unfinished replay run that cannot resume now',
        );
        await this.pauseAgain(run);
        return;
      }
      this.#parts.log.error({ runId, sessionId, err: error }, 'ended an unfinished replay run that cannot resume');
      if (run.phase.kind !== 'ended') this.#finish(run, 'stopped');
    }
  }

  /** Plays an unfinished run again: its position is due now. Null if that cannot be, or it rejects; then it has ended. */
  async playAgain(record: RunRecord, position: number): Promise<PlayingRun | null> {
    const run = await this.#again(record).catch((error: Error) => {
      this.giveUp(record);
      throw error;
    });
    if (run === null) return null;
    try {
      return await this.#continued(run, record, position);
    } catch (error) {
      run.left = record.visualLeft;
      if (run.phase.kind !== 'ended') this.#finish(run, 'stopped');
      throw error;
    }
  }

  /** Ends a run that was left and is not played again after all. Its client may come back once more. */
  giveUp({ runId, visualPosition, visualLeft }: RunRecord): void {
    const now = new Date(this.#parts.clock.wallMs());
    this.#givenUp.add(runId);
    void this.persist(() => this.#parts.store.end(runId, 'stopped', visualPosition, visualLeft, now)).then(() =>
      this.#givenUp.delete(runId),
    );
  }

  /** Whether the end of such a run is still to be recorded. */
  isGivenUp(runId: string): boolean {
    return this.#givenUp.has(runId);
  }

  /** An unfinished run that this process is about to play; null when its session is gone, or it has ended. */
  async #again(record: RunRecord): Promise<PlayingRun | null> {
    const { sessions, store, clock, log } = this.#parts;
    const { runId, accountId, sessionId, sinks, ordered } = record;
    const session = await sessions.find(sessionId);
    if (session === null) {
      log.error({ runId, sessionId }, 'ended an unfinished replay run: its session is gone');
      await store.end(runId, 'stopped', record.visualPosition, false, new Date(clock.wallMs()));
      return null;
    }
    // Older versions accepted slower ones.
    const speed = Math.max(record.speed, REPLAY_SPEED_MIN);
    const run = new PlayingRun({ runId, accountId, session, sinks, speed, ordered });
    if (record.state === 'stopping') run.stop();
    // The client lost its stream when the last process ended.
    run.watched = false;
    if (!(await this.#takeUp(run))) return null;
    // The last process may have ended before it could take the slot, and there may be nothing left to attempt.
    if (record.endpoints.some(({ delivered, failed }) => delivered + failed > 0)) this.#firstAttempt(runId);
    return run;
  }

  /** From now on a stop finds the run here. Resolves with whether none came since it was read, which has ended it. */
  async #takeUp(run: PlayingRun): Promise<boolean> {
    const { runId, accountId } = run.head;
    this.#playing.set(runId, run);
    let isGoing = false;
    try {
      isGoing = (await this.#parts.store.find(accountId, runId))?.endedAt === null;
    } finally {
      if (!isGoing) this.#playing.delete(runId);
    }
    return isGoing;
  }

  async #continued(run: PlayingRun, record: RunRecord, position: number): Promise<PlayingRun | null> {
    if (await this.turns.run(record.runId, () => this.continueRun(run, record, position))) return run;
    await (this.#closing.signal.aborted ? null : run.ended);
    return null;
  }

  /** RC6 */
  async pauseAgain(run: PlayingRun): Promise<void> {
    if (run.paused || run.phase.kind !== 'playing') return;
    run.paused = true;
    this.boundPause(run, RUN_PAUSED_MS_MAX);
    const pausedAt = new Date(this.#parts.clock.wallMs());
    await this.persist(() => this.#parts.store.pause(run.head.runId, pausedAt));
  }

  /**
   * Plays a run that the engine does not play: its position is due now. False if that cannot be; then it ends. Rejects if
   * that cannot be now: the engine still holds nothing of it.
   */
  async continueRun(run: PlayingRun, record: RunRecord, position: number): Promise<boolean> {
    const { library, clock, changes, log } = this.#parts;
    const { runId, runNo, accountId, sessionId, sinks } = record;
    // From here on, a stop leaves it to the handover: the engine gets the run once.
    run.engine = 'plays';
    const details = { runId, sessionId };
    const isClosing = (): boolean => this.#closing.signal.aborted;
    const prepare = () => openPrepared(library, sessionId, clock, isClosing);
    const reopen = () => withRoom(reopenedTimeline(library, record, prepare));
    const opened = run.artifact ?? (await reopen().catch((error: Error) => this.#notContinued(run, error)));
    if (opened === null && isClosing()) return false;
    if (opened === null || opened === 'other') {
      const reason =
        opened === null
          ? 'its session cannot be prepared'
          : 'its artifact is gone, and its session now has other updates';
      log.error(details, `ended an unfinished replay run: ${reason}`);
      this.#finish(run, 'stopped');
      return false;
    }
    run.artifact = opened;
    run.pacedFromMs = pacedFrom(position, opened.timeline, run.head.speed, clock);
    const webhookIds = record.endpoints.map(({ webhookId }) => webhookId);
    if (sinks !== 'visual') {
      const how = { runNo, webhookIds, resumed: position };
      await changes
        .run(accountId, () => handOver(this.#parts, run, how, this.#listener))
        .catch((error: Error) => this.#notContinued(run, error));
    }
    log.info({ ...details, position }, 'resumed a replay run');
    return true;
  }

  /** Gives back what was taken for it. A stop that came meanwhile has left it to the handover, which there is not. */
  #notContinued(run: PlayingRun, error: Error): never {
    run.engine = 'parked';
    this.#giveBack(run);
    if (run.phase.kind === 'stopping' || run.delivering) this.#finish(run, 'stopped');
    throw error;
  }
}
