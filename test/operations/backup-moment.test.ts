// A backup shows the database at one moment, even if rows are written while it is being made.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { newId } from '#engine/base/ids.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { runAdminCommand } from '#test/support/admin-command.ts';
import { temporaryDataDir, withDatabase } from '#test/support/database.ts';

const { sql, dataDir } = await withDatabase({ after });

async function createAccount(transaction: typeof sql, name: string): Promise<void> {
  const accountId = newId('acc', Date.now(), systemRandomBytes);
  await transaction`
    insert into account (account_id, email, plan, client_id, client_secret_sealed, verified_at)
    values (${accountId}, ${`${name}@example.org`}, 'custom', ${newId('cli', Date.now(), systemRandomBytes)}, ${Buffer.alloc(60)}, now())`;
  await transaction`
    insert into usage (account_id, month, feed_id, attempts, succeeded)
    values (${accountId}, date_trunc('month', now() at time zone 'utc'), 'session.status', 1, 1)`;
}

test('I10: rows that are committed during a backup are in none of its tables, not even in those that are copied last', async () => {
  await createAccount(sql, 'before');
  const folder = join(temporaryDataDir(), 'backup');
  let backup: ReturnType<typeof runAdminCommand>;
  await sql.begin(async (transaction) => {
    // The backup waits for this lock. It has already copied the accounts, and not yet the usage.
    await transaction`lock table calendar_event in access exclusive mode`;
    backup = runAdminCommand(dataDir, ['backup', folder]);
    for (let waiting = false; !waiting; ) {
      [{ waiting } = { waiting: false }] = await sql<{ waiting: boolean }[]>`
        select exists(select from pg_locks where relation = 'calendar_event'::regclass and not granted) as waiting`;
    }
    await createAccount(transaction as unknown as typeof sql, 'meanwhile');
  });
  const { code, out, err } = await backup!;
  assert.equal(code, 0, err);
  assert.ok(JSON.parse(out).rows >= 2);
  const rowsOf = (table: string): number =>
    gunzipSync(readFileSync(join(folder, 'tables', `${table}.copy.gz`)))
      .toString()
      .split('\n').length - 1;
  assert.deepEqual([rowsOf('account'), rowsOf('usage')], [1, 1]);
  assert.equal((await sql`select from usage`).length, 2, 'writers are not refused');
});
