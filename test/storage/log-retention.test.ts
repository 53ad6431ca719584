import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '#engine/base/clock.ts';
import { DAYS_DROPPED_MAX, DELETED_LOG_DAYS } from '#engine/base/limits.ts';
import { expireLog } from '#engine/storage/log-retention.ts';
import { ensurePartitions } from '#engine/storage/partitions.ts';
import { withDatabase } from '#test/support/database.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2030, 5, 15, 12);
const RETENTION_DAYS = 30;
const clock = { ...systemClock, wallMs: () => NOW_MS };

const { sql } = await withDatabase({ after }, { clock });

async function attemptAt(ms: number): Promise<void> {
  await sql`
    insert into delivery_attempt (webhook_no, mode, feed, sequence, attempt, latency_ms, created_at)
    values (1, 'test', 1, 1, 1, 1, ${new Date(ms)})`;
}

test('a day is dropped once no endpoint can show it any more, and so is a stray attempt', async () => {
  const oldestKeptMs = NOW_MS - (RETENTION_DAYS + DELETED_LOG_DAYS) * DAY_MS;
  await ensurePartitions(sql, oldestKeptMs - DAY_MS, 1);
  await attemptAt(oldestKeptMs - DAY_MS);
  await attemptAt(oldestKeptMs);
  await attemptAt(Date.UTC(2029, 0, 1));
  await ensurePartitions(sql, NOW_MS, 1);
  await attemptAt(NOW_MS);
  const dropped = await expireLog(sql, NOW_MS, RETENTION_DAYS);
  assert.deepEqual(dropped, ['delivery_attempt_20290101', 'delivery_attempt_20300214']);
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

test('LR2: one pass drops a bounded number of days, the oldest first', async () => {
  const firstMs = Date.UTC(2027, 0, 1);
  await ensurePartitions(sql, firstMs, DAYS_DROPPED_MAX + 1);
  const dropped = await expireLog(sql, NOW_MS, RETENTION_DAYS);
  assert.deepEqual([dropped.length, dropped[0]], [DAYS_DROPPED_MAX, 'delivery_attempt_20270101']);
  assert.equal((await expireLog(sql, NOW_MS, RETENTION_DAYS)).length, 1);
});
