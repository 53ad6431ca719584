// Commands for what a service has, where there is none: DATA_DIR or DATABASE_URL names another place than it should.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runAdminCommand } from '#test/support/admin-command.ts';
import { temporaryDataDir, withDatabase } from '#test/support/database.ts';

const folder = temporaryDataDir();
const COMMANDS: readonly (readonly string[])[] = [
  ['account', 'plan', 'ada@example.com', 'custom'],
  ['session', 'list'],
  ['recording', 'delete', '2026-no-race'],
  ['run', 'list'],
  ['run', 'stop', `run_${'0'.repeat(26)}`],
  ['cluster', 'status'],
  ['secret-key', 'rotate'],
  ['backup', join(folder, 'backup')],
];

for (const args of COMMANDS) {
  const words = args[0] === 'backup' ? 'backup' : `${args[0]} ${args[1]}`;

  test(`${words} makes nothing in a mistyped DATA_DIR, and says that there is no database`, async () => {
    const mistyped = join(folder, `${words}-mistyped`);
    const other = join(folder, `${words}-other`);
    mkdirSync(other);
    for (const dataDir of [mistyped, other]) {
      const { code, out, err } = await runAdminCommand(dataDir, args);
      assert.deepEqual([code, out], [1, '']);
      assert.match(err, new RegExp(`^DATA_DIR: there is no database in ${dataDir}: .*\n$`));
    }
    assert.deepEqual([existsSync(mistyped), readdirSync(other)], [false, []]);
  });
}

test('a command makes no tables in a database that no service has used, and no folder beside one that is used', async () => {
  const { database, sql } = await withDatabase({ after });
  await sql`create database mistyped`;
  const host = encodeURIComponent(database.connection.host);
  const DATABASE_URL = `postgres://slipstream@localhost/mistyped?host=${host}`;
  for (const args of COMMANDS.filter(([group]) => group !== 'backup')) {
    const { code, out, err } = await runAdminCommand(folder, args, { env: { DATABASE_URL } });
    assert.deepEqual([code, out], [1, ''], args.join(' '));
    assert.match(err, /^DATABASE_URL: no service has used database mistyped at .*\n$/);
  }
  const made = await runAdminCommand(folder, ['account', 'create', '--email', 'ada@example.com', '--plan', 'free'], {
    env: { DATABASE_URL },
  });
  assert.equal(made.code, 0, made.err);
  const listed = await runAdminCommand(folder, ['session', 'list'], { env: { DATABASE_URL } });
  assert.deepEqual(listed, { code: 0, out: '[]\n', err: '' });

  const mistyped = join(folder, 'mistyped-beside-a-database');
  for (const args of COMMANDS.filter(([group]) => group !== 'backup')) {
    const { err } = await runAdminCommand(mistyped, args, { env: { DATABASE_URL } });
    assert.equal(existsSync(mistyped), false, args.join(' '));
    if (args[0] === 'secret-key') assert.match(err, /^DATA_DIR: there is no key at .*secret\.key: .*\n$/);
  }
});
