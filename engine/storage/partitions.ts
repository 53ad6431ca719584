// The delivery log has one partition for each day, so that old days can be dropped as a whole. Partitions are made
// ahead of time. An attempt of a day without one goes to the default partition and moves when its day is made, so no
// insert fails because a partition is missing.

import { PARTITION_LOCK_WAIT_MS } from '#engine/base/limits.ts';
import type { Sql, TransactionSql } from './postgres-client.ts';

/** Days made ahead, including today: enough for a long weekend without housekeeping. */
export const PARTITION_DAYS = 4;

const DAY_MS = 86_400_000;
const LOCK = 7_153_002n;

/**
 * Makes the partitions of `days` days, starting with the UTC day of `fromMs` (Unix epoch milliseconds). Returns the new
 * ones. Safe at any time and in any number of processes. Fails without effect while a long reader holds the log.
 */
export async function ensurePartitions(sql: Sql, fromMs: number, days: number): Promise<string[]> {
  const firstMs = Math.floor(fromMs / DAY_MS) * DAY_MS;
  return makePartitions(
    sql,
    Array.from({ length: days }, (_, day) => firstMs + day * DAY_MS),
  );
}

/**
 * Makes partitions for the days of attempts in the default partition, at most `daysMax`. Returns the new ones. There
 * are such attempts when housekeeping was late or the clock has jumped.
 */
export async function settleStrays(sql: Sql, daysMax: number): Promise<string[]> {
  const rows = await sql<{ startMs: number }[]>`
    select distinct extract(epoch from date_trunc('day', created_at, 'UTC'))::float8 * 1000 as "startMs"
    from delivery_attempt_default order by 1 limit ${daysMax}`;
  const made: string[] = [];
  for (const { startMs } of rows) made.push(...(await makePartitions(sql, [startMs])));
  return made;
}

/**
 * Drops the days that had ended by `untilMs` (Unix epoch milliseconds), with all their attempts: at most `daysMax`, the
 * oldest first. Returns them. Fails while a long reader holds the log; the remaining days then stay as they are.
 */
export async function dropPartitions(sql: Sql, untilMs: number, daysMax: number): Promise<string[]> {
  const present = [...(await presentPartitions(sql))].sort();
  const over = present
    .filter((name) => (startOf(name) ?? Number.POSITIVE_INFINITY) + DAY_MS <= untilMs)
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
export async function makePartitions(sql: Sql, wanted: readonly number[]): Promise<string[]> {
  const present = await presentPartitions(sql);
  if (wanted.every((startMs) => present.has(partitionName(startMs)))) return [];
  return sql.begin(async (transaction) => {
    await transaction`select pg_advisory_xact_lock(${LOCK}::bigint)`;
    const made = await presentPartitions(transaction);
    const missing = wanted.filter((startMs) => !made.has(partitionName(startMs)));
    // Writers wait from here on: an attempt on its way to the default partition would fail once its day exists. The
    // timeout keeps their wait short: while a reader such as a backup holds the tables, the days are made later.
    await transaction.unsafe(`set local lock_timeout = '${PARTITION_LOCK_WAIT_MS}ms'`);
    await transaction`lock table delivery_attempt in share row exclusive mode`;
    await transaction`lock table delivery_attempt_default in access exclusive mode`;
    for (const startMs of missing) await createPartition(transaction, startMs);
    return missing.map(partitionName);
  });
}

/** `delivery_attempt_20261101` for the day that begins at `startMs`. */
export function partitionName(startMs: number): string {
  return `delivery_attempt_${dateOf(startMs).replaceAll('-', '')}`;
}

/** When the day of a partition begins; null for a partition that is not a day. */
function startOf(name: string): number | null {
  const [, year, month, day] = /^delivery_attempt_(\d{4})(\d\d)(\d\d)$/.exec(name) ?? [];
  return year === undefined ? null : Date.UTC(Number(year), Number(month) - 1, Number(day));
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** When the existing days begin (Unix epoch milliseconds), in order. */
export async function presentDays(sql: Sql | TransactionSql): Promise<number[]> {
  const names = [...(await presentPartitions(sql))];
  return names.flatMap((name) => startOf(name) ?? []).sort((a, b) => a - b);
}

async function presentPartitions(sql: Sql | TransactionSql): Promise<Set<string>> {
  const rows = await sql<{ name: string }[]>`
    select child.relname as name from pg_inherits join pg_class child on child.oid = inhrelid
    where inhparent = 'delivery_attempt'::regclass`;
  return new Set(rows.map(({ name }) => name));
}

/**
 * Makes one day. Its attempts move before the table is attached: the default partition must not hold any at that
 * moment.
 */
async function createPartition(sql: TransactionSql, startMs: number): Promise<void> {
  const name = sql(partitionName(startMs));
  const from = `${dateOf(startMs)} 00:00:00+00`;
  const to = `${dateOf(startMs + DAY_MS)} 00:00:00+00`;
  await sql`create table ${name} (like delivery_attempt including defaults including constraints)`;
  await sql`
    with moved as (
      delete from delivery_attempt_default where created_at >= ${from}::timestamptz and created_at < ${to}::timestamptz
      returning *
    )
    insert into ${name} select * from moved`;
  // Partition bounds cannot be parameters. These are our own dates, so no injection is possible.
  await sql.unsafe(
    `alter table delivery_attempt attach partition ${partitionName(startMs)} for values from ('${from}') to ('${to}')`,
  );
}
