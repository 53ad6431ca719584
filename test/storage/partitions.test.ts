import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { systemClock } from '#engine/base/clock.ts';
import {
  type DailyTable,
  dropPartitions,
  ensurePartitions,
  LOG_PAGES,
  OLD_ATTEMPTS,
  PARTITION_DAYS,
  partitionName,
  settleStrays,
} from '#engine/storage/partitions.ts';
import { insertBareLogPage } from '#test/support/bare-log-page.ts';
import { withDatabase } from '#test/support/database.ts';

const DAY_MS = 86_400_000;

// The clock's own days are far from those of the tests.
const { sql } = await withDatabase({ after }, { clock: { ...systemClock, wallMs: () => Date.UTC(2030, 0, 1) } });

function insertAt(table: DailyTable, ms: number): Promise<unknown> {
  if (table === LOG_PAGES) return insertBareLogPage(sql, ms);
  return sql`
    insert into delivery_attempt (webhook_no, mode, feed, sequence, attempt, latency_ms, created_at)
    values (1, 'test', 1, 1, 1, 1, to_timestamp(${ms}::float8 / 1000))`.execute();
}

async function rowsBetween(
  table: DailyTable,
  fromMs: number,
  toMs: number,
): Promise<{ place: string; logNo: bigint }[]> {
  const [number, time] = table === LOG_PAGES ? ['first_log_no', 'first_at'] : ['log_no', 'created_at'];
  const rows = await sql<{ place: string; logNo: bigint }[]>`
    select tableoid::regclass::text as place, ${sql(number!)} as "logNo" from ${sql(table.name)}
    where ${sql(time!)} >= to_timestamp(${fromMs}::float8 / 1000) and ${sql(time!)} < to_timestamp(${toMs}::float8 / 1000)
    order by 2`;
  return rows.map((row) => ({ ...row }));
}

test('today and the three days after it have partitions when the database is opened', async () => {
  const first = Date.UTC(2030, 0, 1);
  assert.equal(PARTITION_DAYS, 4);
  assert.deepEqual(await ensurePartitions(sql, LOG_PAGES, first, PARTITION_DAYS), []);
  await insertAt(LOG_PAGES, first + 4 * DAY_MS - 1);
  const [row] = await rowsBetween(LOG_PAGES, first, first + 4 * DAY_MS);
  assert.equal(row!.place, 'log_page_20300104');
});

