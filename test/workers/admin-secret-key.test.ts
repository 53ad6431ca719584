// Rotation of the key for secrets at rest: on a running service, across kills, and with keys in settings.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { setImmediate as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createAccount } from '#api/accounts/account-creation.ts';
import { systemClock } from '#engine/base/clock.ts';
import { RESEAL_BATCH_ROWS } from '#engine/base/limits.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import {
  requireKeys,
  reseal,
  retirePrevious,
  SEALED_COLUMNS,
} from '#engine/storage/secrets/postgres-sealed-secrets.ts';
import { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { givenKeys, keyFileOf, loadSecretKey } from '#engine/storage/secrets/secret-keys.ts';
import { runAdminCommand } from '#test/support/admin-command.ts';
import { openTestDatabase, silentLog, temporaryDataDir, withDatabase } from '#test/support/database.ts';
import { ApiClient, startService } from '#test/support/service-process.ts';

const ADMIN = fileURLToPath(new URL('../../workers/admin.ts', import.meta.url));
const OLD = 'the key of yesterday, long enough';
const NEW = 'the key of today, which is longer';
const ROWS = 3 * RESEAL_BATCH_ROWS;

const linesOf = (dataDir: string): string[] => readFileSync(keyFileOf(dataDir), 'utf8').trim().split('\n');

/** Inserts accounts with webhooks. Each secret contains the number of its owner. */
async function fill(sql: Sql, box: SecretBox, count: number): Promise<void> {
  const places = Array.from({ length: count }, (_, place) => String(place));
  const sealed = (what: string) => places.map((place) => box.seal(`${what} ${place}`).toString('hex'));
  await sql`
    insert into account (account_id, email, plan, client_id, client_secret_sealed)
    select 'acc_' || place, place || '@example.com', 'free', 'cli_' || place, decode(secret, 'hex')
    from unnest(${places}::text[], ${sealed('client')}::text[]) as row (place, secret)`;
  await sql`
    insert into webhook (webhook_id, account_id, url, method, series_id, secret_sealed, previous_secret_sealed, headers_sealed)
    select 'wh_' || place, 'acc_' || place, 'https://example.com', 'post', 'f1', decode(secret, 'hex'), decode(before, 'hex'),
      decode(headers, 'hex')
    from unnest(
      ${places}::text[], ${sealed('signing')}::text[], ${sealed('before')}::text[], ${sealed('headers')}::text[]
    ) as row (place, secret, before, headers)`;
}

/** Opens every secret. Returns how many are sealed under each of the box's keys. */
async function opened(sql: Sql, box: SecretBox): Promise<number[]> {
  const counts = box.keyIds.map(() => 0);
  for (const { table, id, column } of SEALED_COLUMNS) {
    const rows = await sql`select ${sql(id)} as id, ${sql(column)} as sealed from ${sql(table)}`;
    for (const row of rows.filter(({ sealed }) => sealed !== null)) {
      assert.equal(box.open(row.sealed).split(' ')[1], row.id.split('_')[1]);
      counts[box.keyIds.findIndex((keyId) => keyId.equals(row.sealed.subarray(1, 5)))]!++;
    }
  }
  return counts;
}

test('a rotation covers every column of the database that holds sealed secrets', async (t) => {
  const { sql } = await withDatabase(t);
  const columns = await sql`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public' and data_type = 'bytea' and column_name like '%sealed%' order by 1`;
  assert.deepEqual(
    columns.map(({ name }) => name),
    SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`).sort(),
  );
  const other = await sql`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public' and data_type = 'bytea' and column_name not like '%sealed%'
      and table_name not like 'log_page_%' order by 1`;
  assert.deepEqual(
    other.map(({ name }) => name),
    [
      'access_token.sign_in_hash',
      'access_token.token_hash',
      'cluster_node.key_print',
      'email_verification.token_hash',
      'known_network.network_hash',
      'late_checkpoints.data',
      'live_frames.data',
      'live_frames.digest',
      'log_journal.data',
      'log_page.data',
      'recording.sha256',
      'recording_piece.data',
      'retired_secret_key.key_id',
      'sign_in.token_hash',
    ],
  );
});

test('a secret that is replaced during a rotation stays replaced, and a retired key can no longer seal', async (t) => {
  const { sql } = await withDatabase(t);
  const old = new SecretBox(OLD, systemRandomBytes);
  const box = new SecretBox(givenKeys([NEW, OLD]), systemRandomBytes);
  await fill(sql, old, 20);
  await requireKeys(sql, box);
  // Another process seals a secret under the old key after the rotation has read the secret.
  let first: Promise<number>;
  await sql.begin(async (transaction) => {
    await transaction`update webhook set secret_sealed = ${old.seal('again 7')} where webhook_id = 'wh_7'`;
    first = reseal(sql, box, () => {});
    while ((await sql`select from pg_locks where not granted`).length === 0) {}
  });
  assert.equal(await first!, 79);
  await sql`update account set client_secret_sealed = ${old.seal('again 8')} where account_id = 'acc_8'`;
  assert.equal(await retirePrevious(sql, box), false, 'a secret is still sealed under it');
  await reseal(sql, box, () => {});
  assert.equal(await retirePrevious(sql, box), true);
  assert.deepEqual(await opened(sql, new SecretBox(NEW, systemRandomBytes)), [80]);
  const [row] = await sql`select secret_sealed as sealed from webhook where webhook_id = 'wh_7'`;
  assert.equal(box.open(row!.sealed), 'again 7');
  for (const { table, column } of SEALED_COLUMNS) {
    const late = sql`update ${sql(table)} set ${sql(column)} = ${old.seal('late')}`;
    await assert.rejects(late, { code: 'SK001' }, column);
  }
  const order = { email: 'late@example.com', plan: 'free' } as const;
  await assert.rejects(createAccount(order, { sql, secretBox: old, clock: systemClock }), { code: 'SK001' });
  await assert.rejects(requireKeys(sql, old), /this key was retired on \d{4}-\d\d-\d\d\. Start with the key/);
  await assert.rejects(
    requireKeys(sql, new SecretBox('some other key altogether', systemRandomBytes)),
    /80 of the secrets.*another key/,
  );
});

test('killed at any point and run again, a rotation loses nothing and ends with one key', {
  timeout: 60_000,
}, async (t) => {
  const dataDir = temporaryDataDir('database');
  const database = await openTestDatabase(dataDir);
  t.after(() => database.close());
  const sql = database.connect(2);
  const keys = await loadSecretKey(dataDir, null, systemRandomBytes, silentLog);
  await fill(sql, new SecretBox(keys, systemRandomBytes), ROWS);
  const [original] = keys.texts();

  const killedWhen = async (reached: () => Promise<boolean>): Promise<void> => {
    const child = spawn(process.execPath, [ADMIN, 'secret-key', 'rotate'], {
      env: { PATH: process.env.PATH, DATA_DIR: dataDir },
      stdio: 'ignore',
    });
    const ended = new Promise((resolve) => child.on('exit', resolve));
    while (child.exitCode === null && !(await reached())) await pause();
    child.kill('SIGKILL');
    await ended;
  };
  const underFirst = async () =>
    (
      await opened(
        sql,
        new SecretBox(await loadSecretKey(dataDir, null, systemRandomBytes, silentLog), systemRandomBytes),
      )
    )[0]!;
  await killedWhen(async () => linesOf(dataDir).length === 2);
  assert.equal(linesOf(dataDir)[1], original);
  const between = linesOf(dataDir)[0];
  await killedWhen(async () => (await underFirst()) > RESEAL_BATCH_ROWS);
  assert.deepEqual(linesOf(dataDir).slice(0, 1), [between], 'the second run continues with the key of the first');

  const { code, out } = await runAdminCommand(dataDir, ['secret-key', 'rotate']);
  assert.equal(code, 0);
  assert.equal(JSON.parse(out).retired, 1);
  assert.equal(linesOf(dataDir).length, 1);
  assert.notEqual(linesOf(dataDir)[0], original);
  assert.equal(statSync(keyFileOf(dataDir)).mode & 0o777, 0o600);
  assert.deepEqual(await opened(sql, new SecretBox(linesOf(dataDir)[0]!, systemRandomBytes)), [4 * ROWS]);
});

test('a running service switches to the new key by itself, and no request fails', {
  timeout: 60_000,
}, async () => {
  const dataDir = temporaryDataDir('service');
  const service = await startService(dataDir, { SHARDS: '1', LOG_LEVEL: 'warn' });
  try {
    const created = await runAdminCommand(dataDir, [
      'account',
      'create',
      '--email',
      'a@example.com',
      '--plan',
      'custom',
    ]);
    const account = JSON.parse(created.out);
    const client = await ApiClient.open(service.address, account);
    const secrets = new Map<string, string>();
    const make = async () => {
      const { status, body } = await client.call('POST', '/webhooks', {
        webhookUrl: 'http://localhost:9/hook',
        feedId: 'session.status',
      });
      assert.equal(status, 201);
      secrets.set(body.data.webhookId, body.data.webhookSecret);
    };
    for (let i = 0; i < 10; i++) await make();
    let rotating = true;
    const busy = (async () => {
      while (rotating) {
        await make();
        const grant = {
          grant_type: 'client_credentials',
          client_id: account.clientId,
          client_secret: account.clientSecret,
        };
        const token = await client.call('POST', '/oauth', grant);
        assert.equal(token.status, 200);
      }
    })();
    for (const round of [1, 2]) {
      const { code, out, err } = await runAdminCommand(dataDir, ['secret-key', 'rotate']);
      assert.deepEqual([code, err], [0, ''], `round ${round}`);
      assert.ok(JSON.parse(out).resealed >= secrets.size / 2);
    }
    rotating = false;
    await busy;
    assert.equal(linesOf(dataDir).length, 1);
    for (const [webhookId, secret] of secrets) {
      const { body } = await client.call('GET', `/webhooks/${webhookId}/secret`);
      assert.equal(body.data.webhookSecret, secret);
    }
    assert.doesNotMatch(service.output(), /"level":(50|60)/);
  } finally {
    await service.end('SIGTERM');
  }
});

test('keys in settings: both are set until all secrets are resealed; a wrong or retired key prevents the start', {
  timeout: 60_000,
}, async () => {
  const dataDir = temporaryDataDir('service');
  const database = await openTestDatabase(dataDir);
  await fill(database.connect(1), new SecretBox(OLD, systemRandomBytes), 3);
  await database.close();
  const rotate = (env: Record<string, string>) => runAdminCommand(dataDir, ['secret-key', 'rotate'], { env });
  const refused = (env: Record<string, string>) =>
    startService(dataDir, env).then(() => assert.fail('the service started'), String);

  const alone = await rotate({ SECRET_KEY: OLD });
  assert.deepEqual([alone.code, alone.out], [1, '']);
  assert.match(alone.err, /^SECRET_KEY_PREVIOUS: is needed/);
  const wrong = await rotate({ SECRET_KEY: NEW, SECRET_KEY_PREVIOUS: 'neither the one nor the other' });
  assert.match(wrong.err, /12 of the secrets in the database were sealed under another key/);
  assert.match(
    await refused({ SECRET_KEY: NEW }),
    /ended with 1: SECRET_KEY: 12 of the secrets.*SECRET_KEY_PREVIOUS to it\.\n$/,
  );
  assert.match(await refused({}), /SECRET_KEY: 12 of the secrets.*Restore DATA_DIR\/secret\.key/);

  const both = { SECRET_KEY: NEW, SECRET_KEY_PREVIOUS: OLD };
  const service = await startService(dataDir, both);
  const rotated = await rotate(both);
  await service.end('SIGTERM');
  assert.deepEqual([rotated.code, rotated.err, JSON.parse(rotated.out)], [0, '', { resealed: 12, retired: 1 }]);
  assert.match(await refused({ SECRET_KEY: OLD }), /SECRET_KEY: this key was retired on/);
  assert.match(await refused({ SECRET_KEY: OLD, SECRET_KEY_PREVIOUS: NEW }), /SECRET_KEY: this key was retired on/);
  await (await startService(dataDir, { SECRET_KEY: NEW })).end('SIGTERM');
  for (const output of [alone, wrong, rotated])
    assert.doesNotMatch(output.err + output.out, /the key of (to|yester)day/);
});
