// The main thread's side of the live thread: starts it, starts it again when it dies, and passes on what it tells.
//
// The memory of the sessions outlives the thread: a new one derives the same updates into the same places, so that delivery
// threads notice nothing but a pause.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { App } from '#api/app.ts';
import type { RequestCounts } from '#api/http/request-meter.ts';
import { DRAIN_DEADLINE_MS, SHARD_RESTART_MS, SHARD_RESTART_MS_MAX, SHARD_SOUND_MS } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import type { Meters } from '#engine/delivery/meter/meters.ts';
import type { ConnectionSettings } from '#engine/storage/connection-settings.ts';
import type { LiveMemory } from '#engine/timeline/live-memory.ts';
import type { FromLive } from './live-messages.ts';

export interface AdminSettings {
  readonly host: string;
  readonly port: number;
  readonly token: string | null;
}

export interface LiveSettings {
  readonly dataDir: string;
  /** The series that are offered. */
  readonly seriesIds: readonly string[];
  readonly liveTimingUrl: string | null;
  readonly liveTimingToken: string | null;
  /** Null: no listener for operators. */
  readonly admin: AdminSettings | null;
  readonly metrics: boolean;
  readonly logLevel: string;
}

export interface LiveThreadData {
  readonly settings: LiveSettings;
  readonly connection: ConnectionSettings;
  readonly meters: Meters;
  readonly requests: RequestCounts;
  /** Of sessions that a thread before this one followed. */
  readonly knownMemories: readonly LiveMemory[];
}

export interface LiveThread {
  /** Port of the listener for operators. */
  readonly adminPort: number | null;
  /** Whether live sessions are followed at this moment; not while the thread is started again. */
  readonly follows: boolean;
  /** Leaves everything durable and to be gone on with. */
  close(): Promise<void>;
}

/** Whether there is anything for a live thread to do: a source, a listener, or sessions that the last process left. */
export function needsLiveThread({ liveTimingUrl, admin, dataDir }: LiveSettings): boolean {
  const folder = join(dataDir, 'live');
  return liveTimingUrl !== null || admin !== null || (existsSync(folder) && readdirSync(folder).length > 0);
}

/** Resolves when every session that was left unfinished is open again; rejects when it cannot start. */
export async function startLiveThread(
  data: Omit<LiveThreadData, 'knownMemories'>,
  { live, liveOutcomes }: Pick<App, 'live' | 'liveOutcomes'>,
  log: Log,
): Promise<LiveThread> {
  const memories = new Map<string, LiveMemory>();
  let worker: Worker;
  let adminPort: number | null = null;
  let ending = false;
  let alive = false;
  let follows = false;
  let failures = 0;
  let closed = (): void => {};
  let timer: NodeJS.Timeout | undefined;
  /** What it tells is done one after the other, since opening takes a while. */
  let heard: Promise<void> = Promise.resolve();

  const hear = async (message: Exclude<FromLive, { kind: 'session.outcome' }>): Promise<void> => {
    switch (message.kind) {
      case 'session.opened':
        memories.set(message.memory.head.sessionId, message.memory);
        return live.opened(message.memory, message.phase);
      case 'session.moved':
        return live.moved(message.sessionId, message.phase);
      case 'session.ended':
        memories.delete(message.sessionId);
        liveOutcomes.forget(message.sessionId);
        return live.ended(message.sessionId);
      case 'ready':
        adminPort = message.adminPort;
        follows = alive;
        timer = setTimeout(() => {
          failures = 0;
        }, SHARD_SOUND_MS).unref();
        return;
      case 'closed':
        closed();
    }
  };

  const start = (settings: LiveSettings): Promise<void> =>
    new Promise((resolve, reject) => {
      const workerData: LiveThreadData = { ...data, settings, knownMemories: [...memories.values()] };
      let cause = new Error('the live thread ended');
      worker = new Worker(new URL('./live.ts', import.meta.url), { workerData, name: 'live' });
      alive = true;
      worker.on('message', (message: FromLive) => {
        // It waits for nothing that takes a while: there may be one a second.
        if (message.kind === 'session.outcome') {
          liveOutcomes.tell(message.sessionId, message.outcome);
          return;
        }
        heard = heard
          .then(() => hear(message))
          .catch((error: Error) => log.error({ err: error }, 'a live session could not be passed on'))
          .then(() => {
            if (message.kind === 'ready') resolve();
          });
      });
      worker.on('error', (error) => {
        cause = error instanceof Error ? error : new Error(String(error));
      });
      worker.on('exit', () => {
        alive = false;
        follows = false;
        clearTimeout(timer);
        closed();
        reject(cause);
      });
    });

  const restart = (): void => {
    if (ending) return;
    const delayMs = Math.min(SHARD_RESTART_MS * 2 ** failures, SHARD_RESTART_MS_MAX);
    failures++;
    log.error({ delayMs }, 'the live thread ended and is started again');
    setTimeout(() => {
      if (ending) return;
      // Whoever feeds it must find it at the same port.
      const { admin } = data.settings;
      const settings = { ...data.settings, admin: admin === null ? null : { ...admin, port: adminPort ?? admin.port } };
      start(settings).catch((error: Error) => log.error({ err: error }, 'the live thread did not start'));
      worker.on('exit', restart);
    }, delayMs);
  };

  await start(data.settings);
  worker!.on('exit', restart);
  return {
    get adminPort() {
      return adminPort;
    },
    get follows() {
      return follows;
    },
    async close() {
      ending = true;
      // Between its end and its next start there is nothing to close.
      if (!alive) return;
      await new Promise<void>((resolve) => {
        closed = resolve;
        setTimeout(resolve, DRAIN_DEADLINE_MS).unref();
        worker.postMessage({ kind: 'close' });
      });
      await worker.terminate();
    },
  };
}
