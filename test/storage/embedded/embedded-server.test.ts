// The built-in server in all the ways in which processes share it, end and are killed.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { systemClock } from '#engine/base/clock.ts';
import { type Postmaster, runningPostmaster, stopPostmaster } from '#engine/storage/embedded/postmaster.ts';
import { canReach, runsAsRoot, type ServerUser, systemServerUser } from '#engine/storage/embedded/server-user.ts';
import { StorageError } from '#engine/storage/storage-error.ts';
import { openTestDatabase, silentLog, temporaryDataDir } from '#test/support/database.ts';

const PROCESS = fileURLToPath(new URL('../../support/database-process.ts', import.meta.url));

function runningOn(dataDir: string): Promise<Postmaster | null> {
  return runningPostmaster(join(dataDir, 'postgres', 'data'));
}

/** Making a cluster takes most of a second; tests that leave it as it was share this one, each after the other. */
const SHARED = temporaryDataDir();

/** A DATA_DIR on which no server is left after the test. */
function dataDirOf(t: TestContext, dataDir = SHARED): string {
  t.after(async () => {
    const left = await runningOn(dataDir);
    if (left !== null) await stopPostmaster(left.pid, systemClock);
  });
  return dataDir;
}

async function openElsewhere(
  t: TestContext,
  dataDir: string,
  role: 'service' | 'command',
  options: { atOnce?: 'exit'; user?: ServerUser } = {},
): Promise<ChildProcess> {
  const child = spawn(process.execPath, [PROCESS, dataDir, role, options.atOnce ?? 'wait'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    ...(options.user === undefined ? {} : { uid: options.user.uid, gid: options.user.gid }),
  });
  t.after(() => child.kill('SIGKILL'));
  const [said] = await once(child.stdout!, 'data');
  assert.equal(String(said).trim(), 'open');
  return child;
}

async function closeElsewhere(child: ChildProcess): Promise<void> {
  child.stdin!.end();
  const [code] = await once(child, 'exit');
  assert.equal(code, 0);
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Repeats until it holds; the test runner's own limit ends it otherwise. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(50);
}

test('the server listens on a socket in a folder closed to other users, and on no port', async (t) => {
  const dataDir = dataDirOf(t);
  const database = await openTestDatabase(dataDir);
  t.after(() => database.close());
  const [row] = await database.connect(
    1,
  )`select current_setting('listen_addresses') as addresses, inet_server_port() as port`;
  assert.deepEqual({ ...row }, { addresses: '', port: null });
  assert.equal(statSync(database.connection.host).mode & 0o777, 0o700);
  assert.equal(statSync(join(dataDir, 'postgres', 'data')).mode & 0o777, 0o700);
});

test('data is still there after a restart', async (t) => {
  const dataDir = dataDirOf(t);
  const first = await openTestDatabase(dataDir);
  await first.connect(1)`create table kept as select 42 as value`;
  await first.close();
  assert.equal(await runningOn(dataDir), null);
  const second = await openTestDatabase(dataDir);
  t.after(() => second.close());
  assert.deepEqual([...(await second.connect(1)`select value from kept`)], [{ value: 42 }]);
});

test('settings that make a commit durable are on unless a test turns them off', async (t) => {
  const database = await openTestDatabase(dataDirOf(t), { durability: 'full' });
  t.after(() => database.close());
  const rows = await database.connect(1)<{ name: string; setting: string }[]>`
    select name, setting from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit') order by name`;
  assert.deepEqual(
    rows.map(({ setting }) => setting),
    ['on', 'on', 'on'],
  );
});

test('E2: a service stops the server that a killed one left behind and starts its own', async (t) => {
  const dataDir = dataDirOf(t);
  const service = await openElsewhere(t, dataDir, 'service');
  const left = await runningOn(dataDir);
  await kill(service);
  assert.deepEqual(await runningOn(dataDir), left);
  const database = await openTestDatabase(dataDir);
  t.after(() => database.close());
  const own = await runningOn(dataDir);
  assert.notEqual(own!.pid, left!.pid);
  assert.equal(own!.socket, left!.socket);
});

test('E2: a command uses the server that a killed service left behind, and stops it at its end', async (t) => {
  const dataDir = dataDirOf(t);
  const service = await openElsewhere(t, dataDir, 'service');
  const left = await runningOn(dataDir);
  await kill(service);
  const command = await openTestDatabase(dataDir, { role: 'command' });
  assert.equal((await runningOn(dataDir))!.pid, left!.pid);
  await command.close();
  assert.equal(await runningOn(dataDir), null);
});

test('a service starts after it and its server were both killed', async (t) => {
  const dataDir = dataDirOf(t);
  const service = await openElsewhere(t, dataDir, 'service');
  const left = await runningOn(dataDir);
  await kill(service);
  process.kill(left!.pid, 'SIGKILL');
  const database = await openTestDatabase(dataDir);
  t.after(() => database.close());
  assert.equal((await database.connect(1)`select 1`).length, 1);
});

