// The time that housekeeping goes by. What is older than its retention at this time is removed for good, so no mistake
// of the machine's clock may decide it alone.
//
// HK1 The house clock is never ahead of the machine's clock, and never more than two days ahead of the newest thing in
//     the database. So one start with a wrong clock removes nothing.
// HK2 An hourly pass moves it on by HOUSE_CLOCK_STEP_MS at most, and a start does not move it on at all. So if things
//     were recorded under a wrong clock too, its operator has hours to correct it, however often the service starts. If
//     the clock is set back, the house clock goes back with it.

import { LOG_PAGES, OLD_ATTEMPTS, partitionName, presentDays } from './partitions.ts';
import type { Sql } from './postgres-client.ts';

/** How far the house clock may be ahead of the newest thing in the database. */
const AHEAD_MS = 2 * 86_400_000;

/**
 * Moves the house clock on towards `nowMs` (Unix epoch milliseconds) by at most `stepMs`, and returns its time. In a
 * database that has none yet it starts at the latest time that HK1 allows.
 */
export async function houseTime(sql: Sql, nowMs: number, stepMs: number): Promise<number> {
  const newestMs = await newestThing(sql);
  const plausibleMs = newestMs === null ? nowMs : Math.min(nowMs, newestMs + AHEAD_MS);
  const [row] = await sql<{ time: Date }[]>`
    insert into house_clock as known (time) values (${new Date(plausibleMs)})
    on conflict (only_one) do update
      set time = least(excluded.time, known.time + ${stepMs}::float8 * interval '1 millisecond')
    returning time`;
  return row!.time.getTime();
}

/** When the newest of all things that happen in use was recorded (Unix epoch milliseconds); null if nothing was. */
async function newestThing(sql: Sql): Promise<number | null> {
  const [row] = await sql<{ newest: Date | null }[]>`
    select greatest(
      (select max(created_at) from account),
      (select started_at from run order by run_no desc limit 1),
      (select max(expires_at) from access_token),
      (select max(expires_at) from sign_in)
    ) as newest`;
  const attempted = await newestDay(sql);
  const known = [row!.newest?.getTime() ?? null, attempted].filter((ms) => ms !== null);
  return known.length === 0 ? null : Math.max(...known);
}

/**
 * When the newest day with an attempt begins (Unix epoch milliseconds); null without attempts. Those in the journal are
 * in a page before the next pass.
 */
async function newestDay(sql: Sql): Promise<number | null> {
  const newest: number[] = [];
  for (const table of [OLD_ATTEMPTS, LOG_PAGES]) {
    for (const startMs of (await presentDays(sql, table)).reverse()) {
      const found = await sql`select 1 from ${sql(partitionName(table, startMs))} limit 1`;
      if (found.length === 0) continue;
      newest.push(startMs);
      break;
    }
  }
  return newest.length === 0 ? null : Math.max(...newest);
}
