// Real PostgreSQL servers that replicate: the first is the primary, the others are its standbys, which it waits for. They
// listen on ports of this machine. Each can be killed, stopped as a hanging machine is, and promoted.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '#engine/base/clock.ts';
import { DATABASE_CONNECTIONS_MAX } from '#engine/base/limits.ts';
import { type ConnectionSettings, parseDatabaseUrl } from '#engine/storage/connection-settings.ts';
import { serverBinaries } from '#engine/storage/embedded/server-binaries.ts';
import { runsAsRoot, systemServerUser } from '#engine/storage/embedded/server-user.ts';
import { connect, type Sql } from '#engine/storage/postgres-client.ts';
import { openTestDatabase, silentLog, temporaryDataDir } from './database.ts';
import { freePorts } from './free-ports.ts';
import { eventually } from './patience.ts';

const OWNER = 'slipstream';

interface Server {
  readonly port: number;
  readonly folder: string;
  readonly settings: Readonly<Record<string, string | number>>;
  child: ChildProcess;
}

export class ReplicatedServers {
  readonly #servers: Server[] = [];
  readonly #clients: Sql[] = [];
  #program = '';

  /** Starts a primary and one standby, with an empty database `svc` of the user `svc`. */
  static async start(): Promise<ReplicatedServers> {
    const servers = new ReplicatedServers();
    const dataDir = temporaryDataDir('database');
    const first = await openTestDatabase(dataDir);
    const sql = first.connect(1);
    await sql`create role svc login`;
    await sql`create database svc owner svc`;
    await first.close();
    servers.#program = (await serverBinaries(runsAsRoot() ? systemServerUser() : null, dataDir, silentLog)).postgres;
    const folders = [1, 2].map((number) => join(dataDir, `server-${number}`));
    for (const folder of folders) execFileSync('cp', ['-a', join(dataDir, 'postgres', 'data'), folder]);
    const ports = await freePorts(folders.length);
    for (const [index, folder] of folders.entries()) {
      const isPrimary = index === 0;
      put(join(folder, 'hba.conf'), 'host all all 127.0.0.0/8 trust\nhost replication all 127.0.0.0/8 trust\n');
      if (!isPrimary) put(join(folder, 'standby.signal'), '');
      const settings = {
        port: ports[index]!,
        listen_addresses: '127.0.0.1',
        unix_socket_directories: '',
        hba_file: join(folder, 'hba.conf'),
        fsync: 'off',
        shared_buffers: '32MB',
        // A standby takes no fewer than its primary did.
        max_connections: DATABASE_CONNECTIONS_MAX,
        wal_keep_size: '64MB',
        ...(isPrimary
          ? { synchronous_standby_names: '*' }
          : {
              primary_conninfo: `host=127.0.0.1 port=${ports[0]} user=${OWNER}`,
              wal_retrieve_retry_interval: '100ms',
            }),
      };
      servers.#servers.push({ port: ports[index]!, folder, settings, child: servers.#launch(folder, settings) });
      await servers.#answers(index);
    }
    await eventually('the standby', async () => {
      const [row] = await servers.owner(0)`select from pg_stat_replication where sync_state = 'sync'`;
      return row !== undefined;
    });
    return servers;
  }

  /** A DATABASE_URL that names all servers, the `first` of them first. */
  url(first = 0): string {
    const hosts = this.#servers.map(({ port }) => `127.0.0.1:${port}`);
    return `postgres://svc@${[...hosts.slice(first), ...hosts.slice(0, first)].join(',')}/svc?sslmode=disable`;
  }

  /** Settings for `url`. */
  settings(first = 0): ConnectionSettings {
    return parseDatabaseUrl(this.url(first));
  }

  /** A client of one server, for its owner. */
  owner(index: number, database = 'postgres'): Sql {
    const { port } = this.#servers[index]!;
    const settings = parseDatabaseUrl(`postgres://${OWNER}@127.0.0.1:${port}/${database}?sslmode=disable`);
    const sql = connect(settings, { max: 1, name: 'looking on', clock: systemClock });
    this.#clients.push(sql);
    return sql;
  }

  async kill(index: number): Promise<void> {
    const { child } = this.#servers[index]!;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** Starts a killed server again, as a standby of another one if `standby` says so. */
  async restart(index: number): Promise<void> {
    const server = this.#servers[index]!;
    await eventually('the end of the killed server', () => {
      try {
        server.child = this.#launch(server.folder, server.settings);
        return true;
      } catch {
        return false;
      }
    });
    await this.#answers(index);
  }

  /** Stops all its processes, as on a machine that hangs; its kernel still takes connections. */
  freeze(index: number): void {
    for (const pid of this.#processes(index)) signal(pid, 'SIGSTOP');
  }

  thaw(index: number): void {
    for (const pid of this.#processes(index)) signal(pid, 'SIGCONT');
  }

  /** Makes the standby a primary, which waits for no standby. */
  async promote(index: number): Promise<void> {
    await this.owner(index)`select pg_promote(true, 20)`;
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((sql) => sql.end({ timeout: 0 })));
    for (const index of this.#servers.keys()) this.thaw(index);
    const running = this.#servers.filter(({ child }) => child.exitCode === null && child.signalCode === null);
    await Promise.all(
      running.map(({ child }) => {
        child.kill('SIGQUIT');
        return once(child, 'exit');
      }),
    );
  }

  #launch(folder: string, settings: Server['settings']): ChildProcess {
    const user = runsAsRoot() ? systemServerUser() : null;
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(this.#program, ['-D', folder, ...args], {
      ...(user && { uid: user.uid, gid: user.gid }),
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
      stdio: 'ignore',
    });
    // A test that fails or is interrupted leaves no server behind.
    const end = (): void => void child.kill('SIGKILL');
    process.once('exit', end);
    child.once('exit', () => process.off('exit', end));
    return child;
  }

  async #answers(index: number): Promise<void> {
    const sql = this.owner(index);
    await eventually(`server ${index}`, async () => {
      return sql`select 1`.then(
        () => true,
        () => false,
      );
    });
  }

  #processes(index: number): number[] {
    const { pid, exitCode, signalCode } = this.#servers[index]!.child;
    if (exitCode !== null || signalCode !== null) return [];
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return [pid!, ...(children === '' ? [] : children.split(' ').map(Number))];
  }
}

function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has just ended.
  }
}

function put(path: string, text: string): void {
  writeFileSync(path, text);
  if (!runsAsRoot()) return;
  const { uid, gid } = systemServerUser();
  chownSync(path, uid, gid);
}
