// Upgrades a database of the first version, with data in it, to the current version.

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { systemClock } from '#engine/base/clock.ts';
import { newId } from '#engine/base/ids.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { reachDatabase } from '#engine/storage/database.ts';
import { appliedMigrations, migrate, readMigrations } from '#engine/storage/migrations.ts';
import { ensurePartitions, OLD_ATTEMPTS } from '#engine/storage/partitions.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { runAdminCommand } from '#test/support/admin-command.ts';
import { silentLog, temporaryDataDir } from '#test/support/database.ts';
import { ApiClient, startService } from '#test/support/service-process.ts';
import { startWebhookReceiver } from '#test/support/webhook-receiver.ts';

const SECRET_KEY = 'the key since the first version';
const THEN_MS = Date.UTC(2025, 4, 4);
const ACCOUNT = newId('acc', THEN_MS, systemRandomBytes);
const CLIENT = newId('cli', THEN_MS, systemRandomBytes);
const WEBHOOK = newId('wh', THEN_MS, systemRandomBytes);
const RUN = newId('run', THEN_MS, systemRandomBytes);
const WEBHOOK_SECRET = 'whsec_c2lnbnMgc2luY2UgdGhlIGZpcnN0IHZlcnNpb24h';
const LOGGED = 3;

async function withBuiltIn<Result>(dataDir: string, use: (sql: Sql) => Promise<Result>): Promise<Result> {
  const options = { databaseUrl: null, dataDir, log: silentLog, durability: 'none' } as const;
  const database = await reachDatabase({
    ...options,
    role: 'service',
    clock: systemClock,
    randomBytes: systemRandomBytes,
  });
  try {
    return await use(database.connect(1));
  } finally {
    await database.close();
  }
}

/** Inserts data in the schema of the first version, for one account that has used every function. */
async function fillFirstVersion(sql: Sql, webhookUrl: string): Promise<void> {
  const box = new SecretBox(SECRET_KEY, systemRandomBytes);
  await sql`
    insert into account (account_id, email, plan, client_id, client_secret_sealed, verified_at)
    values (${ACCOUNT}, 'ada@example.org', 'custom', ${CLIENT}, ${box.seal('secret-of-ada')}, now())`;
  await sql`
    insert into access_token (token_hash, account_id, expires_at)
    values (${createHash('sha256').update(randomBytes(32)).digest()}, ${ACCOUNT}, now() + interval '1 hour')`;
  await sql`
    insert into webhook (webhook_id, account_id, url, method, series_id, secret_sealed)
    values (${WEBHOOK}, ${ACCOUNT}, ${webhookUrl}, 'post', 'f1', ${box.seal(WEBHOOK_SECRET)})`;
  await sql`insert into subscription (webhook_id, feed_id, place) values (${WEBHOOK}, 'session.status', 0)`;
  await sql`
    insert into session (session_id, series_id, name, type, circuit_name, season, start_at, duration_ms, frame_count,
      update_count, feeds)
    values ('2025-old-race', 'f1', 'Old Grand Prix', 'Race', 'Oldtown', 2025, '2025-05-04', 60000, 10, 10, '{}')`;
  await sql`insert into simulate_slot (account_id, session_id) values (${ACCOUNT}, '2025-old-race')`;
  await sql`
    insert into run (run_id, account_id, session_id, speed, sinks, state, update_count)
    values (${RUN}, ${ACCOUNT}, '2025-old-race', 10, 'webhook', 'running', 10)`;
  await sql`
    insert into run_endpoint (run_id, webhook_id, next_position, matched, delivered)
    values (${RUN}, ${WEBHOOK}, 3, 3, 3)`;
  await ensurePartitions(sql, OLD_ATTEMPTS, Date.now(), 1);
  await sql`
    insert into delivery_attempt (webhook_no, run_no, mode, feed, sequence, attempt, status_code, latency_ms, created_at)
    select 1, 1, 'replay', 1, n, 1, 200, 5, now() from generate_series(1, ${LOGGED}) as n`;
  await sql`
    insert into usage (account_id, month, feed_id, attempts, succeeded)
    values (${ACCOUNT}, date_trunc('month', now() at time zone 'utc'), 'session.status', ${LOGGED}, ${LOGGED})`;
  await sql`insert into record_writer (writer, batch_no) values ('shard-0-of-then', 7)`;
}

test('a database of the first version keeps all its data through every migration', async () => {
  const dataDir = temporaryDataDir();
  const receiver = await startWebhookReceiver();
  after(() => receiver.close());
  const migrations = await readMigrations();
  await withBuiltIn(dataDir, async (sql) => {
    await migrate(sql, migrations.slice(0, 1));
    await fillFirstVersion(sql, receiver.url);
  });

  const service = await startService(dataDir, { SECRET_KEY });
  after(() => service.end('SIGKILL'));
  const api = await ApiClient.open(service.address, { clientId: CLIENT, clientSecret: 'secret-of-ada' });
  const listed = await api.call('GET', '/webhooks');
  assert.equal(listed.status, 200, JSON.stringify(listed.body));
  const { data } = listed.body;
  assert.deepEqual(
    data.endpoints.map((webhook: { webhookId: string; webhookUrl: string }) => [webhook.webhookId, webhook.webhookUrl]),
    [[WEBHOOK, receiver.url]],
  );
  const logs = await api.call('GET', `/webhooks/${WEBHOOK}/logs`);
  assert.equal(logs.body.data.logs.length, LOGGED);
  assert.equal((await api.call('GET', '/usage')).body.data.deliveryCount, LOGGED, 'I10');
  // The recording of the run is missing, so the run is stopped and does not block the next one.
  const run = await api.until(`/simulate/runs/${RUN}`, (body) => body.data.state !== 'running');
  assert.deepEqual([run.data.state, run.data.endpoints[0].delivered], ['stopped', 3]);
  await api.call('POST', '/simulate/prepare', { sessionId: 'demo-race' });
  await api.until('/simulate/status?session=demo-race', (body) => body.data.status === 'ready');
  await api.call('GET', '/simulate/stream?session=demo-race&speed=10&sinks=webhook');
  await api.until('/usage', (body) => body.data.deliveryCount > LOGGED);
  assert.ok(receiver.received.length > 0);
  assert.equal(receiver.wronglySigned(WEBHOOK_SECRET), 0, 'I6: signed with the secret from the first version');
  assert.equal(await service.end('SIGTERM'), 0);
  const applied = await withBuiltIn(dataDir, (sql) => appliedMigrations(sql));
  assert.deepEqual(
    applied,
    migrations.map(({ number, name, worksSince }) => ({ number, name, worksSince })),
  );
});

test('a service and its commands refuse a database that a newer version has used, and name both versions', async () => {
  const dataDir = temporaryDataDir();
  const newest = (await readMigrations()).length;
  await withBuiltIn(dataDir, async (sql) => {
    await migrate(sql, await readMigrations());
    await sql`insert into migration (number, name) values (${newest + 1}, 'tomorrow')`;
  });
  const refusal = new RegExp(`at migration ${newest + 1}, but this version of the service knows only ${newest}`);
  await assert.rejects(startService(dataDir), refusal);
  for (const args of [
    ['session', 'list'],
    ['backup', `${dataDir}-backup`],
  ]) {
    const { code, err } = await runAdminCommand(dataDir, args);
    assert.equal(code, 1);
    assert.match(err, refusal);
  }
  const doctor = await runAdminCommand(dataDir, ['doctor'], { env: { PORT: '0' } });
  assert.equal(doctor.code, 1);
  assert.match(doctor.out, refusal);
});
