// The real service in its own process, which can be killed in several ways: the process, a delivery thread, its
// PostgreSQL server, or one of PostgreSQL's backends. The bench reads the database through a client that never starts
// or stops a server.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { systemClock } from '#engine/base/clock.ts';
import type { Random } from '#engine/base/random.ts';
import { builtInConnection } from '#engine/storage/embedded/embedded-server.ts';
import { type Postmaster, runningPostmaster, stopPostmaster } from '#engine/storage/embedded/postmaster.ts';
import { serverFolder } from '#engine/storage/embedded/server-folder.ts';
import { connect, type Sql } from '#engine/storage/postgres-client.ts';
import { removeDataFolder } from '#workers/demo/data-folder.ts';
import { createLog } from '#workers/log.ts';
import { makeServiceFolder } from '../engines/prepared-folder.ts';

const MAIN = fileURLToPath(new URL('../../workers/main.ts', import.meta.url));
const ADMIN = fileURLToPath(new URL('../../workers/admin.ts', import.meta.url));
const SHARD_KILLER = new URL('./crash-shards.ts', import.meta.url).href;
const { PATH, TMPDIR, NODE_OPTIONS } = process.env;
/** The only settings of this process that reach another one. */
const OWN_ENVIRONMENT = { PATH, TMPDIR, NODE_OPTIONS };
const READY = /ready on (http:\/\/\S+) .*?(?:, gRPC on port (\d+))?, operators on port (\d+)\)\n/;
const READY_MS_MAX = 60_000;
/** A service that has not drained by then is killed. */
const END_MS_MAX = 40_000;
const POLL_MS = 20;
const LOG_CHARS_KEPT = 8_192;

/** Programs with their first arguments. */
export interface Programs {
  readonly service: readonly [string, ...string[]];
  readonly admin: readonly [string, ...string[]];
}

const OWN_PROGRAMS: Programs = {
  service: [process.execPath, '--import', SHARD_KILLER, MAIN],
  admin: [process.execPath, ADMIN],
};

interface RunningProcess {
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  readonly address: string;
  readonly operators: string;
  /** Empty without gRPC. */
  readonly grpc: string;
}

export class CrashService {
  readonly dataDir = makeServiceFolder();
  readonly #shards: number;
  readonly #programs: Programs;
  readonly #settings: Readonly<Record<string, string>>;
  #now: RunningProcess | null = null;
  #log = '';
  #sql: Sql | null = null;

  /** `programs`: of an installed version. `killShard` works with our own only. `settings`: of the service, beside ours. */
  constructor(shards: number, programs = OWN_PROGRAMS, settings: Readonly<Record<string, string>> = {}) {
    this.#shards = shards;
    this.#programs = programs;
    this.#settings = settings;
  }

  /** `http://127.0.0.1:PORT` of the current process, or of the last one if none runs. */
  get address(): string {
    return this.#now?.address ?? '';
  }

  get operators(): string {
    return this.#now?.operators ?? '';
  }

  /** Where it serves gRPC, if its settings say so. */
  get grpc(): string {
    return this.#now?.grpc ?? '';
  }

  /** The tail of the service's log. */
  get log(): string {
    return this.#log;
  }

  /** A client of its database, which also works while the service is down. */
  get sql(): Sql {
    return this.#sql!;
  }

