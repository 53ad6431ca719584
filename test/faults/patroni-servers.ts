// Three PostgreSQL under Debian's Patroni, with three etcd, on this machine. The configuration is patroni.yml, as
// docs/operating.md shows it; only addresses, folders and passwords are other ones.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, chownSync, constants, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '#bench/suite/usage-error.ts';
import { systemClock } from '#engine/base/clock.ts';
import { type ConnectionSettings, parseDatabaseUrl } from '#engine/storage/connection-settings.ts';
import { runsAsRoot, systemServerUser } from '#engine/storage/embedded/server-user.ts';
import { connect, inTime } from '#engine/storage/postgres-client.ts';
import { temporaryDataDir } from '#test/support/database.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { eventually } from '#test/support/patience.ts';

const BINARIES = '/usr/lib/postgresql/15/bin';
const ETCD = '/usr/bin/etcd';
const PATRONI = '/usr/bin/patroni';
const MEMBERS = 3;
const START_MS = 90_000;
const POLL_MS = 50;
const ASK_MS = 500;

interface Member {
  readonly name: string;
  readonly port: number;
  readonly apiPort: number;
  readonly folder: string;
  patroni: ChildProcess;
}

export class PatroniServers {
  readonly #folder: string;
  readonly #etcd: ChildProcess[] = [];
  readonly #members: Member[] = [];

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Throws with what to install when a program is missing, or when PostgreSQL cannot run as this user. */
  static check(): void {
    for (const program of [ETCD, PATRONI, join(BINARIES, 'postgres')]) {
      try {
        accessSync(program, constants.X_OK);
      } catch {
        throw new UsageError(`${program} is missing. On Debian 12: apt-get install patroni etcd-server postgresql-15`);
      }
    }
    if (!runsAsRoot() && execFileSync('id', ['-un'], { encoding: 'utf8' }).trim() !== 'postgres')
      throw new UsageError('Patroni is run as the system user postgres here: start this as root or as that user');
  }

  /** Starts everything, with an empty database `slipstream`. */
  static async start(): Promise<PatroniServers> {
    const servers = new PatroniServers(temporaryDataDir());
    try {
      await servers.#startAll();
    } catch (error) {
      await servers.close();
      throw error;
    }
    return servers;
  }

  get url(): string {
    const hosts = this.#members.map(({ port }) => `127.0.0.1:${port}`);
    return `postgres://slipstream:SERVICE_PASSWORD@${hosts.join(',')}/slipstream?sslmode=disable`;
  }

  /**
   * The member that takes writes and has a synchronous standby that Patroni would promote: it says so a few seconds after
   * PostgreSQL does, and until then promotes nobody.
   */
  async settledPrimary(): Promise<number> {
    return eventually(
      'a primary with a synchronous standby',
      async () => {
        for (const [index, { patroni }] of this.#members.entries()) {
          if (hasEnded(patroni)) continue;
          if ((await this.#ask(index, 'select pg_is_in_recovery()')) !== 'f') continue;
          const others = this.#members.filter((_, other) => other !== index);
          if ((await Promise.all(others.map(isSynchronous))).includes(true)) return { index };
        }
        return null;
      },
      START_MS,
      4 * POLL_MS,
    ).then(({ index }) => index);
  }

  /** Kills Patroni and all of PostgreSQL of one member at once, as when its machine loses its power. */
  kill(index: number): void {
    const { folder, patroni } = this.#members[index]!;
    const postmaster = Number(readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
    const backends = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ');
    patroni.kill('SIGKILL');
    for (const pid of [postmaster, ...backends.map(Number)]) killProcess(pid);
  }

  /** Starts Patroni of a killed member again, as systemd would. It makes its server a standby. */
  restart(index: number): void {
    const member = this.#members[index]!;
    member.patroni = this.#launchPatroni(member.folder);
  }

  /** Waits until another member than `killed` has committed a write. Returns when, on the monotonic clock. */
  async takesWrites(killed: number): Promise<number> {
    return eventually(
      'a new primary',
      async () => {
        const asked = this.#members.map((_, index) => index !== killed && this.#writes(index));
        return (await Promise.all(asked)).some((writes) => writes) ? performance.now() : null;
      },
      START_MS,
      POLL_MS,
    );
  }

  async close(): Promise<void> {
    // A Patroni that ends in order stops its server.
    await Promise.all(this.#members.map(({ patroni }) => ended(patroni, 'SIGTERM')));
    await Promise.all(this.#etcd.map((child) => ended(child, 'SIGTERM')));
  }

  async #startAll(): Promise<void> {
    const ports = await freePorts(4 * MEMBERS);
    const of = (kind: number, index: number): number => ports[kind * MEMBERS + index]!;
    const indexes = Array.from({ length: MEMBERS }, (_, index) => index);
    const cluster = indexes.map((index) => `etcd${index + 1}=http://127.0.0.1:${of(0, index)}`).join(',');
    for (const index of indexes) {
      const peer = `http://127.0.0.1:${of(0, index)}`;
      const client = `http://127.0.0.1:${of(1, index)}`;
      const child = this.#launch(`etcd${index + 1}`, ETCD, [
        `--name=etcd${index + 1}`,
        `--data-dir=${join(this.#folder, `etcd${index + 1}`)}`,
        `--listen-peer-urls=${peer}`,
        `--initial-advertise-peer-urls=${peer}`,
        `--listen-client-urls=${client}`,
        `--advertise-client-urls=${client}`,
        `--initial-cluster=${cluster}`,
      ]);
      this.#etcd.push(child);
    }
    const template = readFileSync(new URL('./patroni.yml', import.meta.url), 'utf8');
    for (const index of indexes) {
      const folder = join(this.#folder, `db${index + 1}`);
      mkdirSync(folder, { mode: 0o700 });
      own(folder);
      const text = placed(template, {
        'name: db1': `name: db${index + 1}`,
        '10.0.0.11:2379,10.0.0.12:2379,10.0.0.13:2379': indexes.map((one) => `127.0.0.1:${of(1, one)}`).join(','),
        '10.0.0.11:8008': `127.0.0.1:${of(2, index)}`,
        '10.0.0.11:5432': `127.0.0.1:${of(3, index)}`,
        '10.0.0.0/24': '127.0.0.1/32',
        '/var/lib/postgresql/15/slipstream.pgpass': join(folder, 'pgpass'),
        '/var/lib/postgresql/15/slipstream': join(folder, 'data'),
        '/run/postgresql': folder,
      });
      writeFileSync(join(folder, 'patroni.yml'), text);
      this.#members.push({
        name: `db${index + 1}`,
        port: of(3, index),
        apiPort: of(2, index),
        folder,
        patroni: this.#launchPatroni(folder),
      });
    }
    const primary = await this.settledPrimary();
    for (const statement of [
      "create role slipstream login password 'SERVICE_PASSWORD'",
      'create database slipstream owner slipstream',
    ])
      await this.#ask(primary, statement);
  }

  #launchPatroni(folder: string): ChildProcess {
    return this.#launch('patroni', PATRONI, [join(folder, 'patroni.yml')], join(folder, 'patroni.log'), true);
  }

