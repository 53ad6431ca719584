import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '#engine/base/clock.ts';
import { parseDatabaseUrl } from '#engine/storage/connection-settings.ts';
import { lockForService } from '#engine/storage/service-lock.ts';
import { StorageError } from '#engine/storage/storage-error.ts';
import { withDatabase } from '#test/support/database.ts';
import { DatabaseProxy } from '#test/support/database-proxy.ts';

const { database, sql } = await withDatabase({ after });
const { connection } = database;
const unexpected = () => assert.fail('nobody else wants the database');

/** Ends the connections that hold the lock, as a restart of the database does. */
async function breakOff(): Promise<void> {
  await sql`select pg_terminate_backend(pid, 5000) from pg_locks where locktype = 'advisory'`;
}

async function isHeld(): Promise<boolean> {
  return (await sql`select from pg_locks where locktype = 'advisory' and granted`).length > 0;
}

test('a second service on the same database is refused, until the first one is gone', async () => {
  const first = await lockForService(connection, systemClock, unexpected);
  await assert.rejects(lockForService(connection, systemClock, unexpected, 'alone', 0), (error) => {
    return error instanceof StorageError && /^DATABASE_URL: another service/.test(error.message);
  });
  const waiting = lockForService(connection, systemClock, unexpected);
  await first.release();
  await (await waiting).release();
  assert.equal(await isHeld(), false);
});

test('a service whose connection was lost holds the lock again a moment later', async () => {
  const lock = await lockForService(connection, systemClock, unexpected);
  await breakOff();
  while (!(await isHeld())) await pause(20);
  await assert.rejects(lockForService(connection, systemClock, unexpected, 'alone', 0), StorageError);
  await lock.release();
});

test('a service is notified when another one has taken the lock while its connection was lost', async () => {
  let heard = () => {};
  const lost = new Promise<void>((resolve) => {
    heard = resolve;
  });
  const first = await lockForService(connection, systemClock, heard);
  const [, second] = await Promise.all([breakOff(), lockForService(connection, systemClock, unexpected)]);
  await lost;
  await Promise.all([first.release(), second.release()]);
});

test('a service does not mistake its own broken connection for another service', async (t) => {
  const proxy = await DatabaseProxy.start(connection);
  t.after(() => proxy.close());
  const holder = async (): Promise<number | undefined> =>
    (await sql`select pid from pg_locks where locktype = 'advisory' and granted`)[0]?.pid;
  const lock = await lockForService(
    parseDatabaseUrl(proxy.urlFor(connection.user, connection.database)),
    systemClock,
    unexpected,
  );
  const before = await holder();
  proxy.strand();
  while ([before, undefined].includes(await holder())) await pause(20);
  await lock.release();
});

test('the nodes of a cluster share the lock; a cluster and a service alone exclude each other', async () => {
  const nodes = await Promise.all([1, 2].map(() => lockForService(connection, systemClock, unexpected, 'cluster')));
  await assert.rejects(
    lockForService(connection, systemClock, unexpected, 'alone', 0),
    /^StorageError: DATABASE_URL: /,
  );
  await nodes[0]!.release();
  await assert.rejects(lockForService(connection, systemClock, unexpected, 'alone', 0), StorageError);
  await nodes[1]!.release();
  const alone = await lockForService(connection, systemClock, unexpected);
  await assert.rejects(lockForService(connection, systemClock, unexpected, 'cluster', 0), /^StorageError: CLUSTER: /);
  await alone.release();
});