test('E3: a command that ends while the service runs leaves the server running', async (t) => {
  const dataDir = dataDirOf(t);
  const service = await openElsewhere(t, dataDir, 'service');
  const server = await runningOn(dataDir);
  const command = await openTestDatabase(dataDir, { role: 'command' });
  await command.connect(1)`select 1`;
  await command.close();
  assert.deepEqual(await runningOn(dataDir), server);
  await closeElsewhere(service);
  assert.equal(await runningOn(dataDir), null);
});

test('E3: of two commands, the last one stops the server, whichever started it', async (t) => {
  const dataDir = dataDirOf(t);
  const first = await openElsewhere(t, dataDir, 'command');
  const second = await openTestDatabase(dataDir, { role: 'command' });
  const sql = second.connect(1);
  await sql`select 1`;
  await closeElsewhere(first);
  assert.equal((await sql`select 1`).length, 1);
  await second.close();
  assert.equal(await runningOn(dataDir), null);
});

test('E1, E3: a service that joined the server of a command keeps it when the command ends', async (t) => {
  const dataDir = dataDirOf(t);
  const command = await openElsewhere(t, dataDir, 'command');
  const service = await openTestDatabase(dataDir);
  const sql = service.connect(1);
  await sql`select 1`;
  await closeElsewhere(command);
  const claim = join(dataDir, 'postgres.pid');
  await until(
    async () => JSON.parse(readFileSync(claim, { encoding: 'utf8', flag: 'a+' }) || '{}').pid === process.pid,
  );
  assert.equal((await sql`select 1`).length, 1);
  await service.close();
  assert.equal(await runningOn(dataDir), null);
});

test('E4: a killed server is restarted, and clients reconnect', async (t) => {
  const dataDir = dataDirOf(t);
  let exits = 0;
  const database = await openTestDatabase(dataDir, { onExit: () => exits++ });
  t.after(() => database.close());
  const sql = database.connect(2);
  await sql`create table kept_by_restart as select 1 as value`;
  const killed = await runningOn(dataDir);
  process.kill(killed!.pid, 'SIGKILL');
  await until(async () => {
    const now = await runningOn(dataDir);
    return now?.ready === true && now.pid !== killed!.pid;
  });
  await until(() =>
    sql`select value from kept_by_restart`.then(
      () => true,
      () => false,
    ),
  );
  assert.equal(exits, 1);
});

test('E4: a server whose data folder disappears for a while is restarted with that data, never with a new cluster', async (t) => {
  const dataDir = dataDirOf(t);
  const problems: string[] = [];
  const log = { ...silentLog, error: (_: unknown, text: string) => void problems.push(text) };
  const database = await openTestDatabase(dataDir, { log });
  t.after(() => database.close());
  const sql = database.connect(1);
  await sql`create table kept_while_away as select 1 as value`;
  const killed = await runningOn(dataDir);
  const cluster = join(dataDir, 'postgres', 'data');
  renameSync(cluster, `${cluster}.away`);
  process.kill(killed!.pid, 'SIGKILL');
  await until(async () => problems.filter((text) => text === 'cannot restart PostgreSQL; trying again').length > 1);
  assert.equal(existsSync(cluster), false);
  renameSync(`${cluster}.away`, cluster);
  await until(() =>
    sql`select value from kept_while_away`.then(
      () => true,
      () => false,
    ),
  );
});

test('a process that ends without closing stops its server', async (t) => {
  const dataDir = dataDirOf(t);
  const child = await openElsewhere(t, dataDir, 'service', { atOnce: 'exit' });
  if (child.exitCode === null) await once(child, 'exit');
  await until(async () => (await runningOn(dataDir)) === null);
});

test('an interrupted first start does not hinder the next one', async (t) => {
  const dataDir = dataDirOf(t, temporaryDataDir());
  const database = await openTestDatabase(dataDir);
  await database.close();
  rmSync(join(dataDir, 'postgres', 'data'), { recursive: true });
  mkdirSync(join(dataDir, 'postgres', 'making-abcdef'));
  const again = await openTestDatabase(dataDir);
  await again.close();
  assert.deepEqual(readdirSync(join(dataDir, 'postgres')).sort(), ['data', 'socket']);
});

test('a long DATA_DIR has its socket in the folder for temporary files, removed at the end', async (t) => {
  const dataDir = join(dataDirOf(t, temporaryDataDir()), 'd'.repeat(100));
  const database = await openTestDatabase(dataDir);
  const { host } = database.connection;
  assert.match(host, /\/slipstream-\w{6}$/);
  assert.equal(statSync(host).mode & 0o777, 0o700);
  await database.close();
  assert.throws(() => statSync(host), { code: 'ENOENT' });
});

