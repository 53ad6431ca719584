// A client, the lock and a service's watch on two real servers that replicate, over the failover from one to the other.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemClock } from '#engine/base/clock.ts';
import { parseDatabaseUrl } from '#engine/storage/connection-settings.ts';
import { checkConnection, connect, type Sql } from '#engine/storage/postgres-client.ts';
import { lockForService } from '#engine/storage/service-lock.ts';
import { StorageError } from '#engine/storage/storage-error.ts';
import { eventually } from '#test/support/patience.ts';
import { ReplicatedServers } from '#test/support/replicated-servers.ts';
import { checkServers } from '#workers/admin/doctor/servers-check.ts';

let servers: ReplicatedServers;
before(async () => {
  servers = await ReplicatedServers.start();
});
after(() => servers?.close());

async function port(sql: Sql): Promise<number> {
  const [row] = await sql<{ port: number }[]>`select current_setting('port')::int as port`;
  return row!.port;
}

test('a client goes to the server that takes writes, wherever it stands in the list', async () => {
  for (const first of [0, 1]) {
    const settings = servers.settings(first);
    const sql = connect(settings, { max: 1, name: 'test', clock: systemClock });
    assert.equal(await port(sql), servers.settings(0).port);
    await sql.end();
  }
});

test('with no server that takes writes, each is named with the reason, without the password', async () => {
  const { servers: known } = servers.settings().group!;
  const url = `postgres://svc:hunter2@127.0.0.1:${known[1]!.port},127.0.0.1:9/svc?sslmode=disable`;
  const settings = parseDatabaseUrl(url);
  const sql = connect(settings, { max: 1, name: 'test', clock: systemClock });
  const error: Error = await checkConnection(sql, settings, systemClock).catch((failure) => failure);
  await sql.end({ timeout: 0 });
  assert.equal(
    error.message,
    `DATABASE_URL: no server takes writes: 127.0.0.1:${known[1]!.port} is a standby; ` +
      'cannot reach 127.0.0.1:9: nothing listens there. Start or promote one of them.',
  );
});

test('a connection that can only read is not used, and one that has become so is given up', async (t) => {
  const owner = servers.owner(0, 'svc');
  const settings = servers.settings();
  const sql = connect(settings, { max: 1, name: 'test', clock: systemClock });
  t.after(() => sql.end({ timeout: 0 }));
  await sql`create temporary table made_here (number int)`;
  const [{ pid }] = (await sql`select pg_backend_pid() as pid`) as unknown as [{ pid: number }];
  await sql`set default_transaction_read_only = on`;
  await assert.rejects(sql`create table never_made (number int)`.execute(), { code: '25006' });
  const [row] = await eventually('another connection', () => sql`select pg_backend_pid() as pid`.catch(() => null));
  assert.notEqual(row!.pid, pid);
  await owner`alter role svc set default_transaction_read_only = on`;
  await owner`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'svc'`;
  await eventually('a refusal', () =>
    sql`select 1`.then(
      () => false,
      (error: Error) => /is read-only/.test(error.message),
    ),
  );
  await owner`alter role svc reset default_transaction_read_only`;
  assert.equal((await sql`select 1`).length, 1);
});

test('the doctor says who takes writes, and whether replication is synchronous', async () => {
  const texts = async (sql: Sql) =>
    (await checkServers(sql, servers.settings())).map(({ level, text }) => `${level} ${text}`);
  const [first, second] = servers.settings().group!.servers.map(({ port }) => `127.0.0.1:${port}`);
  const owner = servers.owner(0);
  assert.deepEqual(await texts(owner), [
    `ok ${first} takes writes`,
    `ok ${second} is a standby`,
    'ok replication is synchronous (1 of 1 standbys)',
  ]);
  const svc = connect(servers.settings(), { max: 1, name: 'test', clock: systemClock });
  assert.match((await texts(svc)).at(-1)!, /^unknown .* this user may not see/);
  await svc.end();
  await owner`set synchronous_commit = local`;
  assert.match((await texts(owner)).at(-1)!, /^warning .* synchronous_commit is local/);
  assert.match((await texts(servers.owner(1))).at(-1)!, /^warning replication is asynchronous \(0 standbys\)/);
});

test('when the primary hangs and a standby is promoted, clients and the lock leave it, and do not come back', async (t) => {
  const settings = servers.settings();
  const { group } = settings;
  const lock = await lockForService(settings, systemClock, () => assert.fail('nobody else wants the database'));
  t.after(() => lock.release());
  const client = connect(settings, { max: 1, name: 'test', clock: systemClock });
  t.after(() => client.end({ timeout: 0 }));
  assert.equal(await port(client), group!.servers[0]!.port);
  servers.freeze(0);
  const stuck = assert.rejects(port(client));
  await servers.promote(1);
  await stuck;
  assert.equal(await port(client), group!.servers[1]!.port);
  const held = () => servers.owner(1, 'svc')`select from pg_locks where locktype = 'advisory' and granted`;
  await eventually('the lock on the new primary', async () => (await held()).length > 0);
  await assert.rejects(
    lockForService(servers.settings(1), systemClock, () => {}, 'alone', 0),
    StorageError,
  );
  // It still takes writes, and is the first in the list.
  servers.thaw(0);
  const next = connect(servers.settings(), { max: 1, name: 'test', clock: systemClock });
  assert.equal(await port(next), group!.servers[1]!.port);
  await next.end();
});
