// The built-in database at run time: one PostgreSQL server per DATA_DIR, shared by the service and by commands that run
// at the same time.
//
// E1 Only the process that holds the claim DATA_DIR/postgres.pid starts or stops the server.
// E2 The next service stops a server that outlived its process (kill -9). The next command uses it.
// E3 A command that ends while others use the server leaves it running; the last one stops it. The service always stops
//    it.
// E4 A server that ends by itself is restarted, at the same socket, for as long as this process lives.
// E5 Every wait is bounded.

import { copyFile, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { Backoff } from '#engine/base/backoff.ts';
import type { TimerClock } from '#engine/base/clock.ts';
import {
  DATABASE_QUICK_END_S,
  SERVER_CLAIM_WAIT_MS,
  SERVER_LOG_BYTES_MAX,
  SERVER_RESTART_MS,
  SERVER_RESTART_MS_MAX,
} from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import type { RandomBytes } from '#engine/base/random.ts';
import type { ConnectionSettings } from '#engine/storage/connection-settings.ts';
import { connect } from '#engine/storage/postgres-client.ts';
import { errorText, StorageError } from '#engine/storage/storage-error.ts';
import { claimPidFile, type PidFile } from './pid-file.ts';
import { type Postmaster, readPostmaster, runningPostmaster, stopPostmaster } from './postmaster.ts';
import { isAlive } from './process-identity.ts';
import { serverBinaries } from './server-binaries.ts';
import { type ServerFolder, serverFolder } from './server-folder.ts';
import { ensureCluster, launch, SERVER_USER_NAME } from './server-launch.ts';
import { type Durability, SERVER_PORT } from './server-settings.ts';
import { removeTemporarySocketFolder, socketFolder } from './socket-folder.ts';

export interface EmbeddedServerOptions {
  readonly dataDir: string;
  readonly role: 'service' | 'command';
  readonly log: Log;
  readonly durability: Durability;
  readonly clock: TimerClock;
  readonly randomBytes: RandomBytes;
  /** Called when the server has ended by itself and is being restarted. */
  readonly onExit?: () => void;
}

/** The claim is null while another process holds it; this one then only uses the server. */
interface Use {
  readonly server: Postmaster;
  readonly claim: PidFile | null;
}

type State =
  | { readonly kind: 'running'; readonly use: Use }
  | { readonly kind: 'restarting' }
  | { readonly kind: 'closed' };

const CLAIM_PAUSE_MS = 50;
const WATCH_MS = 500;
const RESTARTS = new Backoff(SERVER_RESTART_MS, SERVER_RESTART_MS_MAX);

export class EmbeddedServer {
  readonly #options: EmbeddedServerOptions;
  readonly #folder: ServerFolder;
  readonly #socket: string;
  #state: State;
  readonly #stopWatch: () => void;
  #watching: Promise<void> = Promise.resolve();
  readonly #killAtExit = (): void => {
    if (this.#state.kind === 'running' && this.#state.use.claim !== null)
      process.kill(this.#state.use.server.pid, 'SIGINT');
  };

  /** Starts the server of this DATA_DIR, or joins the running one. Throws a StorageError with the next step. */
  static async open(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
    const folder = await serverFolder(options.dataDir, options.log);
    const use = await startOrJoin(folder, options, options.role === 'service', null);
    return new EmbeddedServer(options, folder, use);
  }

  private constructor(options: EmbeddedServerOptions, folder: ServerFolder, use: Use) {
    this.#options = options;
    this.#folder = folder;
    this.#socket = use.server.socket;
    this.#state = { kind: 'running', use };
    // A process that ends without `close`, after an uncaught error, leaves no server behind.
    process.on('exit', this.#killAtExit);
    this.#stopWatch = options.clock.every(WATCH_MS, () => {
      this.#watching = this.#look().catch((error) => {
        options.log.warn({ error: errorText(error) }, 'cannot check whether PostgreSQL is running; checking again');
      });
      return this.#watching;
    });
  }

  get connection(): ConnectionSettings {
    return builtInConnection(this.#socket);
  }

  /** Stops the server, or leaves it to its other users (E3). End this process's clients first. */
  async close(): Promise<void> {
    if (this.#state.kind === 'closed') return;
    this.#stopWatch();
    const last = this.#state;
    this.#state = { kind: 'closed' };
    await this.#watching;
    process.off('exit', this.#killAtExit);
    if (last.kind === 'running') await this.#leave(last.use);
  }

  async #leave(use: Use): Promise<void> {
    let claim = use.claim ?? (await claimOf(this.#folder, this.#options));
    while (claim !== null) {
      if (this.#options.role === 'service' || !(await hasOtherUsers(this.#socket, this.#options.clock))) {
        await stopPostmaster(use.server.pid, this.#options.clock);
        await removeTemporarySocketFolder(this.#socket);
        await claim.release();
        return;
      }
      await claim.release();
      // A user that left between the check and the release found the claim held and did not stop the server. So check
      // again.
      if (await hasOtherUsers(this.#socket, this.#options.clock)) return;
      claim = await claimOf(this.#folder, this.#options);
    }
  }

  async #look(): Promise<void> {
    if (this.#state.kind !== 'running') return;
    const { use } = this.#state;
    if (!isAlive(use.server.pid)) return this.#restart(use.claim);
    await boundLog(this.#folder.logFile).catch(() => {});
    if (use.claim === null && this.#options.role === 'service') {
      // If the command that started the server has ended, this process takes over: it keeps the server running and
      // stops it.
      const claim = await claimOf(this.#folder, this.#options);
      if (claim === null) return;
      if (this.#state.kind === 'running') this.#state = { kind: 'running', use: { server: use.server, claim } };
      else await claim.release();
    }
  }

  async #restart(held: PidFile | null): Promise<void> {
    const { log, onExit } = this.#options;
    this.#state = { kind: 'restarting' };
    log.error({ log: this.#folder.logFile }, 'PostgreSQL ended unexpectedly; restarting it');
    onExit?.();
    for (let failures = 0; this.#state.kind === 'restarting'; failures++) {
      try {
        await held?.release();
        const use = await startOrJoin(this.#folder, this.#options, false, this.#socket);
        if (this.#state.kind !== 'restarting') return await this.#leave(use);
        this.#state = { kind: 'running', use };
        log.info({}, 'PostgreSQL is running again');
        return;
      } catch (error) {
        log.error({ error: errorText(error) }, 'cannot restart PostgreSQL; trying again');
        await this.#options.clock.sleep(RESTARTS.pauseMs(failures));
      }
    }
  }
}

/** Returns the settings to connect to the server that listens in this folder. */
export function builtInConnection(socket: string): ConnectionSettings {
  return {
    setting: 'DATA_DIR',
    host: socket,
    port: SERVER_PORT,
    user: SERVER_USER_NAME,
    password: null,
    database: 'postgres',
    tls: 'off',
  };
}

function claimPath(folder: ServerFolder): string {
  return join(folder.dataDir, 'postgres.pid');
}

async function claimOf(folder: ServerFolder, { clock, randomBytes }: EmbeddedServerOptions): Promise<PidFile | null> {
  const claim = await claimPidFile(claimPath(folder), clock, randomBytes);
  return claim.kind === 'held' ? claim.file : null;
}

async function startOrJoin(
  folder: ServerFolder,
  options: EmbeddedServerOptions,
  takeOver: boolean,
  knownSocket: string | null,
): Promise<Use> {
  for (let waitedMs = 0; waitedMs < SERVER_CLAIM_WAIT_MS; waitedMs += CLAIM_PAUSE_MS) {
    const claim = await claimOf(folder, options);
    const running = await runningPostmaster(folder.cluster);
    if (claim === null) {
      if (running?.ready) return { server: running, claim };
      await options.clock.sleep(CLAIM_PAUSE_MS);
      continue;
    }
    try {
      return { server: await startHolding(folder, options, running, takeOver, knownSocket), claim };
    } catch (error) {
      await claim.release();
      throw error;
    }
  }
  throw new StorageError(
    `DATA_DIR: another process has been starting or stopping the database of ${folder.dataDir} for too long; ` +
      `${claimPath(folder)} names it.`,
  );
}

async function startHolding(
  folder: ServerFolder,
  { log, durability, clock }: EmbeddedServerOptions,
  running: Postmaster | null,
  takeOver: boolean,
  knownSocket: string | null,
): Promise<Postmaster> {
  const earlier = knownSocket ?? (await readPostmaster(folder.cluster))?.socket ?? null;
  if (running !== null) {
    // A server that is still starting or already stopping has no owner either, and is not worth waiting for.
    if (!takeOver && running.ready) return running;
    log.warn({ pid: running.pid }, 'stopping a PostgreSQL server that an earlier process left behind');
    await stopPostmaster(running.pid, clock);
  }
  const binaries = await serverBinaries(folder.user, folder.dataDir, log);
  // On a restart a missing cluster, perhaps on a disk that was removed, is not made anew: a new one would be empty.
  if (knownSocket === null) await ensureCluster(folder, binaries, durability);
  const socket = await socketFolder(folder, earlier, log);
  await boundLog(folder.logFile).catch(() => {});
  return launch(folder, binaries, socket, durability, clock);
}

/** Whether another process is connected: the service or a command. */
async function hasOtherUsers(socket: string, clock: TimerClock): Promise<boolean> {
  const sql = connect(builtInConnection(socket), { max: 1, name: 'closing', clock });
  try {
    const [row] = await sql<{ others: number }[]>`
      select count(*)::int as others from pg_stat_activity
      where backend_type = 'client backend' and application_name not like '% closing'`;
    return row!.others > 0;
  } catch {
    return false;
  } finally {
    await sql.end({ timeout: DATABASE_QUICK_END_S });
  }
}

/**
 * Copies and empties the server's log when it is too large. The server appends, so the file can be emptied while it
 * runs.
 */
async function boundLog(path: string): Promise<void> {
  if ((await stat(path)).size <= SERVER_LOG_BYTES_MAX) return;
  await copyFile(path, `${path}.1`);
  await truncate(path, 0);
}
