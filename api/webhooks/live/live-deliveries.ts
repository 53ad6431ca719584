// Live delivery: one run per live session and account with endpoints. It starts at the session's first update, or, for
// a new endpoint, at the moment of its creation. It is settled when the session is over and every delivery is.
//
// J1 Checkpoints are in the database before a run is handed to the engine. So after a crash each endpoint resumes where
//    it left off, even one that was created while no process delivered.
// J2 If a session ended but deliveries are left at the next start, they come from its journal, which has the updates as
//    they were published. The versions of the service before journals left none: then from its recording, which has the
//    same updates at the same positions if the deriver is the same (I7). While there is no room for these they wait. If
//    neither can be read, the next start tries again.
// J3 Deliveries of an ended session end within LIVE_DELIVERY_MS. What is left then is skipped as `expired`.
// J4 A new endpoint joins alone: what its creation reads, writes and sends does not grow with the account's endpoints.
// J5 A journal is removed when its session is over and the end of each of its runs is in the database.
// J6 In a cluster every node follows every session and delivers to the accounts that are at home there. What an account's
//    last home has left is resumed from the checkpoints; an endpoint whose checkpoint is ahead of this node waits for it.

import type { FeedCatalogue } from '#api/feeds/feed-catalogue.ts';
import { everybody, type IsOurs } from '#api/http/homes.ts';
import type { Allowances } from '#api/usage/allowances.ts';
import { endpointSettings } from '#api/webhooks/endpoint-settings.ts';
import type { WebhookStore } from '#api/webhooks/webhook-store.ts';
import type { TimerClock } from '#engine/base/clock.ts';
import type { KeyedMutex } from '#engine/base/keyed-mutex.ts';
import { LIVE_ACCOUNTS_AT_ONCE_MAX, LIVE_DELIVERY_MS, ROOM_LOOK_MS } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import { untilDone } from '#engine/base/persistent-work.ts';
import type { DeliveryControl, RunListener } from '#engine/delivery/cluster/delivery-control.ts';
import type { LiveJournals } from '#engine/intake/live/live-journals.ts';
import { ArtifactsFull } from '#engine/intake/playback/open-artifacts.ts';
import { openPrepared } from '#engine/intake/playback/open-prepared.ts';
import type { OpenArtifact, PlaybackLibrary } from '#engine/intake/playback/playback-library.ts';
import type { SessionPhase } from '#engine/racing/session/session-phase.ts';
import type { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import type { LiveMemory } from '#engine/timeline/live-memory.ts';
import { LiveTimeline } from '#engine/timeline/live-timeline.ts';
import type { SharedTimeline } from '#engine/timeline/shared-timeline.ts';
import type { LiveRunRecord, LiveRunStore } from './live-run-store.ts';

/** In the place of a run. */
const OPENING = 'opening';

export interface LiveDeliveriesParts {
  readonly store: LiveRunStore;
  readonly webhooks: WebhookStore;
  readonly catalogue: FeedCatalogue;
  readonly control: DeliveryControl;
  readonly allowances: Allowances;
  readonly library: PlaybackLibrary;
  readonly journals: Pick<LiveJournals, 'open' | 'remove' | 'sweep'>;
  readonly secretBox: SecretBox;
  readonly clock: TimerClock;
  /** By account id. Changes to endpoints use it too. */
  readonly changes: KeyedMutex;
  /** Whether the account is at home here. Default: every one. */
  readonly owns?: IsOurs;
  readonly log: Log;
}

interface FollowedSession {
  readonly memory: LiveMemory;
  /** When it began in the cluster; null without one. */
  readonly beganAt: Date | null;
  readonly live: LiveTimeline;
  /** Resolves when every account's run is in the database. */
  readonly entered: Promise<readonly LiveRunRecord[]>;
  phase: SessionPhase;
  ended: boolean;
  /** Runs that are not settled, by account. */
  readonly runs: Map<string, string>;
}

export class LiveDeliveries {
  readonly #parts: LiveDeliveriesParts;
  readonly #sessions = new Map<string, FollowedSession>();
  readonly #timers = new Set<() => void>();
  /** By session: the runs whose end is not in the database, and OPENING while they are not known. */
  readonly #unended = new Map<string, Set<string>>();
  /** The timelines of sessions that were over at the start; null without a journal. */
  readonly #journalled = new Map<string, LiveMemory | null>();
  /** What the engine has: by run, its account and what happens once the engine has let go of it. */
  readonly #playing = new Map<string, { readonly accountId: string; parked: () => void }>();
  /** Accounts of the runs for whose updates there was no room, by run (J2). */
  readonly #waiting = new Map<string, string>();
  #opened: (memory: LiveMemory) => void = () => {};
  /** Whether the sessions that are live have been opened, so that any other one is over. */
  #areOpen = false;
  #closed = false;

  constructor(parts: LiveDeliveriesParts) {
    this.#parts = parts;
  }

  /** The memory of a session whose live delivery has not ended; null for others. */
  memoryOf(sessionId: string): LiveMemory | null {
    return this.#sessions.get(sessionId)?.memory ?? this.#journalled.get(sessionId) ?? null;
  }

  /** The phase of a session that the service follows live; null for others. */
  phaseOf(sessionId: string): SessionPhase | null {
    return this.#sessions.get(sessionId)?.phase ?? null;
  }

  /** What a session that the service follows live has published, and whether it is over; null for others. */
  published(sessionId: string): { readonly memory: LiveMemory; readonly ended: boolean } | null {
    return this.#sessions.get(sessionId) ?? null;
  }

  /** What the sessions have published that are live now. */
  following(): LiveMemory[] {
    return [...this.#sessions.values()].filter(({ ended }) => !ended).map(({ memory }) => memory);
  }

  /** Calls back with the memory of each session that becomes live, before it publishes more. Set once. */
  onOpened(opened: (memory: LiveMemory) => void): void {
    this.#opened = opened;
  }

  /**
   * A session is live: every account with endpoints gets it. A session that is known already continues in the same
   * memory. `beganAtMs` (Unix epoch): when it began in the cluster.
   */
  async opened(memory: LiveMemory, phase: SessionPhase, beganAtMs: number | null = null): Promise<void> {
    const { sessionId } = memory.head;
    const known = this.#sessions.get(sessionId);
    if (known !== undefined && !known.ended) return this.moved(sessionId, phase);
    const { owns = everybody } = this.#parts;
    const live = new LiveTimeline(memory);
    const beganAt = beganAtMs === null ? null : new Date(beganAtMs);
    const entered = this.#enter(sessionId, live, beganAt, owns);
    const runs = new Map<string, string>();
    const session = { memory, beganAt, live, entered, phase, ended: false, runs };
    this.#sessions.set(sessionId, session);
    this.#opened(memory);
    this.#expect(sessionId, OPENING);
    await this.#playAll(session, await entered);
    this.#runEnded(sessionId, OPENING);
  }

  #enter(
    sessionId: string,
    { timeline: { length } }: LiveTimeline,
    beganAt: Date | null,
    isOurs: IsOurs,
  ): Promise<readonly LiveRunRecord[]> {
    const home = beganAt === null ? undefined : { isOurs, beganAt };
    return this.#persist(() => this.#parts.store.enter(sessionId, length, this.#now(), home));
  }

  async #playAll(session: FollowedSession, runs: readonly LiveRunRecord[]): Promise<void> {
    const { changes } = this.#parts;
    for (const { runId } of runs) this.#expect(session.memory.head.sessionId, runId);
    const rest = runs.values();
    const work = async (): Promise<void> => {
      for (const run of rest) await changes.run(run.accountId, () => this.#play(session, run));
    };
    await Promise.all(Array.from({ length: LIVE_ACCOUNTS_AT_ONCE_MAX }, work));
  }

  moved(sessionId: string, phase: SessionPhase): void {
    const session = this.#sessions.get(sessionId);
    if (session !== undefined) session.phase = phase;
  }

  /** The session is over. Its deliveries may take a while longer. */
  ended(sessionId: string): void {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) return;
    session.phase = 'finished';
    session.ended = true;
    this.#expireLater([...session.runs.values()]);
    this.#forgetIfOver(sessionId, session);
    this.#removeIfUnneeded(sessionId);
  }

  /** This node differs from its cluster about the session: its deliveries rest, and go on from their checkpoints one day. */
  left(sessionId: string): void {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) return;
    this.#sessions.delete(sessionId);
    for (const runId of session.runs.values()) this.#parts.control.parkRun(runId);
  }

  /** An endpoint was created: it gets all updates from now on. Do not call while holding the account's mutex. */
  async endpointCreated(accountId: string, webhookId: string): Promise<void> {
    const { store, changes, log } = this.#parts;
    for (const session of this.#sessions.values()) {
      if (session.ended) continue;
      const { sessionId } = session.memory.head;
      try {
        // If this endpoint came first, the session would look resumed, and the other accounts would miss its beginning.
        await session.entered;
        await changes.run(accountId, async () => {
          session.live.refresh();
          const position = session.live.timeline.length;
          const run = await this.#persist(() =>
            store.enterEndpoint(sessionId, accountId, webhookId, position, this.#now()),
          );
          if (run === null) return;
          if (session.runs.get(accountId) === run.runId) await this.#join(run, webhookId);
          else await this.#play(session, run);
        });
      } catch (error) {
        log.error(
          { accountId, webhookId, sessionId, err: error },
          'could not add a new endpoint to a live session; it joins at the next start',
        );
      }
    }
  }

  /**
   * Delivers what the last process, or the last home of these accounts, left of sessions that are no longer live. Call when
   * all live sessions are open. A run that is resumed already goes on as it is.
   */
  async resume(isOurs: IsOurs = everybody): Promise<void> {
    this.#areOpen = true;
    await this.#resumeLeft(isOurs);
  }

  /** These accounts now have their home here: continues what their last home did not finish (J6). */
  async gain(isOurs: IsOurs): Promise<void> {
    // `resume` comes, and takes them along.
    if (!this.#areOpen) return;
    for (const session of this.#sessions.values()) {
      const { sessionId } = session.memory.head;
      session.live.refresh();
      if (!session.ended) {
        await this.#playAll(session, await this.#enter(sessionId, session.live, session.beganAt, isOurs));
        continue;
      }
      const runs = (await this.#parts.store.unfinished()).filter(
        (run) => run.sessionId === sessionId && isOurs(run.accountId),
      );
      await this.#playAll(session, runs);
      this.#expireLater(runs.map(({ runId }) => runId));
    }
    await this.#resumeLeft(isOurs);
  }

  /** Lets go of the runs of these accounts. Resolves when the engine holds nothing of them and everything is recorded. */
  async letGo(isTheirs: IsOurs): Promise<void> {
    const { control, changes } = this.#parts;
    const accounts = new Set([...this.#sessions.values()].flatMap(({ runs }) => [...runs.keys()]));
    for (const { accountId } of this.#playing.values()) accounts.add(accountId);
    for (const accountId of this.#waiting.values()) accounts.add(accountId);
    await Promise.all(
      [...accounts].filter(isTheirs).map((accountId) =>
        // Behind a start that is under way.
        changes.run(accountId, async () => {
          const runs = [...this.#playing].filter(([, run]) => run.accountId === accountId);
          await Promise.all(
            runs.map(
              ([runId, run]) =>
                new Promise<void>((resolve) => {
                  run.parked = resolve;
                  control.parkRun(runId);
                }),
            ),
          );
        }),
      ),
    );
  }

  async #resumeLeft(isOurs: IsOurs): Promise<void> {
    const left = (await this.#parts.store.unfinished()).filter(
      ({ sessionId, runId, accountId }) =>
        !this.#sessions.has(sessionId) && isOurs(accountId) && this.#unended.get(sessionId)?.has(runId) !== true,
    );
    for (const { sessionId, runId } of left) this.#expect(sessionId, runId);
    this.#parts.journals.sweep((sessionId) => this.#sessions.has(sessionId) || this.#unended.has(sessionId));
    await Promise.all(left.map((run) => this.#resume(run)));
  }

  close(): void {
    this.#closed = true;
    for (const cancel of this.#timers) cancel();
  }

  /** J4 */
  async #join({ runId, accountId }: LiveRunRecord, webhookId: string): Promise<void> {
    const { webhooks, control } = this.#parts;
    const webhook = await this.#persist(() => webhooks.find(accountId, webhookId));
    if (webhook !== null) control.joinRun(runId, [endpointSettings(webhook, this.#parts)]);
  }

  /** Starts a run with all its endpoints, unless a new endpoint has started it while the session opened. */
  async #play(session: FollowedSession, run: LiveRunRecord): Promise<void> {
    const { log, owns = everybody } = this.#parts;
    const { runId, accountId } = run;
    if (session.runs.get(accountId) === runId) return;
    // It has moved to another node meanwhile.
    if (!owns(accountId)) return this.#runEnded(session.memory.head.sessionId, runId);
    try {
      session.runs.set(accountId, runId);
      this.#expect(session.memory.head.sessionId, runId);
      await this.#persist(() => this.#start(run, session.memory, () => session.runs.delete(accountId)));
    } catch (error) {
      log.error({ accountId, runId, err: error }, 'could not start a live run; the next start resumes it');
    }
  }

  /** Never rejects. */
  async #resume(run: LiveRunRecord): Promise<void> {
    const { library, store, clock, changes, log, owns = everybody } = this.#parts;
    const { runId, sessionId, accountId } = run;
    let waits = false;
    try {
      const published = this.#openJournal(sessionId);
      if (published !== null) {
        await changes.run(accountId, () => this.#persist(() => this.#start(run, published, () => {})));
        return this.#expireLater([runId]);
      }
      const opened = await openPrepared(library, sessionId, clock, () => this.#closed);
      if (this.#closed) return;
      if (opened === null) {
        const preparation = await this.#persist(() => library.status(sessionId));
        if (preparation.status === 'failed') throw new Error(preparation.reason);
        log.error({ runId, sessionId }, 'cannot deliver what was left of a live session: its recording is gone');
        await this.#persist(async () => {
          // It may have moved to another node while the database was away.
          if (owns(accountId)) await store.end(runId, 'stopped', this.#now());
        });
        this.#runEnded(sessionId, runId);
        return;
      }
      await this.#startLeft(run, opened);
    } catch (error) {
      waits = error instanceof ArtifactsFull;
      if (waits) this.#waitForRoom(run);
      else
        log.error(
          { runId, sessionId, err: error },
          'could not deliver what was left of a live session; the next start tries again',
        );
    } finally {
      if (!waits) this.#waiting.delete(runId);
    }
  }

  async #startLeft(run: LiveRunRecord, { artifact, release }: OpenArtifact): Promise<void> {
    const { changes, owns = everybody } = this.#parts;
    const { runId, sessionId, accountId } = run;
    try {
      const hasStarted = await changes.run(accountId, async () => {
        // It may have moved to another node while it waited.
        if (!owns(accountId)) return false;
        await this.#persist(() => this.#start(run, artifact, release));
        return true;
      });
      if (hasStarted) return this.#expireLater([runId]);
    } catch (error) {
      release();
      throw error;
    }
    release();
    this.#runEnded(sessionId, runId);
  }

  #waitForRoom(run: LiveRunRecord): void {
    const { clock, log, owns = everybody } = this.#parts;
    const { runId, sessionId, accountId } = run;
    if (this.#closed) return;
    if (!this.#waiting.has(runId))
      log.warn({ runId, sessionId }, 'what was left of a live session waits until there is room for its updates');
    this.#waiting.set(runId, accountId);
    const cancel = clock.schedule(ROOM_LOOK_MS, () => {
      this.#timers.delete(cancel);
      if (owns(accountId)) {
        void this.#resume(run);
        return;
      }
      this.#waiting.delete(runId);
      this.#runEnded(sessionId, runId);
    });
    this.#timers.add(cancel);
  }

  async #start(run: LiveRunRecord, timeline: SharedTimeline, settled: () => void): Promise<void> {
    const { store, control, allowances, clock } = this.#parts;
    const { runId, runNo, accountId, sessionId } = run;
    const { settings, deleted } = await this.#settings(runId);
    const allowance = await allowances.hold(accountId);
    const left = (): void => {
      settled();
      const session = this.#sessions.get(sessionId);
      if (session !== undefined) this.#forgetIfOver(sessionId, session);
      this.#playing.get(runId)?.parked();
      this.#playing.delete(runId);
    };
    this.#playing.set(runId, { accountId, parked: () => {} });
    const listener: RunListener = {
      firstAttempt: () => {},
      parked: () => {
        left();
        allowances.release(accountId);
        this.#runEnded(sessionId, runId);
      },
      settled: () => {
        left();
        this.#persist(() => store.end(runId, 'completed', this.#now(), updatesOf(timeline)))
          .then(() => this.#runEnded(sessionId, runId))
          .catch(() => {})
          .finally(() => allowances.release(accountId));
      },
    };
    const order = {
      mode: 'live' as const,
      runId,
      runNo,
      sessionId,
      accountId,
      // No pacing: every update is due as soon as it is in the timeline.
      speed: Number.POSITIVE_INFINITY,
      pacedFromMs: clock.nowMs(),
      allFeeds: false,
      allowance,
    };
    control.startRun(order, timeline, settings, true, listener);
    for (const webhookId of deleted) control.endpointDeleted(webhookId);
  }

  async #settings(runId: string) {
    const { store, webhooks } = this.#parts;
    const records = await webhooks.findAll(await store.endpoints(runId));
    return {
      settings: records.map((record) => endpointSettings(record, this.#parts)),
      deleted: records.filter(({ deletedAt }) => deletedAt !== null).map(({ webhookId }) => webhookId),
    };
  }

  #now(): Date {
    return new Date(this.#parts.clock.wallMs());
  }

  #expireLater(runIds: readonly string[]): void {
    const { clock, control } = this.#parts;
    const cancel = clock.schedule(LIVE_DELIVERY_MS, () => {
      this.#timers.delete(cancel);
      for (const runId of runIds) control.stopRun(runId, 'expired');
    });
    this.#timers.add(cancel);
  }

  #openJournal(sessionId: string): LiveMemory | null {
    let memory = this.#journalled.get(sessionId);
    if (memory === undefined) {
      memory = this.#parts.journals.open(sessionId);
      this.#journalled.set(sessionId, memory);
    }
    return memory;
  }

  #expect(sessionId: string, runId: string): void {
    const runs = this.#unended.get(sessionId);
    if (runs === undefined) this.#unended.set(sessionId, new Set([runId]));
    else runs.add(runId);
  }

  /** The end of the run is in the database. */
  #runEnded(sessionId: string, runId: string): void {
    const runs = this.#unended.get(sessionId);
    runs?.delete(runId);
    if (runs?.size === 0) this.#unended.delete(sessionId);
    this.#removeIfUnneeded(sessionId);
  }

  /** J5 */
  #removeIfUnneeded(sessionId: string): void {
    if (this.#unended.has(sessionId) || this.#sessions.get(sessionId)?.ended === false) return;
    this.#journalled.delete(sessionId);
    this.#parts.journals.remove(sessionId);
  }

  #forgetIfOver(sessionId: string, session: FollowedSession): void {
    if (session.ended && session.runs.size === 0 && this.#sessions.get(sessionId) === session) {
      this.#sessions.delete(sessionId);
    }
  }

  #persist<Result>(work: () => Promise<Result>): Promise<Result> {
    const { clock, log } = this.#parts;
    return untilDone(work, {
      pause: (delayMs) => clock.sleep(delayMs),
      isClosing: () => this.#closed,
      failed: (error) =>
        log.warn({ err: error }, 'could not read or commit the state of a live run yet; it is retried'),
    });
  }
}

/** How many updates a session that is over has published; null if what is left of it was made from its recording. */
function updatesOf(timeline: SharedTimeline): number | null {
  return 'bytes' in timeline ? null : new LiveTimeline(timeline).timeline.length;
}
