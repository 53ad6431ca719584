// Resends: an endpoint gets updates of an earlier run once more, with the same bytes and delivery ids.
//
// RE1 What goes out is decided at the start and stored with the run. So a resend that is resumed after a crash sends what
//     is left of the same updates, each once.
// RE2 An endpoint has one resend at a time. What an earlier one has delivered is not missed any more, so two one after
//     the other send nothing twice.
// RE3 A resend is a run of its own. It shares with live delivery and replays the settings of the endpoint, and nothing
//     else: it changes neither their order nor their counts.
// RE4 A resend for which a restart or a takeover has no room is not ended, and nobody need resume it: it waits, holds
//     nothing, and goes on when there is room. A stop ends it: what it has not sent is still missed.

import type { FeedCatalogue } from '#api/feeds/feed-catalogue.ts';
import { ApiError } from '#api/http/api-error.ts';
import { isDatabaseOutage } from '#api/http/database-outage.ts';
import { everybody, type IsOurs } from '#api/http/homes.ts';
import type { RunState, RunStore } from '#api/simulate/run-store.ts';
import type { SessionStore } from '#api/simulate/session-store.ts';
import type { Allowances } from '#api/usage/allowances.ts';
import { endpointSettings } from '#api/webhooks/endpoint-settings.ts';
import type { WebhookRecord, WebhookStore } from '#api/webhooks/webhook-store.ts';
import type { TimerClock } from '#engine/base/clock.ts';
import { newId } from '#engine/base/ids.ts';
import { KeyedMutex } from '#engine/base/keyed-mutex.ts';
import { ROOM_LOOK_MS, RUNS_MAX, STOP_WAIT_MS } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import { untilDone } from '#engine/base/persistent-work.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { allSettled } from '#engine/base/settled.ts';
import type { DeliveryControl, RunListener } from '#engine/delivery/cluster/delivery-control.ts';
import { missedUpdates } from '#engine/delivery/delivery-log/missed-updates.ts';
import { CompiledFilter } from '#engine/delivery/filter/compiled-filter.ts';
import { ArtifactsFull } from '#engine/intake/playback/open-artifacts.ts';
import type { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { placeOf, SNAPSHOTS_FROM, snapshotFeed } from '#engine/timeline/snapshot-number.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import { noteRecovered } from './recovery.ts';
import { deliverySource, liveSource, type ResendSource, runSource } from './resend-source.ts';
import type { NewResend, ResendRecord, ResendStore } from './resend-store.ts';
import type { ResendTimeline, ResendTimelines } from './resend-timelines.ts';
import { firstPosition, type ResendWish } from './resend-wish.ts';

export interface ResendsParts {
  readonly store: ResendStore;
  readonly runStore: Pick<RunStore, 'find' | 'markStopping' | 'end'>;
  readonly timelines: ResendTimelines;
  readonly sessions: Pick<SessionStore, 'find'>;
  readonly webhooks: WebhookStore;
  readonly catalogue: FeedCatalogue;
  readonly control: DeliveryControl;
  readonly allowances: Allowances;
  readonly secretBox: SecretBox;
  readonly clock: TimerClock;
  /** By account id. Changes to endpoints use it too. */
  readonly changes: KeyedMutex;
  readonly log: Log;
}

export interface StartedResend {
  readonly runId: string;
  readonly webhookId: string;
  readonly sessionId: string;
  readonly mode: 'live' | 'replay';
  readonly updates: number;
}

interface RunningResend {
  readonly accountId: string;
  /** Whether the engine has it. Before that, its updates are opened, or wait for room (RE4). */
  delivering: boolean;
  stopping: boolean;
  /** Another node resumes it. */
  left: boolean;
  /** Aborted when it is stopped or left. */
  readonly interrupted: AbortController;
  /** Resolves when this process has nothing more to do with it. */
  readonly ended: PromiseWithResolvers<void>;
}

export class Resends {
  readonly #parts: ResendsParts;
  readonly #running = new Map<string, RunningResend>();
  /** By webhook id (RE2). */
  readonly #starts = new KeyedMutex();
  readonly #closing = new AbortController();

  constructor(parts: ResendsParts) {
    this.#parts = parts;
  }

  /** Starts a resend. Rejects with an ApiError if there is nothing to send, or nothing to send it from. */
  start(webhook: WebhookRecord, wish: ResendWish): Promise<StartedResend> {
    if (this.#closing.signal.aborted)
      throw new ApiError('unavailable', 'The service is stopping.', { 'retry-after': '5' });
    if (this.#running.size >= RUNS_MAX)
      throw new ApiError('unavailable', 'Too many resends are running.', { 'retry-after': '60' });
    return this.#starts.run(webhook.webhookId, () => this.#select(webhook, wish));
  }

  /** Stops a resend that this process plays and waits a moment for its end. Null for any other run. */
  async stop(accountId: string, runId: string): Promise<RunState | null> {
    const { clock, runStore } = this.#parts;
    const run = this.#running.get(runId);
    if (run === undefined || run.accountId !== accountId) return null;
    this.#requestStop(runId, run);
    await runStore.markStopping(runId);
    await Promise.race([run.ended.promise, clock.sleep(STOP_WAIT_MS)]);
    return (await runStore.find(accountId, runId))?.state ?? null;
  }

  /** Stops the resends that another process has marked as stopping; null: those of all accounts. */
  async stopMarked(accountId: string | null): Promise<void> {
    for (const runId of await this.#parts.store.stopping(accountId)) {
      const run = this.#running.get(runId);
      if (run !== undefined) this.#requestStop(runId, run);
    }
  }

  /**
   * Resumes the resends that the last process left: first those from artifacts, then, when all live sessions are open,
   * those from the memory of a live session.
   */
  async resume(which: 'recorded' | 'live', isOurs: IsOurs = everybody): Promise<void> {
    const left = (await this.#parts.store.unfinished()).filter(
      ({ timelineOrigin, accountId, runId }) =>
        (timelineOrigin === null) === (which === 'live') && isOurs(accountId) && !this.#running.has(runId),
    );
    await allSettled(left.map((record) => this.#resume(record)));
    await this.stopMarked(null);
  }

  /**
   * Rejects if the database is away: then the resend is left to the next try. One that cannot resume for another reason
   * must neither stop the service from starting nor its endpoint from further resends.
   */
  async #resume(record: ResendRecord): Promise<void> {
    const { runId, accountId, sessionId } = record;
    const run = this.#register(runId, accountId);
    run.stopping = record.state === 'stopping';
    try {
      if (await this.#hasReopened(record, run)) return;
    } catch (error) {
      this.#forget(runId, run);
      throw error;
    }
    this.#parts.log.warn({ runId, sessionId }, 'an unfinished resend waits until there is room for its updates');
    void this.#waitForRoom(record, run);
  }

  /** RE4. Never rejects. */
  async #waitForRoom(record: ResendRecord, run: RunningResend): Promise<void> {
    const { clock, log } = this.#parts;
    const { runId } = record;
    const woken = AbortSignal.any([this.#closing.signal, run.interrupted.signal]);
    for (;;) {
      await clock.sleep(ROOM_LOOK_MS, woken).catch(() => {});
      try {
        if (!woken.aborted && (await this.#hasReopened(record, run))) return;
      } catch (error) {
        log.warn({ runId, err: error }, 'could not resume a resend that waits for room yet; it is tried again');
      }
      if (!woken.aborted) continue;
      if (run.stopping) await this.#end(record, run);
      this.#forget(runId, run);
      return;
    }
  }

  /** False if there is no room for its updates. Rejects if the database is away. */
  async #hasReopened(record: ResendRecord, run: RunningResend): Promise<boolean> {
    const { timelines, changes, clock, log } = this.#parts;
    const { runId, accountId, sessionId, replayId } = record;
    const isGivenUp = (): boolean => this.#closing.signal.aborted || run.left;
    try {
      const mode = replayId === null ? 'live' : 'replay';
      const wanted = { mode, sessionId, ...(await this.#identityOf(record)) } as const;
      const timeline = await timelines.reopen(wanted, clock, isGivenUp);
      const how = { run, runNo: record.runNo, timeline, resumed: true };
      // In turn with changes of the endpoint, like every start: a change is sent to the engine that has the run.
      await changes
        .run(accountId, () => this.#deliver(record, how))
        .catch((error: Error) => {
          timeline.release();
          throw error;
        });
      log.info({ runId, sessionId }, 'resumed a resend');
    } catch (error) {
      if (!isGivenUp()) {
        if (error instanceof ArtifactsFull && !run.stopping) return false;
        if (isDatabaseOutage(error)) throw error;
        log.error({ runId, sessionId, err: error }, 'ended an unfinished resend that cannot resume');
        await this.#settle(record, 'stopped', new Date(clock.wallMs()));
      }
      this.#forget(runId, run);
    }
    return true;
  }

  #register(runId: string, accountId: string): RunningResend {
    const run: RunningResend = {
      accountId,
      delivering: false,
      stopping: false,
      left: false,
      interrupted: new AbortController(),
      ended: Promise.withResolvers<void>(),
    };
    this.#running.set(runId, run);
    return run;
  }

  #forget(runId: string, run: RunningResend): void {
    this.#running.delete(runId);
    run.ended.resolve();
  }

  /** Lets go of the resends of these accounts, for another node that resumes them. Resolves when all is recorded. */
  async letGo(isTheirs: IsOurs): Promise<void> {
    const theirs = [...this.#running].filter(([, { accountId }]) => isTheirs(accountId));
    for (const [runId, run] of theirs) {
      run.left = true;
      run.interrupted.abort();
      if (run.delivering) this.#parts.control.parkRun(runId);
    }
    await Promise.all(theirs.map(([, { ended }]) => ended.promise));
  }

  /** Resends stay unfinished and resume at the next start. */
  close(): void {
    this.#closing.abort();
  }

  async #select(webhook: WebhookRecord, wish: ResendWish): Promise<StartedResend> {
    const { store, timelines, changes } = this.#parts;
    const { accountId, webhookId } = webhook;
    if (!endpointSettings(webhook, this.#parts).active) throw new ApiError('endpoint_inactive');
    const { source, positions: named } = await this.#source(webhook, wish);
    const [first] = source.firsts;
    const timeline = await timelines.open({ ...first!, mode: source.mode });
    try {
      const wanted = named ?? missedUpdates(await store.outcomes(webhookId, webhook.webhookNo, source.runs), wish);
      const allFeeds = await this.#allFeeds(source);
      const resend = await changes.run(accountId, async () => {
        const present = await this.#parts.webhooks.find(accountId, webhookId);
        if (present === null)
          throw new ApiError('not_found', 'There is no such webhook endpoint: GET /v1/webhooks lists yours.');
        const filter = new CompiledFilter(endpointSettings(present, this.#parts), { allFeeds }, timeline.timeline);
        const from = firstPosition(wish.since, timeline.timeline);
        const positions = wanted.filter(
          (position) =>
            placeOf(position) >= from &&
            placeOf(position) < timeline.timeline.length &&
            (wish.feedIds === null || wish.feedIds.has(feedIdOf(timeline.timeline, position))) &&
            filter.wants(position),
        );
        if (positions.length === 0) throw new ApiError('nothing_to_resend');
        return this.#begin(webhook, source, positions, timeline);
      });
      const { runId, sessionId, positions } = resend;
      return { runId, webhookId, sessionId, mode: source.mode, updates: positions.length };
    } catch (error) {
      timeline.release();
      throw error;
    }
  }

  async #source(webhook: WebhookRecord, { what }: ResendWish) {
    const { store } = this.#parts;
    if (what.kind === 'deliveries') return deliverySource(store, webhook, what.deliveryIds);
    const source =
      what.kind === 'run'
        ? await runSource(store, webhook, what.runId)
        : await liveSource(store, webhook, what.sessionId);
    return { source, positions: null };
  }

  async #begin(
    { accountId, webhookId }: WebhookRecord,
    { sessionId, replayId, firsts }: ResendSource,
    positions: Uint32Array,
    timeline: ResendTimeline,
  ): Promise<NewResend> {
    const { store, clock } = this.#parts;
    const startedAtMs = clock.wallMs();
    const resend: NewResend = {
      runId: newId('run', startedAtMs, systemRandomBytes),
      accountId,
      webhookId,
      sessionId,
      replayId,
      speed: firsts[0]!.speed,
      timelineOrigin: timeline.origin,
      positions,
      startedAt: new Date(startedAtMs),
    };
    // A stop finds it from the moment at which it is written.
    const run = this.#register(resend.runId, accountId);
    try {
      const runNo = await store.insert(resend);
      if (runNo === 'running') throw new ApiError('resend_running');
      await this.#deliver(resend, { run, runNo, timeline, resumed: false });
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'resend_running')) await this.#abandon(resend.runId);
      this.#forget(resend.runId, run);
      throw error;
    }
    return resend;
  }

  /**
   * A resend that could not begin. It is in the database, or may be, and the endpoint could have no other one before the next
   * start. Waits a moment for its end.
   */
  async #abandon(runId: string): Promise<void> {
    const { runStore, clock } = this.#parts;
    const ended = this.#persist(runId, () => runStore.end(runId, 'stopped', 0, false, new Date(clock.wallMs())));
    await Promise.race([ended, clock.sleep(STOP_WAIT_MS)]);
  }

  /** Hands a resend to the delivery engine, with the present settings of its endpoint. */
  async #deliver(
    resend: NewResend,
    how: { run: RunningResend; runNo: number; timeline: ResendTimeline; resumed: boolean },
  ): Promise<void> {
    const { webhooks, control, allowances, clock } = this.#parts;
    const { runId, accountId, webhookId, sessionId, replayId, speed, positions } = resend;
    const { run, runNo, timeline, resumed } = how;
    const allowance = await allowances.hold(accountId);
    const released = (): void => {
      allowances.release(accountId);
      timeline.release();
      this.#forget(runId, run);
    };
    const listener: RunListener = {
      firstAttempt() {},
      settled: () => void this.#end(resend, run).finally(released),
      parked: released,
    };
    try {
      const mode = replayId === null ? ('live' as const) : ('replay' as const);
      const order = {
        mode,
        runId,
        runNo,
        sessionId,
        accountId,
        speed,
        pacedFromMs: clock.nowMs(),
        allFeeds: await this.#allFeeds({ mode, sessionId }),
        allowance,
        resend: { of: replayId === null ? null : { runId: replayId, speed }, positions },
      };
      const records = await webhooks.findAll([webhookId]);
      const settings = records.map((record) => endpointSettings(record, this.#parts));
      control.startRun(order, timeline.shared, settings, resumed, listener);
      run.delivering = true;
      for (const { deletedAt } of records) if (deletedAt !== null) control.endpointDeleted(webhookId);
      // What was asked for before the engine had it.
      if (run.stopping) control.stopRun(runId);
      if (run.left) control.parkRun(runId);
    } catch (error) {
      allowances.release(accountId);
      throw error;
    }
  }

  /** A replay of the demo session sends every feed, whatever the subscriptions. */
  async #allFeeds({ mode, sessionId }: Pick<ResendSource, 'mode' | 'sessionId'>): Promise<boolean> {
    return mode === 'replay' && ((await this.#parts.sessions.find(sessionId))?.demo ?? false);
  }

  /** What identifies the timeline of a resend that is resumed. */
  async #identityOf({ accountId, webhookId, sessionId, replayId, timelineOrigin }: NewResend) {
    const runs = await this.#parts.store.sources(accountId, webhookId, sessionId);
    const first = runs.find((run) => !run.isResend && run.replayId === replayId);
    const { updateCount = 0, deriverVersion = null } = first ?? {};
    // What is live is open by now. If it is not, it has ended, whatever its row says.
    return {
      timelineOrigin: timelineOrigin ?? first?.timelineOrigin ?? null,
      updateCount,
      deriverVersion,
      ended: true,
    };
  }

  #requestStop(runId: string, run: RunningResend): void {
    if (run.stopping) return;
    run.stopping = true;
    run.interrupted.abort();
    if (run.delivering) this.#parts.control.stopRun(runId);
  }

  /** Its end is recorded last: until then, the next start does all of this again. */
  async #settle(resend: NewResend, state: 'stopped' | 'completed', now: Date): Promise<void> {
    const { store, runStore, webhooks } = this.#parts;
    const isOfLive = resend.replayId === null;
    const [webhook] = isOfLive ? await webhooks.findAll([resend.webhookId]) : [];
    if (webhook !== undefined) await noteRecovered(store, webhook, resend.sessionId);
    await runStore.end(resend.runId, state, 0, false, now);
  }

  /** Also resolves if the service closes first: the next start resumes the resend, and ends it again. */
  #end(resend: NewResend, run: RunningResend): Promise<void> {
    const state = run.stopping ? 'stopped' : 'completed';
    const now = new Date(this.#parts.clock.wallMs());
    return this.#persist(resend.runId, () => this.#settle(resend, state, now));
  }

  #persist(runId: string, write: () => Promise<void>): Promise<void> {
    const { clock, log } = this.#parts;
    const { signal } = this.#closing;
    const failed = (error: unknown): void =>
      log.warn({ runId, err: error }, 'could not commit the end of a resend yet; it is retried');
    return untilDone(write, {
      pause: (delayMs) => clock.sleep(delayMs, signal).catch(() => {}),
      isClosing: () => signal.aborted,
      failed,
    }).catch(failed);
  }
}

function feedIdOf(timeline: Timeline, position: number): string {
  return position < SNAPSHOTS_FROM ? timeline.feedId(position) : FEEDS[snapshotFeed(position)]!.feedId;
}
