import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '#engine/base/clock.ts';
import { DAYS_DROPPED_MAX, DELETED_LOG_DAYS, WEBHOOKS_PURGED_MAX } from '#engine/base/limits.ts';
import { expireLog } from '#engine/storage/log-retention.ts';
import { ensurePartitions } from '#engine/storage/partitions.ts';
import { openTestDatabase, temporaryDataDir, withDatabase } from '#test/support/database.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2030, 5, 15, 12);
const RETENTION_DAYS = 30;
const clock = { ...systemClock, wallMs: () => NOW_MS };

const { sql } = await withDatabase({ after }, { clock });

await sql`
  insert into account (account_id, email, plan, client_id, client_secret_sealed)
  values ('acc_1', 'ada@example.com', 'free', 'cli_1', '')`;

async function attemptAt(ms: number): Promise<void> {
  await sql`
    insert into delivery_attempt (webhook_no, mode, feed, sequence, attempt, latency_ms, created_at)
    values (1, 'test', 1, 1, 1, 1, ${new Date(ms)})`;
}

async function webhook(webhookId: string, deletedAtMs: number | null): Promise<void> {
  const deletedAt = deletedAtMs === null ? null : new Date(deletedAtMs);
  await sql`
    insert into webhook (webhook_id, account_id, url, method, series_id, secret_sealed, deleted_at)
    values (${webhookId}, 'acc_1', 'https://example.com', 'post', 'f1', '', ${deletedAt})`;
  await sql`insert into subscription (webhook_id, feed_id, place) values (${webhookId}, 'session.status', 0)`;
}

async function webhookIds(): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`select webhook_id as id from webhook order by 1`;
  return rows.map(({ id }) => id);
}

test('a day is dropped once no endpoint can show it any more, and so is a stray attempt', async () => {
  const oldestKeptMs = NOW_MS - (RETENTION_DAYS + DELETED_LOG_DAYS) * DAY_MS;
  await ensurePartitions(sql, oldestKeptMs - DAY_MS, 1);
  await attemptAt(oldestKeptMs - DAY_MS);
  await attemptAt(oldestKeptMs);
  await attemptAt(Date.UTC(2029, 0, 1));
  await ensurePartitions(sql, NOW_MS, 1);
  await attemptAt(NOW_MS);
  const expired = await expireLog(sql, NOW_MS, RETENTION_DAYS);
  assert.deepEqual(expired, { dropped: ['delivery_attempt_20290101', 'delivery_attempt_20300214'], webhooks: 0 });
  const left = await sql<{ createdAt: Date; place: string }[]>`
    select created_at as "createdAt", tableoid::regclass::text as place from delivery_attempt`;
  assert.deepEqual(
    left.map((row) => ({ ...row })),
    [
      { createdAt: new Date(oldestKeptMs), place: 'delivery_attempt_20300215' },
      { createdAt: new Date(NOW_MS), place: 'delivery_attempt_20300615' },
    ],
  );
});

test('LR1: a clock that is far ahead of the newest attempt drops no more than the day after that attempt would', async () => {
  const shownMs = NOW_MS - (RETENTION_DAYS + DELETED_LOG_DAYS - 3) * DAY_MS;
  await ensurePartitions(sql, shownMs, 1);
  await attemptAt(shownMs);
  await webhook('wh_deleted', NOW_MS - DAY_MS);
  for (let pass = 0; pass < 3; pass++)
    assert.equal((await expireLog(sql, NOW_MS + 200 * DAY_MS, RETENTION_DAYS)).webhooks, 0);
  const left = await sql<{ createdAt: Date }[]>`select created_at as "createdAt" from delivery_attempt order by 1`;
  assert.deepEqual(
    left.map(({ createdAt }) => createdAt.getTime()),
    [shownMs, NOW_MS],
  );
  await sql`delete from webhook where webhook_id = 'wh_deleted'`;
});

test('LR2: one pass drops a bounded number of days, the oldest first', async () => {
  const firstMs = Date.UTC(2027, 0, 1);
  await ensurePartitions(sql, firstMs, DAYS_DROPPED_MAX + 1);
  const { dropped } = await expireLog(sql, NOW_MS, RETENTION_DAYS);
  assert.deepEqual([dropped.length, dropped[0]], [DAYS_DROPPED_MAX, 'delivery_attempt_20270101']);
  assert.equal((await expireLog(sql, NOW_MS, RETENTION_DAYS)).dropped.length, 1);
});

test('endpoints are removed with their subscriptions once the log of a deleted endpoint is no longer shown', async () => {
  const limitMs = NOW_MS - DELETED_LOG_DAYS * DAY_MS;
  await webhook('wh_active', null);
  await webhook('wh_recent', limitMs);
  await webhook('wh_old', limitMs - 1);
  assert.equal((await expireLog(sql, NOW_MS, RETENTION_DAYS)).webhooks, 1);
  assert.deepEqual(await webhookIds(), ['wh_active', 'wh_recent']);
  const [row] = await sql<{ count: number }[]>`select count(*)::int from subscription`;
  assert.equal(row!.count, 2);
});

test('one pass removes a bounded number of endpoints, the earliest deleted first', async () => {
  await sql`
    insert into webhook (webhook_id, account_id, url, method, series_id, secret_sealed, deleted_at)
    select 'wh_' || n, 'acc_1', 'https://example.com', 'post', 'f1', '',
      ${new Date(NOW_MS)}::timestamptz - interval '91 days' - n * interval '1 second'
    from generate_series(1, ${WEBHOOKS_PURGED_MAX + 1}::int) n`;
  assert.equal((await expireLog(sql, NOW_MS, RETENTION_DAYS)).webhooks, WEBHOOKS_PURGED_MAX);
  assert.deepEqual(await webhookIds(), ['wh_1', 'wh_active', 'wh_recent']);
  assert.equal((await expireLog(sql, NOW_MS, RETENTION_DAYS)).webhooks, 1);
});

test('the service drops old deliveries when it opens the database, a command does not', async () => {
  const dataDir = temporaryDataDir();
  const days = async (options: { logRetentionDays?: number; clock?: typeof clock }) => {
    const database = await openTestDatabase(dataDir, options);
    const rows = await database.connect(1)<{ name: string }[]>`
      select inhrelid::regclass::text as name from pg_inherits where inhparent = 'delivery_attempt'::regclass order by 1`;
    await database.close();
    return rows.map(({ name }) => name);
  };
  const old = { ...systemClock, wallMs: () => Date.UTC(2020, 0, 1) };
  const first = 'delivery_attempt_20200101';
  assert.ok((await days({ clock: old, logRetentionDays: RETENTION_DAYS })).includes(first));
  assert.ok((await days({ clock })).includes(first));
  const kept = await days({ clock, logRetentionDays: RETENTION_DAYS });
  assert.deepEqual(kept, [
    'delivery_attempt_20300615',
    'delivery_attempt_20300616',
    'delivery_attempt_20300617',
    'delivery_attempt_20300618',
    'delivery_attempt_default',
  ]);
});
