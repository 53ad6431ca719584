// No schema changes under a service that runs.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '#engine/base/clock.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { type DatabaseOptions, openDatabase } from '#engine/storage/database.ts';
import { appliedMigrations, migrate, readMigrations } from '#engine/storage/migrations.ts';
import { connect, type Sql } from '#engine/storage/postgres-client.ts';
import { lockForService, noServiceRuns } from '#engine/storage/service-lock.ts';
import { StorageError } from '#engine/storage/storage-error.ts';
import { silentLog, withDatabase } from '#test/support/database.ts';

const { database, sql: admin, dataDir } = await withDatabase({ after });
const known = await readMigrations();
const unexpected = () => assert.fail('nobody else wants the database');
/** Waits are as long as they say, but take no time. */
const hasty = { ...systemClock, sleep: async () => {} };

/** An empty database of its own, migrated as far as the version before this one. */
async function olderDatabase(t: { after(end: () => unknown): void }, name: string) {
  await admin.unsafe(`create database ${name}`);
  const connection = { ...database.connection, database: name };
  const sql = connect(connection, { max: 2, name: 'test', clock: systemClock });
  t.after(() => sql.end());
  await migrate(sql, known.slice(0, -1));
  const databaseUrl = `postgres://slipstream@localhost/${name}?host=${encodeURIComponent(connection.host)}`;
  const open = (options: Partial<DatabaseOptions>) =>
    openDatabase({
      databaseUrl,
      dataDir,
      role: 'command',
      log: silentLog,
      clock: hasty,
      randomBytes: systemRandomBytes,
      ...options,
    });
  return { sql, connection, open };
}

async function version(sql: Sql): Promise<number> {
  return (await appliedMigrations(sql)).length;
}

test('a command refuses to migrate under a running service, names both versions, and changes nothing', async (t) => {
  const { sql, connection, open } = await olderDatabase(t, 'served');
  const lock = await lockForService(connection, systemClock, unexpected);
  const structure = () => sql`select relname, relpages from pg_class where relkind in ('r', 'i') order by 1`;
  const before = await structure();
  await assert.rejects(open({}), (error: Error) => {
    assert.ok(error instanceof StorageError);
    assert.match(error.message, new RegExp(`at migration ${known.length - 1}, .* migrate it to ${known.length}\\.`));
    assert.match(error.message, /Restart the service with this version first, or use the version that is running/);
    return true;
  });
  assert.equal(await version(sql), known.length - 1);
  assert.deepEqual(await structure(), before);
  await lock.release();
  await (await open({})).close();
  assert.equal(await version(sql), known.length, 'without a service it migrates');
});

test('a command works beside a service of its own version', async (t) => {
  const { sql, connection, open } = await olderDatabase(t, 'same');
  await migrate(sql, known);
  const lock = await lockForService(connection, systemClock, unexpected);
  await (await open({})).close();
  await lock.release();
});

test('a command waits for a service that is just starting', async (t) => {
  const { sql, connection, open } = await olderDatabase(t, 'starting');
  const lock = await lockForService(connection, systemClock, unexpected);
  let waits = 0;
  const clock = {
    ...hasty,
    sleep: async () => {
      if (++waits === 3) await migrate(sql, known);
    },
  };
  await (await open({ clock })).close();
  assert.equal(waits, 3);
  await lock.release();
});

test('a service cannot start while a command migrates', async (t) => {
  const { sql, connection } = await olderDatabase(t, 'racing');
  const migrating = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const command = migrate(sql, known, async (transaction) => {
    const free = await noServiceRuns(transaction);
    migrating.resolve();
    await goOn.promise;
    return free;
  });
  await migrating.promise;
  await assert.rejects(lockForService(connection, systemClock, unexpected, 'alone', 0), StorageError);
  const waiting = lockForService(connection, systemClock, unexpected);
  goOn.resolve();
  assert.equal(await command, 1);
  const lock = await waiting;
  assert.equal(await version(sql), known.length);
  await lock.release();
});

test('a second service is refused before it migrates', async (t) => {
  const { sql, connection, open } = await olderDatabase(t, 'second');
  const lock = await lockForService(connection, systemClock, unexpected);
  await assert.rejects(open({ role: 'service', onLockLost: unexpected }), /another service uses this database/);
  assert.equal(await version(sql), known.length - 1);
  await lock.release();
  const second = await open({ role: 'service', onLockLost: unexpected });
  assert.equal(await version(sql), known.length);
  await assert.rejects(lockForService(connection, systemClock, unexpected, 'alone', 0), StorageError);
  await second.close();
  await (await lockForService(connection, systemClock, unexpected, 'alone', 0)).release();
});
