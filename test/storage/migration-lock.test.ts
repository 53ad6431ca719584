// No schema changes under a service that does not work with the new one.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { systemClock } from '#engine/base/clock.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { refuseUnderOlderNodes } from '#engine/nodes/older-nodes.ts';
import { PostgresMembership } from '#engine/nodes/postgres-membership.ts';
import { type DatabaseOptions, openDatabase } from '#engine/storage/database.ts';
import { appliedMigrations, type Migration, migrate, readMigrations } from '#engine/storage/migrations.ts';
import { connect, type Sql } from '#engine/storage/postgres-client.ts';
import { lockForService, refuseWhileServed } from '#engine/storage/service-lock.ts';
import { StorageError } from '#engine/storage/storage-error.ts';
import { silentLog, withDatabase } from '#test/support/database.ts';

const { database, sql: admin, dataDir } = await withDatabase({ after });
const known = await readMigrations();
const unexpected = () => assert.fail('nobody else wants the database');
/** Waits are as long as they say, but take no time. */
const hasty = { ...systemClock, sleep: async () => {} };

/** An empty database of its own, migrated as far as the version before this one unless told otherwise. */
async function olderDatabase(t: { after(end: () => unknown): void }, name: string, migrations = known.slice(0, -1)) {
  await admin.unsafe(`create database ${name}`);
  const connection = { ...database.connection, database: name };
  const sql = connect(connection, { max: 2, name: 'test', clock: systemClock });
  t.after(() => sql.end());
  await migrate(sql, migrations);
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
  const command = migrate(sql, known, async (transaction, pending) => {
    await refuseWhileServed(transaction, pending);
    migrating.resolve();
    await goOn.promise;
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

const EXPANDS: Migration = {
  number: known.length + 1,
  name: 'expands',
  worksSince: known.length,
  // It changes rows, too, that only nodes of the cluster may change.
  statements: 'alter table session add tomorrow text; update account set plan = plan;',
};
const CONTRACTS: Migration = {
  number: known.length + 2,
  name: 'contracts',
  worksSince: known.length + 2,
  statements: 'alter table session drop tomorrow;',
};

async function clusterDatabase(t: { after(end: () => unknown): void }, name: string) {
  const { sql, open } = await olderDatabase(t, name, known);
  const membership = new PostgresMembership(sql, systemClock);
  let ports = 0;
  return {
    sql,
    open,
    membership,
    /** As a node with these migrations opens it. */
    openAsNode: (migrations: readonly Migration[], options: Partial<DatabaseOptions> = {}) =>
      open({
        role: 'service',
        onLockLost: unexpected,
        node: { nodeId: randomUUID(), guard: refuseUnderOlderNodes },
        migrations,
        ...options,
      }),
    /** A node of this version, whose lease lasts as long as the test. */
    join: async (): Promise<number> => {
      const nodeNo = await membership.join({
        nodeId: randomUUID(),
        address: `10.0.0.1:${++ports}`,
        version: '0.1.0',
        deriverVersion: 1,
        schemaVersion: known.length,
        keyPrint: Buffer.of(1),
      });
      await sql`update cluster_node set lease_until = 'infinity' where node_no = ${nodeNo}`;
      return nodeNo;
    },
  };
}

test('ON1: under older nodes a node applies a migration that expands, and refuses one that contracts until they are gone', async (t) => {
  const { sql, open, membership, openAsNode, join } = await clusterDatabase(t, 'rolling');
  const old = await openAsNode(known);
  t.after(() => old.close());
  const oldClient = old.connect(1);
  const sessions = () => oldClient`select * from session`;
  await sessions();
  const first = await join();
  await assert.rejects(open({ migrations: [...known, EXPANDS] }), /A service is running on the database/);
  const newer = await openAsNode([...known, EXPANDS]);
  t.after(() => newer.close());
  assert.equal(await version(sql), known.length + 1);
  await sessions();

  const said: object[] = [];
  const info = (details: object) => said.push(details);
  const again = await openAsNode(known, { log: { ...silentLog, info } });
  assert.deepEqual(said, [{ migration: known.length + 1, known: known.length }]);
  const second = await join();
  await again.close();
  await (await open({ migrations: known })).close();

  const all = [...known, EXPANDS, CONTRACTS];
  await assert.rejects(openAsNode(all), (error: Error) => {
    assert.ok(error instanceof StorageError);
    const nodes = [first, second]
      .map((no, index) => `node ${no} at 10.0.0.1:${index + 1} \\(version 0.1.0\\)`)
      .join(', ');
    const [from, to] = [known.length + 1, known.length + 2];
    assert.match(
      error.message,
      new RegExp(`from ${from} to ${to}, .* does not work with migration ${to} \\("contracts"\\): ${nodes}\\. Stop`),
    );
    return true;
  });
  assert.equal(await version(sql), known.length + 1);

  await membership.leave(second);
  // ON2
  await sql`update cluster_node set lease_until = clock_timestamp() - interval '1 ms'`;
  await (await openAsNode(all)).close();
  assert.equal(await version(sql), known.length + 2);
  assert.equal(await membership.renew(first), null, 'one whose lease had run out does not come back');
  assert.equal((await sql`select from cluster_slot where node_no is not null`).length, 0);
  await assert.rejects(join(), /does not work with migration/);
  await assert.rejects(openAsNode(known), /knows only \d+ and does not work with migration .* start that version/);
});

test('ON2: a node of an older version that joins while a newer one migrates waits for it, and is refused', async (t) => {
  const { sql, join } = await clusterDatabase(t, 'joining');
  const migrating = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const newer = migrate(sql, [...known, EXPANDS, CONTRACTS], async (transaction, pending) => {
    await refuseUnderOlderNodes(transaction, pending);
    if (pending[0] !== CONTRACTS) return;
    migrating.resolve();
    await goOn.promise;
  });
  await migrating.promise;
  let isOver = false;
  const joining = join().finally(() => {
    isOver = true;
  });
  joining.catch(() => {});
  const waits = () => admin`select from pg_locks where locktype = 'advisory' and not granted`;
  while (!isOver && (await waits()).length === 0) await systemClock.sleep(5);
  goOn.resolve();
  assert.equal(await newer, 2);
  await assert.rejects(joining, /does not work with migration/);
});

test('ON3: a migration beside nodes lets go of its tables when somebody holds one, and tries again', async (t) => {
  const { sql, openAsNode } = await clusterDatabase(t, 'held');
  const held = Promise.withResolvers<void>();
  const letGo = Promise.withResolvers<void>();
  const backup = sql.begin(async (transaction) => {
    await transaction`select from account`;
    held.resolve();
    await letGo.promise;
  });
  await held.promise;
  const clock = {
    ...hasty,
    sleep: async () => {
      assert.equal(await version(sql), known.length);
      letGo.resolve();
      await backup;
    },
  };
  const contended = { ...EXPANDS, statements: 'alter table account add tomorrow text;' };
  await (await openAsNode([...known, contended], { clock })).close();
  assert.equal(await version(sql), known.length + 1);
});