  async start(): Promise<void> {
    const [program, ...args] = this.#programs.service;
    const child = spawn(program, args, {
      env: {
        ...OWN_ENVIRONMENT,
        DATA_DIR: this.dataDir,
        PORT: '0',
        ADMIN_PORT: '0',
        LIVE_TO_LOCALHOST: 'on',
        SHARDS: String(this.#shards),
        LOG_LEVEL: 'warn',
        ...this.#settings,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
    child.stderr.on('data', (chunk) => this.#keep(String(chunk)));
    const [address, grpcPort, port] = await this.#ready(child, exited);
    const grpc = grpcPort === undefined ? '' : `http://127.0.0.1:${grpcPort}`;
    this.#now = { child, exited, address, operators: `http://127.0.0.1:${port}`, grpc };
    const { socket } = await this.#postmaster();
    this.#sql ??= connect(builtInConnection(socket), { max: 2, name: 'crash-bench', clock: systemClock });
  }

  /** Signals the process and waits for its exit. Returns the exit code. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    const { child, exited } = this.#now!;
    const timer = setTimeout(() => child.kill('SIGKILL'), END_MS_MAX);
    child.kill(signal);
    const code = await exited;
    clearTimeout(timer);
    return code;
  }

  /** Runs an operator's command on the service's data folder. Returns its output. */
  async admin(args: readonly string[]): Promise<string> {
    const env = { ...OWN_ENVIRONMENT, DATA_DIR: this.dataDir };
    const [program, ...first] = this.#programs.admin;
    return (await promisify(execFile)(program, [...first, ...args], { env })).stdout;
  }

  killShard(): void {
    this.#now!.child.kill('SIGUSR2');
  }

  /** Kills the postmaster. PostgreSQL's other processes notice and exit. */
  async killPostgres(): Promise<void> {
    process.kill((await this.#postmaster()).pid, 'SIGKILL');
  }

  /** Kills one backend of the service. PostgreSQL then closes all connections and recovers. */
  async killBackend(random: Random): Promise<void> {
    const backends = await this.#backends();
    process.kill(backends[Math.floor(random.next() * backends.length)]!.pid, 'SIGKILL');
  }

  /** At least one: after a kill the service may still be connecting. */
  async #backends(): Promise<readonly { readonly pid: number }[]> {
    for (let waitedMs = 0; waitedMs < READY_MS_MAX; waitedMs += POLL_MS) {
      const backends = await this.sql<{ pid: number }[]>`
        select pid from pg_stat_activity
        where backend_type = 'client backend' and application_name not like '%crash-bench' order by pid`;
      if (backends.length > 0) return backends;
      await pause(POLL_MS);
    }
    throw new Error(`the service has no connection to the database after ${READY_MS_MAX} ms`);
  }

  /** Stops every process and removes the data folder. Can be called at any time. */
  async close(): Promise<void> {
    await this.#sql?.end({ timeout: 1 });
    const running = this.#now?.child;
    if (running !== undefined && running.exitCode === null && running.signalCode === null) await this.end('SIGTERM');
    const left = await this.#running();
    if (left !== null) await stopPostmaster(left.pid, systemClock);
    removeDataFolder(this.dataDir);
  }

  async #running(): Promise<Postmaster | null> {
    const { cluster } = await serverFolder(this.dataDir, createLog('silent'));
    return runningPostmaster(cluster);
  }

  /** Waits until the server accepts connections. */
  async #postmaster(): Promise<Postmaster> {
    for (let waitedMs = 0; waitedMs < READY_MS_MAX; waitedMs += POLL_MS) {
      const found = await this.#running();
      if (found?.ready) return found;
      await pause(POLL_MS);
    }
    throw new Error(`PostgreSQL is no longer running:\n${this.#log}`);
  }

  #ready(child: ChildProcess, exited: Promise<number | null>): Promise<readonly [string, string | undefined, string]> {
    return new Promise((resolve, reject) => {
      const fail = (what: string): void => reject(new Error(`the service ${what}:\n${this.#log}`));
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
        fail('was not ready within a minute');
      }, READY_MS_MAX);
      let out = '';
      child.stdout!.on('data', (chunk) => {
        out += chunk;
        const ready = READY.exec(out);
        if (ready === null) return;
        clearTimeout(timer);
        resolve([ready[1]!, ready[2], ready[3]!]);
      });
      exited.then((code) => {
        clearTimeout(timer);
        fail(`exited (${code}) before it was ready`);
      });
    });
  }

  #keep(text: string): void {
    this.#log = (this.#log + text).slice(-LOG_CHARS_KEPT);
  }
}