test('a cluster of another PostgreSQL version is refused, and both versions are named', async (t) => {
  const dataDir = dataDirOf(t, temporaryDataDir());
  await (await openTestDatabase(dataDir)).close();
  writeFileSync(join(dataDir, 'postgres', 'data', 'PG_VERSION'), '12\n');
  await assert.rejects(openTestDatabase(dataDir), (error: Error) => {
    assert.ok(error instanceof StorageError);
    assert.match(error.message, /made by PostgreSQL 12, but this version of the service includes \d+/);
    return true;
  });
});

test('the error of a server that cannot start names its reason and the path of its log', async (t) => {
  const dataDir = dataDirOf(t, temporaryDataDir());
  await (await openTestDatabase(dataDir)).close();
  rmSync(join(dataDir, 'postgres', 'data', 'global'), { recursive: true });
  await assert.rejects(openTestDatabase(dataDir), (error: Error) => {
    assert.ok(error instanceof StorageError);
    assert.match(error.message, /^DATA_DIR: PostgreSQL failed: .*could not open .*pg_control.*postgres\.log/);
    return true;
  });
  assert.equal(await runningOn(dataDir), null);
});

test('a DATA_DIR that cannot be made is named', async (t) => {
  const file = join(dataDirOf(t), 'file');
  writeFileSync(file, '');
  await assert.rejects(openTestDatabase(join(file, 'data')), /^StorageError: DATA_DIR: cannot make .*ENOTDIR/);
});

test('a database folder that others can write to is not used', async (t) => {
  const dataDir = dataDirOf(t, temporaryDataDir());
  mkdirSync(join(dataDir, 'postgres'));
  chmodSync(join(dataDir, 'postgres'), 0o777);
  await assert.rejects(openTestDatabase(dataDir), /Other users can write to/);
});

test('root runs PostgreSQL as another user', { skip: !runsAsRoot() && 'not run as root' }, async (t) => {
  const dataDir = dataDirOf(t);
  const database = await openTestDatabase(dataDir);
  t.after(() => database.close());
  assert.equal(statSync(`/proc/${(await runningOn(dataDir))!.pid}`).uid, systemServerUser().uid);
});

test('for root, the database of a DATA_DIR closed to other users is elsewhere, for that DATA_DIR only', {
  skip: !runsAsRoot() && 'not run as root',
}, async (t) => {
  const outside = dataDirOf(t, temporaryDataDir());
  const dataDir = join(outside, 'closed', 'data');
  mkdirSync(join(outside, 'closed'), { mode: 0o700 });
  const warnings: string[] = [];
  const log = { info() {}, error() {}, warn: (_: object, message: string) => warnings.push(message) };
  const first = await openTestDatabase(dataDir, { log });
  const { folder } = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  assert.match(warnings.join(), /the database is outside DATA_DIR/);
  assert.equal(statSync(join(folder, 'data')).mode & 0o777, 0o700);
  await first.connect(1)`create table kept as select 1 as value`;
  await first.close();
  const second = await openTestDatabase(dataDir, { log });
  assert.equal((await second.connect(1)`select value from kept`).length, 1);
  await second.close();
  assert.equal(warnings.length, 1);
  const copy = join(outside, 'copy');
  mkdirSync(copy);
  writeFileSync(join(copy, 'postgres.json'), readFileSync(join(dataDir, 'postgres.json')));
  await assert.rejects(openTestDatabase(copy), /was moved or copied from/);
});

const ordinary = runsAsRoot() ? systemServerUser() : null;
const skipOrdinary =
  ordinary === null
    ? 'not run as root: the other tests are those of an ordinary user'
    : !(canReach(ordinary, PROCESS, 4) && canReach(ordinary, process.execPath, 1)) &&
      `user ${ordinary.name} cannot reach the checkout`;

test('an ordinary user runs PostgreSQL as itself, and root keeps running it as that user', {
  skip: skipOrdinary,
}, async (t) => {
  const outside = dataDirOf(t, temporaryDataDir());
  const dataDir = join(outside, 'theirs');
  mkdirSync(dataDir);
  chownSync(dataDir, ordinary!.uid, ordinary!.gid);
  t.after(async () => {
    const left = await runningOn(dataDir);
    if (left !== null) await stopPostmaster(left.pid, systemClock);
  });
  const theirs = await openElsewhere(t, dataDir, 'service', { user: ordinary! });
  assert.equal(statSync(join(dataDir, 'postgres', 'data')).uid, ordinary!.uid);
  await closeElsewhere(theirs);
  const database = await openTestDatabase(dataDir);
  t.after(() => database.close());
  assert.equal(statSync(`/proc/${(await runningOn(dataDir))!.pid}`).uid, ordinary!.uid);
});
