import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { systemClock } from '#engine/base/clock.ts';
import { appliedMigrations, type Migration, migrate, readMigrations } from '#engine/storage/migrations.ts';
import { connect, type Sql } from '#engine/storage/postgres-client.ts';
import { StorageError } from '#engine/storage/storage-error.ts';
import { withDatabase } from '#test/support/database.ts';

const { database, sql: admin } = await withDatabase({ after });

const FIRST: Migration = {
  number: 1,
  name: 'first',
  worksSince: 1,
  statements: 'create table a (x int); insert into a values (1);',
};
const SECOND: Migration = {
  number: 2,
  name: 'second',
  worksSince: 2,
  statements: 'alter table a add y int default 2;',
};
const BROKEN: Migration = {
  number: 2,
  name: 'broken',
  worksSince: 2,
  statements: 'insert into a values (7); select 1/0;',
};

/** A client of an empty database. */
async function emptyDatabase(t: { after(end: () => unknown): void }, name: string, max = 1): Promise<Sql> {
  await admin.unsafe(`create database ${name}`);
  const sql = connect({ ...database.connection, database: name }, { max, name: 'test', clock: systemClock });
  t.after(() => sql.end());
  return sql;
}

test('each migration is applied once, in order, and recorded', async (t) => {
  const sql = await emptyDatabase(t, 'in_order');
  assert.equal(await migrate(sql, [FIRST]), 1);
  assert.equal(await migrate(sql, [FIRST, SECOND]), 1);
  assert.equal(await migrate(sql, [FIRST, SECOND]), 0);
  assert.deepEqual([...(await sql`select x, y from a`)], [{ x: 1, y: 2 }]);
  assert.deepEqual(
    [...(await sql`select number, name from migration order by number`)],
    [
      { number: 1, name: 'first' },
      { number: 2, name: 'second' },
    ],
  );
});

test('a migration that fails is rolled back, and the ones before it stay', async (t) => {
  const sql = await emptyDatabase(t, 'failing');
  await assert.rejects(migrate(sql, [FIRST, BROKEN]), /division by zero/);
  assert.deepEqual([...(await sql`select x from a`)], [{ x: 1 }]);
  assert.equal(await migrate(sql, [FIRST, SECOND]), 1);
});

test('processes that start together apply each migration once', async (t) => {
  const sql = await emptyDatabase(t, 'together', 4);
  const applied = await Promise.all(Array.from({ length: 4 }, () => migrate(sql, [FIRST, SECOND])));
  assert.equal(
    applied.reduce((sum, count) => sum + count),
    2,
  );
  assert.equal((await sql`select x from a`).length, 1);
});

test('a database that a newer version has used is refused and left as it is', async (t) => {
  const sql = await emptyDatabase(t, 'newer');
  await migrate(sql, [FIRST, SECOND]);
  await assert.rejects(migrate(sql, [FIRST]), (error: Error) => {
    assert.ok(error instanceof StorageError);
    assert.match(error.message, /at migration 2, but this version of the service knows only 1/);
    return true;
  });
});

test('code works with a newer schema only if each migration that it lacks works with it', async (t) => {
  const sql = await emptyDatabase(t, 'expanded');
  const declaring = { ...FIRST, statements: 'alter table migration add works_since int; create table a (x int);' };
  const expanding: Migration = { ...SECOND, worksSince: 1 };
  const contracting: Migration = { number: 3, name: 'third', worksSince: 3, statements: 'alter table a drop x;' };
  const later: Migration = { number: 4, name: 'fourth', worksSince: 1, statements: 'alter table a add z int;' };
  assert.equal(await migrate(sql, [declaring, expanding]), 2);
  assert.equal(await migrate(sql, [declaring]), 0, 'code that lacks the second one works with it');
  await assert.rejects(migrate(sql, [{ ...declaring, name: 'another' }]), /Another program has used the database/);
  assert.equal(await migrate(sql, [declaring, expanding, contracting, later]), 2);
  assert.deepEqual(
    (await appliedMigrations(sql)).map(({ worksSince }) => worksSince),
    [1, 1, 3, 1],
  );
  for (const known of [[declaring], [declaring, expanding]]) {
    await assert.rejects(
      migrate(sql, known),
      /at migration 4, .* knows only \d and does not work with migration 3 \("third"\)/,
    );
  }
  assert.equal(await migrate(sql, [declaring, expanding, contracting]), 0);
});

test('a database that another program has used under the same numbers is refused and left as it is', async (t) => {
  const sql = await emptyDatabase(t, 'other');
  await migrate(sql, [FIRST]);
  await assert.rejects(migrate(sql, [{ ...FIRST, name: 'another' }, SECOND]), (error: Error) => {
    assert.ok(error instanceof StorageError);
    assert.match(
      error.message,
      /Migration 1 of the database is "first", but this version of the service has "another"/,
    );
    return true;
  });
  assert.deepEqual(await appliedMigrations(sql), [{ number: 1, name: 'first', worksSince: 1 }]);
});

test('a new database has no applied migrations, and checking changes nothing', async (t) => {
  const sql = await emptyDatabase(t, 'unused');
  assert.deepEqual(await appliedMigrations(sql), []);
  assert.equal((await sql`select from pg_class where relname = 'migration'`).length, 0);
});

test('the files of the project are numbered from 1 without gaps', async () => {
  const migrations = await readMigrations();
  assert.deepEqual(
    migrations.map(({ number }) => number),
    migrations.map((_, index) => index + 1),
  );
});

test('a file that declares nothing needs the code that comes with it, and a declaration names no later migration', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-test-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const url = pathToFileURL(`${folder}/`);
  writeFileSync(join(folder, '0001-first.sql'), 'create table a ();');
  writeFileSync(join(folder, '0002-second.sql'), '-- Works with code since migration 0001.\ncreate table b ();');
  assert.deepEqual(
    (await readMigrations(url)).map(({ worksSince }) => worksSince),
    [1, 1],
  );
  writeFileSync(join(folder, '0003-third.sql'), '-- Works with code since migration 0004.\ndrop table a;');
  await assert.rejects(readMigrations(url), /0003-third\.sql: it declares a migration that does not come before it/);
});

test('each migration since 0029 declares which code works with it', () => {
  const folder = fileURLToPath(new URL('../../schemas/database/', import.meta.url));
  const silent = readdirSync(folder)
    .filter((file) => file >= '0029')
    .filter((file) => !/^-- Works with code since migration \d{4}\.\n/.test(readFileSync(join(folder, file), 'utf8')));
  assert.deepEqual(silent, [], 'see "Add a migration" in CONTRIBUTING.md');
});

test('a gap or a wrong name among the files is refused', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-test-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const url = pathToFileURL(`${folder}/`);
  writeFileSync(join(folder, '0002-second.sql'), '');
  await assert.rejects(readMigrations(url), /numbered from 0001 without gaps/);
  writeFileSync(join(folder, '0001-First.sql'), '');
  await assert.rejects(readMigrations(url), /numbered from 0001 without gaps/);
});