for (const table of [LOG_PAGES, OLD_ATTEMPTS]) {
  describe(table.name, () => {
    test('days begin and end at midnight UTC, also over a leap day and a new year', async () => {
      for (const [year, month, day] of [
        [2028, 1, 28],
        [2026, 11, 31],
      ] as const) {
        const startMs = Date.UTC(year, month, day);
        await ensurePartitions(sql, table, startMs + DAY_MS - 1, 2);
        await insertAt(table, startMs);
        await insertAt(table, startMs + DAY_MS - 1);
        await insertAt(table, startMs + DAY_MS);
        const places = (await rowsBetween(table, startMs, startMs + 2 * DAY_MS)).map(({ place }) => place);
        const [first, second] = [partitionName(table, startMs), partitionName(table, startMs + DAY_MS)];
        assert.deepEqual(places, [first, first, second]);
      }
    });

    test('only the days that are missing are made', async () => {
      const startMs = Date.UTC(2027, 5, 1);
      assert.deepEqual(await ensurePartitions(sql, table, startMs, 2), [
        `${table.name}_20270601`,
        `${table.name}_20270602`,
      ]);
      assert.deepEqual(await ensurePartitions(sql, table, startMs + DAY_MS, 2), [`${table.name}_20270603`]);
      assert.deepEqual(await ensurePartitions(sql, table, startMs, 3), []);
    });

    test('concurrent calls make each day once', async () => {
      const startMs = Date.UTC(2027, 6, 1);
      const made = await Promise.all(Array.from({ length: 6 }, () => ensurePartitions(sql, table, startMs, 3)));
      assert.equal(made.flat().length, 3);
    });

    test('an attempt of a day without partition is kept, and moves when the day is made, with its number', async () => {
      const startMs = Date.UTC(2027, 7, 1);
      await insertAt(table, startMs + 5);
      await insertAt(table, startMs + DAY_MS + 5);
      const before = await rowsBetween(table, startMs, startMs + 2 * DAY_MS);
      assert.deepEqual(
        before.map(({ place }) => place),
        [`${table.name}_default`, `${table.name}_default`],
      );
      await ensurePartitions(sql, table, startMs, 1);
      assert.deepEqual(await rowsBetween(table, startMs, startMs + 2 * DAY_MS), [
        { place: `${table.name}_20270801`, logNo: before[0]!.logNo },
        { place: `${table.name}_default`, logNo: before[1]!.logNo },
      ]);
    });

    test('a day is made while attempts are written and read', async () => {
      const startMs = Date.UTC(2027, 8, 1);
      const writes = Array.from({ length: 60 }, (_, i) => insertAt(table, startMs + (i % 3) * DAY_MS + i));
      await Promise.all([
        ...writes,
        ensurePartitions(sql, table, startMs, 3),
        rowsBetween(table, startMs, startMs + 3 * DAY_MS),
      ]);
      assert.equal((await rowsBetween(table, startMs, startMs + 3 * DAY_MS)).length, 60);
    });

    test('attempts in the default partition get their days, the oldest first, a bounded number at a time', async () => {
      const days = [Date.UTC(2025, 1, 28), Date.UTC(2025, 2, 1), Date.UTC(2025, 5, 30)];
      await settleStrays(sql, table, 1_000);
      for (const startMs of days) {
        await insertAt(table, startMs);
        await insertAt(table, startMs + DAY_MS - 1);
      }
      assert.deepEqual(await settleStrays(sql, table, 2), [`${table.name}_20250228`, `${table.name}_20250301`]);
      assert.deepEqual(await settleStrays(sql, table, 2), [`${table.name}_20250630`]);
      assert.deepEqual(await settleStrays(sql, table, 2), []);
      const rows = await rowsBetween(table, days[0]!, days[2]! + DAY_MS);
      assert.deepEqual(
        rows.map(({ place }) => place),
        days.flatMap((startMs) => [partitionName(table, startMs), partitionName(table, startMs)]),
      );
    });

    test('a day is dropped with all its attempts once it has ended, not a millisecond earlier', async () => {
      const startMs = Date.UTC(2024, 3, 1);
      await ensurePartitions(sql, table, startMs, 3);
      await insertAt(table, startMs);
      await insertAt(table, startMs + DAY_MS);
      await insertAt(table, startMs + 2 * DAY_MS);
      assert.deepEqual(await dropPartitions(sql, table, startMs + 2 * DAY_MS - 1, 99), [`${table.name}_20240401`]);
      assert.deepEqual(await dropPartitions(sql, table, startMs + 2 * DAY_MS, 99), [`${table.name}_20240402`]);
      assert.deepEqual(await dropPartitions(sql, table, startMs + 2 * DAY_MS, 99), []);
      assert.deepEqual(
        (await rowsBetween(table, startMs, startMs + 3 * DAY_MS)).map(({ place }) => place),
        [`${table.name}_20240403`],
      );
    });

    test('days dropped by several processes at the same moment are gone, and no call fails', async () => {
      const startMs = Date.UTC(2024, 7, 1);
      for (let round = 0; round < 40; round++) {
        await ensurePartitions(sql, table, startMs, 3);
        await Promise.all(Array.from({ length: 4 }, () => dropPartitions(sql, table, startMs + 3 * DAY_MS, 99)));
      }
      assert.deepEqual(await rowsBetween(table, startMs, startMs + 3 * DAY_MS), []);
    });

    test('days are dropped while attempts are written, also by several processes at once', async () => {
      const startMs = Date.UTC(2024, 6, 1);
      await ensurePartitions(sql, table, startMs, 3);
      const writes = Array.from({ length: 60 }, (_, i) => insertAt(table, startMs + 2 * DAY_MS + i));
      await Promise.all([
        ...writes,
        ...Array.from({ length: 4 }, () => dropPartitions(sql, table, startMs + 2 * DAY_MS, 99)),
      ]);
      assert.equal((await rowsBetween(table, startMs, startMs + 3 * DAY_MS)).length, 60);
    });

    test('while a long reader holds the log, no day is dropped and writers wait briefly at most', async () => {
      const startMs = Date.UTC(2024, 8, 1);
      await dropPartitions(sql, table, startMs, 99);
      await ensurePartitions(sql, table, startMs, 1);
      await sql.begin(async (reader) => {
        await reader`select count(*) from ${reader(table.name)}`;
        await Promise.all([
          assert.rejects(dropPartitions(sql, table, startMs + DAY_MS, 99), /lock timeout/),
          insertAt(table, startMs),
        ]);
      });
      assert.deepEqual(await dropPartitions(sql, table, startMs + DAY_MS, 99), [`${table.name}_20240901`]);
    });

    test('every partition has the index that the log is read by', async () => {
      const [row] = await sql<{ bare: number }[]>`
    select count(*)::int as bare from pg_inherits
    where inhparent = ${table.name}::text::regclass
      and not exists (select from pg_index where indrelid = inhrelid and indisvalid)`;
      assert.equal(row!.bare, 0);
    });
  });
}