  #launch(
    name: string,
    program: string,
    args: readonly string[],
    log = join(this.#folder, `${name}.log`),
    asServer = false,
  ): ChildProcess {
    const user = asServer && runsAsRoot() ? systemServerUser() : null;
    const output = openSync(log, 'a', 0o644);
    const child = spawn(program, args, {
      ...(user && { uid: user.uid, gid: user.gid }),
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
      stdio: ['ignore', output, output],
    });
    // A program that is interrupted leaves nothing behind.
    const end = (): void => void child.kill('SIGTERM');
    process.once('exit', end);
    child.once('exit', () => process.off('exit', end));
    return child;
  }

  /** One statement at one member over its socket, as Debian's operator does it. Null when it fails. */
  async #ask(index: number, statement: string): Promise<string | null> {
    const { folder, port } = this.#members[index]!;
    const user = runsAsRoot() ? systemServerUser() : null;
    const child = spawn(
      join(BINARIES, 'psql'),
      ['-h', folder, '-p', String(port), '-U', 'postgres', '-qAtc', statement],
      {
        ...(user && { uid: user.uid, gid: user.gid }),
        cwd: '/',
        env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' },
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk;
    });
    const [code] = await once(child, 'close');
    return code === 0 ? said.trim() : null;
  }

  async #writes(index: number): Promise<boolean> {
    const { port } = this.#members[index]!;
    const settings: ConnectionSettings = parseDatabaseUrl(
      `postgres://slipstream:SERVICE_PASSWORD@127.0.0.1:${port}/slipstream?sslmode=disable`,
    );
    const sql = connect(settings, { max: 1, name: 'failover probe', clock: systemClock });
    try {
      await inTime(sql`create table if not exists failover_probe ()`, ASK_MS, systemClock);
      await inTime(sql`drop table failover_probe`, ASK_MS, systemClock);
      return true;
    } catch {
      return false;
    } finally {
      void sql.end({ timeout: 0 });
    }
  }
}

/** What Patroni says of a member. */
async function isSynchronous({ apiPort }: Member): Promise<boolean> {
  const asked = fetch(`http://127.0.0.1:${apiPort}/sync`, { signal: AbortSignal.timeout(ASK_MS) });
  return asked.then(
    ({ status }) => status === 200,
    () => false,
  );
}

function placed(template: string, places: Readonly<Record<string, string>>): string {
  let text = template;
  for (const [from, to] of Object.entries(places)) {
    if (!text.includes(from)) throw new Error(`patroni.yml lacks ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}

function own(path: string): void {
  if (!runsAsRoot()) return;
  const { uid, gid } = systemServerUser();
  chownSync(path, uid, gid);
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (hasEnded(child)) return;
  child.kill(signal);
  const late = setTimeout(() => child.kill('SIGKILL'), 15_000);
  await once(child, 'exit');
  clearTimeout(late);
}
