import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '#engine/base/clock.ts';
import {
  dropPartitions,
  ensurePartitions,
  PARTITION_DAYS,
  partitionName,
  settleStrays,
} from '#engine/storage/partitions.ts';
import { withDatabase } from '#test/support/database.ts';

const DAY_MS = 86_400_000;

// The clock's own days are far from those of the tests.
const { sql } = await withDatabase({ after }, { clock: { ...systemClock, wallMs: () => Date.UTC(2030, 0, 1) } });

function insertAt(ms: number) {
  return sql`
    insert into delivery_attempt (webhook_no, mode, feed, sequence, attempt, latency_ms, created_at)
    values (1, 'test', 1, 1, 1, 1, to_timestamp(${ms}::float8 / 1000))`;
}

async function rowsBetween(fromMs: number, toMs: number): Promise<{ place: string; logNo: bigint }[]> {
  const rows = await sql<{ place: string; logNo: bigint }[]>`
    select tableoid::regclass::text as place, log_no as "logNo" from delivery_attempt
    where created_at >= to_timestamp(${fromMs}::float8 / 1000) and created_at < to_timestamp(${toMs}::float8 / 1000)
    order by log_no`;
  return rows.map((row) => ({ ...row }));
}

test('today and the three days after it have partitions when the database is opened', async () => {
  const first = Date.UTC(2030, 0, 1);
  assert.equal(PARTITION_DAYS, 4);
  assert.deepEqual(await ensurePartitions(sql, first, PARTITION_DAYS), []);
  await insertAt(first + 4 * DAY_MS - 1);
  const [row] = await rowsBetween(first, first + 4 * DAY_MS);
  assert.equal(row!.place, 'delivery_attempt_20300104');
});

test('days begin and end at midnight UTC, also over a leap day and a new year', async () => {
  for (const [year, month, day] of [
    [2028, 1, 28],
    [2026, 11, 31],
  ] as const) {
    const startMs = Date.UTC(year, month, day);
    await ensurePartitions(sql, startMs + DAY_MS - 1, 2);
    await insertAt(startMs);
    await insertAt(startMs + DAY_MS - 1);
    await insertAt(startMs + DAY_MS);
    const places = (await rowsBetween(startMs, startMs + 2 * DAY_MS)).map(({ place }) => place);
    const [first, second] = [partitionName(startMs), partitionName(startMs + DAY_MS)];
    assert.deepEqual(places, [first, first, second]);
  }
});

test('only the days that are missing are made', async () => {
  const startMs = Date.UTC(2027, 5, 1);
  assert.deepEqual(await ensurePartitions(sql, startMs, 2), ['delivery_attempt_20270601', 'delivery_attempt_20270602']);
  assert.deepEqual(await ensurePartitions(sql, startMs + DAY_MS, 2), ['delivery_attempt_20270603']);
  assert.deepEqual(await ensurePartitions(sql, startMs, 3), []);
});

test('concurrent calls make each day once', async () => {
  const startMs = Date.UTC(2027, 6, 1);
  const made = await Promise.all(Array.from({ length: 6 }, () => ensurePartitions(sql, startMs, 3)));
  assert.equal(made.flat().length, 3);
});

test('an attempt of a day without partition is kept, and moves when the day is made, with its number', async () => {
  const startMs = Date.UTC(2027, 7, 1);
  await insertAt(startMs + 5);
  await insertAt(startMs + DAY_MS + 5);
  const before = await rowsBetween(startMs, startMs + 2 * DAY_MS);
  assert.deepEqual(
    before.map(({ place }) => place),
    ['delivery_attempt_default', 'delivery_attempt_default'],
  );
  await ensurePartitions(sql, startMs, 1);
  assert.deepEqual(await rowsBetween(startMs, startMs + 2 * DAY_MS), [
    { place: 'delivery_attempt_20270801', logNo: before[0]!.logNo },
    { place: 'delivery_attempt_default', logNo: before[1]!.logNo },
  ]);
});

