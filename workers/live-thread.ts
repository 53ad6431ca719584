// The main thread's side of the live thread: starts it with its settings and passes its messages on.
//
// The shared memory of the sessions outlives the thread. A restarted thread derives the same updates into the same
// places, so delivery threads notice only a pause.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import type { App } from '#api/app.ts';
import { systemClock } from '#engine/base/clock.ts';
import { STOP_LIVE_MS } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import { Supervisor } from '#engine/base/supervisor.ts';
import type { Meters } from '#engine/delivery/meter/meters.ts';
import type { KnownBefore } from '#engine/racing/session/known-before.ts';
import type { ConnectionSettings } from '#engine/storage/connection-settings.ts';
import type { LiveMemory } from '#engine/timeline/live-memory.ts';
import type { Config } from './config.ts';
import type { FromLive, ToLive } from './live-messages.ts';
import { startWorker } from './worker-thread.ts';

export interface LiveSettings {
  readonly dataDir: string;
  readonly seriesIds: readonly string[];
  readonly liveTimingUrl: string | null;
  readonly liveTimingToken: string | null;
  /** This node's number; null without a cluster. */
  readonly nodeNo: number | null;
  readonly logLevel: string;
}

export interface LiveThreadData {
  readonly settings: LiveSettings;
  readonly connection: ConnectionSettings;
  readonly meters: Meters;
  /** Memory of the sessions that an earlier thread followed. */
  readonly knownMemories: readonly LiveMemory[];
  /** As in the message `keeper`. */
  readonly isKeeper: boolean;
}

/**
 * Whether there is work for a live thread: live timing, an operator's own source, a cluster, or sessions that the last
 * process left unfinished.
 */
export function needsLiveThread({
  liveTimingUrl,
  admin,
  cluster,
  dataDir,
}: Pick<Config, 'liveTimingUrl' | 'admin' | 'cluster' | 'dataDir'>): boolean {
  return liveTimingUrl !== null || admin !== null || cluster !== null || hasUnfinishedSession(dataDir);
}

/** Whether a service alone has left a live session in this DATA_DIR that is not over. */
export function hasUnfinishedSession(dataDir: string): boolean {
  const folder = join(dataDir, 'live');
  // A journal alone is of a session that is over.
  const isLeft = (name: string): boolean => name.endsWith('.frames') || name.endsWith('.over');
  return existsSync(folder) && readdirSync(folder).some(isLeft);
}

export interface LiveThreadParts
  extends Omit<LiveThreadData, 'knownMemories' | 'isKeeper'>,
    Pick<App, 'live' | 'liveOutcomes'> {
  readonly log: Log;
  /** What the history knew before a session. Null: nothing, or it is no race. */
  readonly knownBefore: (sessionId: string) => Promise<KnownBefore | null>;
  /** Called after a new thread has replaced one that died. */
  readonly restarted: () => void;
  /** Called when this node of a cluster has left a session, because its updates differ. */
  readonly left: () => void;
}

type SessionMessage = Exclude<FromLive, { readonly kind: 'ready' | 'closed' | 'session.outcome' }>;

export class LiveThread {
  readonly #parts: LiveThreadParts;
  readonly #supervisor: Supervisor<ToLive, FromLive>;
  readonly #memories = new Map<string, LiveMemory>();
  readonly #started = Promise.withResolvers<void>();
  /** Messages are passed on one at a time and in order, because opening a session takes a while. */
  #passedOn: Promise<void> = Promise.resolve();
  #hasStarted = false;
  #isKeeper = false;

  private constructor(parts: LiveThreadParts) {
    this.#parts = parts;
    this.#supervisor = new Supervisor<ToLive, FromLive>({
      start: (events) => startWorker('./live.ts', 'live', this.#data(), events),
      heard: (message) => this.#heard(message),
      died: (error, delayMs) => this.#died(error, delayMs),
      restarted: parts.restarted,
      schedule: systemClock.schedule,
      endMs: STOP_LIVE_MS,
    });
  }

  /** Resolves once all unfinished sessions are open again. Rejects when the thread cannot start. */
  static async start(parts: LiveThreadParts): Promise<LiveThread> {
    const thread = new LiveThread(parts);
    await thread.#started.promise;
    return thread;
  }

  get isUp(): boolean {
    return this.#supervisor.isUp;
  }

  get isRestarting(): boolean {
    return this.#supervisor.isRestarting;
  }

  /** As in the message. */
  keep(isKeeper: boolean): void {
    if (this.#isKeeper === isKeeper) return;
    this.#isKeeper = isKeeper;
    if (this.isUp) this.#supervisor.post({ kind: 'keeper', isKeeper });
  }

  /** Hands the thread a port on which it serves the operators' thread. */
  serve(port: MessagePort): void {
    this.#supervisor.post({ kind: 'operators', port });
  }

  /** Ends the thread with everything durable, so the next start can resume the sessions. */
  async close(): Promise<void> {
    await this.#supervisor.end({ kind: 'close' });
  }

  #data(): LiveThreadData {
    const { settings, connection, meters } = this.#parts;
    return { settings, connection, meters, knownMemories: [...this.#memories.values()], isKeeper: this.#isKeeper };
  }

  #died(error: Error, delayMs: number): void {
    if (this.#hasStarted) {
      this.#parts.log.error({ err: error, delayMs }, 'the live thread died; restarting it');
      return;
    }
    void this.#supervisor.end({ kind: 'close' });
    this.#started.reject(error);
  }

  #heard(message: FromLive): void {
    const { liveOutcomes, log } = this.#parts;
    switch (message.kind) {
      case 'ready':
        this.#supervisor.ready();
        this.#hasStarted = true;
        void this.#passedOn.then(() => this.#started.resolve());
        return;
      case 'session.outcome':
        // This must not wait: there may be one per second.
        liveOutcomes.set(message.sessionId, message.outcome);
        return;
      case 'closed':
        void this.#passedOn.then(() => this.#supervisor.finished());
        return;
    }
    if (message.kind === 'session.opened') this.#memories.set(message.memory.head.sessionId, message.memory);
    if (message.kind === 'session.ended' || message.kind === 'session.left') this.#memories.delete(message.sessionId);
    this.#passedOn = this.#passedOn
      .then(() => this.#passOn(message))
      .catch((error: Error) => log.error({ err: error }, 'could not pass on a message about a live session'));
  }

  /** Does not wait: without it the session goes on. */
  #tellKnown(sessionId: string): void {
    const { knownBefore, log } = this.#parts;
    knownBefore(sessionId)
      .then((known) => {
        if (known !== null && this.isUp) this.#supervisor.post({ kind: 'session.known', sessionId, known });
      })
      .catch((error: Error) => log.warn({ sessionId, err: error }, 'live odds do not know who drives'));
  }

  async #passOn(message: SessionMessage): Promise<void> {
    const { live, liveOutcomes, left } = this.#parts;
    switch (message.kind) {
      case 'session.opened':
        this.#tellKnown(message.memory.head.sessionId);
        return live.opened(message.memory, message.phase, message.beganAtMs);
      case 'session.moved':
        return live.moved(message.sessionId, message.phase);
      case 'session.left':
        left();
        liveOutcomes.forget(message.sessionId);
        return live.left(message.sessionId);
      case 'session.ended':
        liveOutcomes.forget(message.sessionId);
        return live.ended(message.sessionId);
    }
  }
}
