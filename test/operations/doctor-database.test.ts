// The doctor's checks of a real database.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '#engine/base/clock.ts';
import { migrate, readMigrations } from '#engine/storage/migrations.ts';
import { connect, type Sql } from '#engine/storage/postgres-client.ts';
import { runAdminCommand as admin } from '#test/support/admin-command.ts';
import { temporaryDataDir, withDatabase } from '#test/support/database.ts';
import { checkClockOfDatabase } from '#workers/admin/doctor/clock-check.ts';
import { checkDatabase, schemaFinding } from '#workers/admin/doctor/database-check.ts';
import type { Found } from '#workers/admin/doctor/finding.ts';

const { database, sql: server } = await withDatabase({ after });
const { connection } = database;

/** Creates a database with the first `count` migrations. */
async function madeDatabase(
  t: { after(end: () => unknown): void },
  name: string,
  count: number,
  how = '',
): Promise<Sql> {
  await server.unsafe(`create database ${name} ${how}`);
  const sql = connect({ ...connection, database: name }, { max: 2, name: 'test', clock: systemClock });
  t.after(() => sql.end());
  await migrate(sql, (await readMigrations()).slice(0, count));
  return sql;
}

function has(findings: readonly Found[], level: string, text: RegExp): void {
  assert.ok(
    findings.some((finding) => finding.level === level && text.test(finding.text)),
    `no ${level} ${text} in ${JSON.stringify(findings, null, 1)}`,
  );
}

test('a schema of this version is ok, an older one and a newer one that it works with are warnings, others are problems', async (t) => {
  const newest = (await readMigrations()).length;
  const sql = await madeDatabase(t, 'schemas', newest - 1);
  has(await checkDatabase(sql, 1, false), 'warning', new RegExp(`older \\(migration ${newest - 1}\\).*to ${newest}`));
  await migrate(sql, await readMigrations());
  has(await checkDatabase(sql, 1, false), 'ok', new RegExp(`up to date \\(migration ${newest}\\)`));
  await sql`insert into migration (number, name, works_since) values (${newest + 1}, 'tomorrow', ${newest})`;
  has(
    await checkDatabase(sql, 1, false),
    'warning',
    new RegExp(`newer \\(migration ${newest + 1}\\) than this version \\(${newest}\\), which works with it`),
  );
  await sql`update migration set name = 'of-another-program' where number = 2`;
  has(await checkDatabase(sql, 1, false), 'problem', /Migration 2 of the database is "of-another-program"/);
  await sql`update migration set works_since = null where number = ${newest + 1}`;
  has(
    await checkDatabase(sql, 1, false),
    'problem',
    new RegExp(`at migration ${newest + 1}, but this version .* knows only ${newest}`),
  );
});

test('the doctor says whether the nodes of a cluster can be upgraded one by one', () => {
  const migration = (number: number, worksSince: number) => ({
    number,
    name: `no${number}`,
    worksSince,
    statements: '',
  });
  const expanding = [migration(1, 1), migration(2, 1), migration(3, 2)];
  const contracting = [...expanding, migration(4, 4)];
  const next = (applied: number, known: typeof expanding) => {
    const { text, next } = schemaFinding(known.slice(0, applied), known);
    return `${text} -> ${next}`;
  };
  assert.match(next(2, expanding), /upgrades it to 3, .*; versions since migration 2 work with it -> .* one by one/);
  assert.match(next(1, expanding), /upgrades it to 3, which cannot be undone -> .* stop all nodes before/);
  assert.match(next(3, contracting), /upgrades it to 4, which cannot be undone -> .* stop all nodes before/);
});

test('a journal of the delivery log that is not folded is a warning, a young one is ok', async (t) => {
  const sql = await madeDatabase(t, 'journals', (await readMigrations()).length);
  const add = (minutes: number) => sql`
    insert into log_journal (writer, attempts, webhook_nos, data, written_at)
    values ('shard', 40, '{}', '', now() - make_interval(mins => ${minutes}))`;
  await add(0);
  has(await checkDatabase(sql, 1, true), 'ok', /the journal of the delivery log holds 40 attempts of 1 commits/);
  await add(2);
  has(
    await checkDatabase(sql, 1, true),
    'warning',
    /holds 80 attempts of 2 commits, the oldest 12\d s old: folding is behind/,
  );
});

test('unsafe server settings, too few connections and a forgotten replication slot are found', async (t) => {
  const sql = await madeDatabase(t, 'servers', 0, "encoding 'SQL_ASCII' locale 'C' template template0");
  const findings = await checkDatabase(sql, 100, false);
  has(findings, 'problem', /fsync is off/);
  has(findings, 'problem', /encoding is SQL_ASCII/);
  has(findings, 'problem', /up to 217 \(17 \+ 2 for each shard\)/);
  has(findings, 'ok', /^a commit takes|it is empty/);
  await sql`select pg_create_physical_replication_slot('forgotten')`;
  t.after(() => server`select pg_drop_replication_slot('forgotten')`);
  has(await checkDatabase(sql, 1, false), 'warning', /replication slot forgotten is inactive/);
});

test('a read-only database is found', async (t) => {
  await madeDatabase(t, 'reading', 0);
  await server`alter database reading set default_transaction_read_only to on`;
  const sql = connect({ ...connection, database: 'reading' }, { max: 1, name: 'test', clock: systemClock });
  t.after(() => sql.end());
  has(await checkDatabase(sql, 1, false), 'problem', /it is read-only/);
});

test("a clock that differs from the database's clock is found", async () => {
  has([await checkClockOfDatabase(server)], 'ok', /agrees/);
  has([await checkClockOfDatabase(server, () => Date.now() - 5_000)], 'warning', /5\.0 s ahead/);
  has([await checkClockOfDatabase(server, () => Date.now() + 120_000)], 'problem', /120\.0 s behind/);
});

test('an unreachable DATABASE_URL is reported without its password, and a reachable one is checked', async () => {
  const nowhere = 'postgres://someone:hunter2secret@127.0.0.1:9/nothing';
  const refused = await admin(temporaryDataDir(), ['doctor', '--json'], { env: { PORT: '0', DATABASE_URL: nowhere } });
  assert.equal(refused.code, 1);
  has(JSON.parse(refused.out).findings, 'problem', /^DATABASE_URL: cannot reach 127\.0\.0\.1:9/);
  assert.doesNotMatch(refused.out, /hunter2secret/);
  const url = `postgres://${connection.user}@localhost/${connection.database}?host=${connection.host}`;
  const reached = await admin(temporaryDataDir(), ['doctor', '--json'], { env: { PORT: '0', DATABASE_URL: url } });
  has(JSON.parse(reached.out).findings, 'ok', /^PostgreSQL \d+/);
});