test('a day is made while attempts are written and read', async () => {
  const startMs = Date.UTC(2027, 8, 1);
  const writes = Array.from({ length: 60 }, (_, i) => insertAt(startMs + (i % 3) * DAY_MS + i));
  await Promise.all([...writes, ensurePartitions(sql, startMs, 3), rowsBetween(startMs, startMs + 3 * DAY_MS)]);
  assert.equal((await rowsBetween(startMs, startMs + 3 * DAY_MS)).length, 60);
});

test('attempts in the default partition get their days, the oldest first, a bounded number at a time', async () => {
  const days = [Date.UTC(2025, 1, 28), Date.UTC(2025, 2, 1), Date.UTC(2025, 5, 30)];
  await settleStrays(sql, 1_000);
  for (const startMs of days) {
    await insertAt(startMs);
    await insertAt(startMs + DAY_MS - 1);
  }
  assert.deepEqual(await settleStrays(sql, 2), ['delivery_attempt_20250228', 'delivery_attempt_20250301']);
  assert.deepEqual(await settleStrays(sql, 2), ['delivery_attempt_20250630']);
  assert.deepEqual(await settleStrays(sql, 2), []);
  const rows = await rowsBetween(days[0]!, days[2]! + DAY_MS);
  assert.deepEqual(
    rows.map(({ place }) => place),
    days.flatMap((startMs) => [partitionName(startMs), partitionName(startMs)]),
  );
});

test('a day is dropped with all its attempts once it has ended, not a millisecond earlier', async () => {
  const startMs = Date.UTC(2024, 3, 1);
  await ensurePartitions(sql, startMs, 3);
  await insertAt(startMs);
  await insertAt(startMs + DAY_MS);
  await insertAt(startMs + 2 * DAY_MS);
  assert.deepEqual(await dropPartitions(sql, startMs + 2 * DAY_MS - 1, 99), ['delivery_attempt_20240401']);
  assert.deepEqual(await dropPartitions(sql, startMs + 2 * DAY_MS, 99), ['delivery_attempt_20240402']);
  assert.deepEqual(await dropPartitions(sql, startMs + 2 * DAY_MS, 99), []);
  assert.deepEqual(
    (await rowsBetween(startMs, startMs + 3 * DAY_MS)).map(({ place }) => place),
    ['delivery_attempt_20240403'],
  );
});

test('days dropped by several processes at the same moment are gone, and no call fails', async () => {
  const startMs = Date.UTC(2024, 7, 1);
  for (let round = 0; round < 40; round++) {
    await ensurePartitions(sql, startMs, 3);
    await Promise.all(Array.from({ length: 4 }, () => dropPartitions(sql, startMs + 3 * DAY_MS, 99)));
  }
  assert.deepEqual(await rowsBetween(startMs, startMs + 3 * DAY_MS), []);
});

test('days are dropped while attempts are written, also by several processes at once', async () => {
  const startMs = Date.UTC(2024, 6, 1);
  await ensurePartitions(sql, startMs, 3);
  const writes = Array.from({ length: 60 }, (_, i) => insertAt(startMs + 2 * DAY_MS + i));
  await Promise.all([...writes, ...Array.from({ length: 4 }, () => dropPartitions(sql, startMs + 2 * DAY_MS, 99))]);
  assert.equal((await rowsBetween(startMs, startMs + 3 * DAY_MS)).length, 60);
});

test('while a long reader holds the log, no day is dropped and writers wait briefly at most', async () => {
  const startMs = Date.UTC(2024, 8, 1);
  await dropPartitions(sql, startMs, 99);
  await ensurePartitions(sql, startMs, 1);
  await sql.begin(async (reader) => {
    await reader`select count(*) from delivery_attempt`;
    await Promise.all([assert.rejects(dropPartitions(sql, startMs + DAY_MS, 99), /lock timeout/), insertAt(startMs)]);
  });
  assert.deepEqual(await dropPartitions(sql, startMs + DAY_MS, 99), ['delivery_attempt_20240901']);
});

test('every partition has the index that the log is read by', async () => {
  const [row] = await sql<{ bare: number }[]>`
    select count(*)::int as bare from pg_inherits
    where inhparent = 'delivery_attempt'::regclass
      and not exists (select from pg_index where indrelid = inhrelid and indisvalid)`;
  assert.equal(row!.bare, 0);
});
