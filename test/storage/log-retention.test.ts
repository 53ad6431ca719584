import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '#engine/base/clock.ts';
import { DAYS_DROPPED_MAX, DELETED_LOG_DAYS } from '#engine/base/limits.ts';
import { expireLog } from '#engine/storage/log-retention.ts';
import { ensurePartitions, LOG_PAGES } from '#engine/storage/partitions.ts';
import { insertBareLogPage } from '#test/support/bare-log-page.ts';
import { withDatabase } from '#test/support/database.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2030, 5, 15, 12);
const RETENTION_DAYS = 30;
const clock = { ...systemClock, wallMs: () => NOW_MS };

const { sql } = await withDatabase({ after }, { clock });

test('a day is dropped once no endpoint can show it any more, and so is a stray page', async () => {
  const oldestKeptMs = NOW_MS - (RETENTION_DAYS + DELETED_LOG_DAYS) * DAY_MS;
  await ensurePartitions(sql, LOG_PAGES, oldestKeptMs - DAY_MS, 1);
  await insertBareLogPage(sql, oldestKeptMs - DAY_MS);
  await insertBareLogPage(sql, oldestKeptMs);
  await insertBareLogPage(sql, Date.UTC(2029, 0, 1));
  await ensurePartitions(sql, LOG_PAGES, NOW_MS, 1);
  await insertBareLogPage(sql, NOW_MS);
  const dropped = await expireLog(sql, NOW_MS, RETENTION_DAYS);
  assert.deepEqual(dropped, ['log_page_20290101', 'log_page_20300214']);
  const left = await sql<{ createdAt: Date; place: string }[]>`
    select first_at as "createdAt", tableoid::regclass::text as place from log_page order by first_at`;
  assert.deepEqual(
    left.map((row) => ({ ...row })),
    [
      { createdAt: new Date(oldestKeptMs), place: 'log_page_20300215' },
      { createdAt: new Date(NOW_MS), place: 'log_page_20300615' },
    ],
  );
});

test('LR2: one pass drops a bounded number of days, the oldest first', async () => {
  const firstMs = Date.UTC(2027, 0, 1);
  await ensurePartitions(sql, LOG_PAGES, firstMs, DAYS_DROPPED_MAX + 1);
  const dropped = await expireLog(sql, NOW_MS, RETENTION_DAYS);
  assert.deepEqual([dropped.length, dropped[0]], [DAYS_DROPPED_MAX, 'log_page_20270101']);
  assert.equal((await expireLog(sql, NOW_MS, RETENTION_DAYS)).length, 1);
});

test('days of the rows that versions before the journal have left are dropped alike', async () => {
  const at = new Date(Date.UTC(2028, 0, 1));
  await sql`
    insert into delivery_attempt (webhook_no, mode, feed, sequence, attempt, latency_ms, created_at)
    values (1, 'test', 1, 1, 1, 1, ${at})`;
  assert.deepEqual(await expireLog(sql, NOW_MS, RETENTION_DAYS), ['delivery_attempt_20280101']);
});
