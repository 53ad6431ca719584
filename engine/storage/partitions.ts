// The delivery log has one partition for each day, so that old days can be dropped as a whole. Partitions are made
// ahead of time. A page of a day without one goes to the default partition and moves when its day is made, so no
// insert fails because a partition is missing.
//
// The rows of versions before the journal are partitioned alike. Nothing is added to them, so no days are made ahead.

import { PARTITION_LOCK_WAIT_MS } from '#engine/base/limits.ts';
import type { Sql, TransactionSql } from './postgres-client.ts';

/** Days made ahead, including today: enough for a long weekend without housekeeping. */
export const PARTITION_DAYS = 4;

/** A table with a partition for each day, and where a day begins in its partition key. */
export interface DailyTable {
  readonly name: 'log_page' | 'delivery_attempt';
  readonly key: 'day' | 'created_at';
  readonly midnight: '' | ' 00:00:00+00';
}

export const LOG_PAGES: DailyTable = { name: 'log_page', key: 'day', midnight: '' };
/** What versions before the journal have written. */
export const OLD_ATTEMPTS: DailyTable = { name: 'delivery_attempt', key: 'created_at', midnight: ' 00:00:00+00' };

const DAY_MS = 86_400_000;
const LOCK = 7_153_002n;

/**
 * Makes the partitions of `days` days, starting with the UTC day of `fromMs` (Unix epoch milliseconds). Returns the new
 * ones. Safe at any time and in any number of processes. Fails without effect while a long reader holds the log.
 */
export async function ensurePartitions(sql: Sql, table: DailyTable, fromMs: number, days: number): Promise<string[]> {
  const firstMs = Math.floor(fromMs / DAY_MS) * DAY_MS;
  return makePartitions(
    sql,
    table,
    Array.from({ length: days }, (_, day) => firstMs + day * DAY_MS),
  );
}

/**
 * Makes partitions for the days of what is in the default partition, at most `daysMax`. Returns the new ones. There is
 * something when housekeeping was late or the clock has jumped.
 */
export async function settleStrays(sql: Sql, table: DailyTable, daysMax: number): Promise<string[]> {
  const rows = await sql<{ startMs: number }[]>`
    select distinct extract(epoch from date_trunc('day', ${sql(table.key)}::timestamptz, 'UTC'))::float8 * 1000 as "startMs"
    from ${sql(`${table.name}_default`)} order by 1 limit ${daysMax}`;
  const made: string[] = [];
  for (const { startMs } of rows) made.push(...(await makePartitions(sql, table, [startMs])));
  return made;
}

/**
 * Drops the days that had ended by `untilMs` (Unix epoch milliseconds), with all that is in them: at most `daysMax`, the
 * oldest first. Returns them. Fails while a long reader holds the log; the remaining days then stay as they are.
 */
export async function dropPartitions(sql: Sql, table: DailyTable, untilMs: number, daysMax: number): Promise<string[]> {
  const present = [...(await presentPartitions(sql, table))].sort();
  const over = present
    .filter((name) => (startOf(table, name) ?? Number.POSITIVE_INFINITY) + DAY_MS <= untilMs)
    .slice(0, daysMax);
  for (const name of over) {
    await sql.begin(async (transaction) => {
      // One at a time: PostgreSQL fails if a partition disappears while another process waits to drop it.
      await transaction`select pg_advisory_xact_lock(${LOCK}::bigint)`;
      await transaction.unsafe(`set local lock_timeout = '${PARTITION_LOCK_WAIT_MS}ms'`);
      await transaction`drop table if exists ${transaction(name)}`;
    });
  }
  return over;
}

/** Makes the missing partitions of the days that begin at these times. Returns the new ones. */
export async function makePartitions(sql: Sql, table: DailyTable, wanted: readonly number[]): Promise<string[]> {
  const present = await presentPartitions(sql, table);
  if (wanted.every((startMs) => present.has(partitionName(table, startMs)))) return [];
  return sql.begin(async (transaction) => {
    await transaction`select pg_advisory_xact_lock(${LOCK}::bigint)`;
    const made = await presentPartitions(transaction, table);
    const missing = wanted.filter((startMs) => !made.has(partitionName(table, startMs)));
    // Writers wait from here on: a row on its way to the default partition would fail once its day exists. The
    // timeout keeps their wait short: while a reader such as a backup holds the tables, the days are made later.
    await transaction.unsafe(`set local lock_timeout = '${PARTITION_LOCK_WAIT_MS}ms'`);
    await transaction`lock table ${transaction(table.name)} in share row exclusive mode`;
    await transaction`lock table ${transaction(`${table.name}_default`)} in access exclusive mode`;
    for (const startMs of missing) await createPartition(transaction, table, startMs);
    return missing.map((startMs) => partitionName(table, startMs));
  });
}

/** `log_page_20261101` for the day that begins at `startMs`. */
export function partitionName(table: DailyTable, startMs: number): string {
  return `${table.name}_${dateOf(startMs).replaceAll('-', '')}`;
}

/** When the day of a partition begins; null for a partition that is not a day. */
function startOf(table: DailyTable, name: string): number | null {
  const [, year, month, day] = /_(\d{4})(\d\d)(\d\d)$/.exec(name.slice(table.name.length)) ?? [];
  return year === undefined ? null : Date.UTC(Number(year), Number(month) - 1, Number(day));
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** When the existing days begin (Unix epoch milliseconds), in order. None if there is no such table yet. */
export async function presentDays(sql: Sql | TransactionSql, table: DailyTable): Promise<number[]> {
  const names = [...(await presentPartitions(sql, table))];
  return names.flatMap((name) => startOf(table, name) ?? []).sort((a, b) => a - b);
}

async function presentPartitions(sql: Sql | TransactionSql, table: DailyTable): Promise<Set<string>> {
  const rows = await sql<{ name: string }[]>`
    select child.relname as name from pg_inherits join pg_class child on child.oid = inhrelid
    where inhparent = to_regclass(${table.name})`;
  return new Set(rows.map(({ name }) => name));
}

/**
 * Makes one day. What is of that day moves before the table is attached: the default partition must not hold any of it
 * at that moment.
 */
async function createPartition(sql: TransactionSql, table: DailyTable, startMs: number): Promise<void> {
  const name = partitionName(table, startMs);
  const from = `${dateOf(startMs)}${table.midnight}`;
  const to = `${dateOf(startMs + DAY_MS)}${table.midnight}`;
  const [key, day] = [sql(table.key), sql(name)];
  await sql`create table ${day} (like ${sql(table.name)} including defaults including constraints including storage)`;
  await sql`
    with moved as (
      delete from ${sql(`${table.name}_default`)}
      where ${key}::timestamptz >= ${from}::timestamptz and ${key}::timestamptz < ${to}::timestamptz
      returning *
    )
    insert into ${day} select * from moved`;
  // Partition bounds cannot be parameters. These are our own dates, so no injection is possible.
  await sql.unsafe(`alter table ${table.name} attach partition ${name} for values from ('${from}') to ('${to}')`);
}
