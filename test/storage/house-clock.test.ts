import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { systemClock, type TimerClock } from '#engine/base/clock.ts';
import { DELETED_LOG_DAYS, HOUSE_CLOCK_STEP_MS } from '#engine/base/limits.ts';
import { houseTime } from '#engine/storage/house-clock.ts';
import { ensurePartitions, LOG_PAGES, OLD_ATTEMPTS, partitionName } from '#engine/storage/partitions.ts';
import { insertBareLogPage } from '#test/support/bare-log-page.ts';
import { openTestDatabase, temporaryDataDir, withDatabase } from '#test/support/database.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2030, 5, 15, 12);
const FAR_MS = NOW_MS + 200 * DAY_MS;
const RETENTION = { logDays: 30, runDays: 30 };

const { sql } = await withDatabase({ after });

beforeEach(async () => {
  await sql`truncate house_clock, account, delivery_attempt, log_page cascade`;
});

async function accountAt(ms: number): Promise<void> {
  const id = `acc_${ms}`;
  await sql`
    insert into account (account_id, email, plan, client_id, client_secret_sealed, verified_at, created_at)
    values (${id}, ${id}, 'free', ${id}, '', ${new Date(ms)}, ${new Date(ms)})`;
}

test('HK1: the house clock is not ahead of the clock, nor more than two days ahead of the newest thing recorded', async () => {
  assert.equal(await houseTime(sql, NOW_MS, HOUSE_CLOCK_STEP_MS), NOW_MS, 'in an empty database nothing can be lost');
  await accountAt(NOW_MS);
  for (let pass = 0; pass < 5; pass++) {
    assert.equal(await houseTime(sql, NOW_MS, HOUSE_CLOCK_STEP_MS), NOW_MS);
    assert.ok((await houseTime(sql, FAR_MS, HOUSE_CLOCK_STEP_MS)) <= NOW_MS + 2 * DAY_MS);
  }
});

test('HK1: attempts, runs, tokens and sign-ins are newer things too', async () => {
  await accountAt(NOW_MS);
  const later = new Date(NOW_MS + 5 * DAY_MS);
  const things = {
    run: sql`
      insert into run (run_id, account_id, session_id, speed, sinks, state, update_count, started_at)
      values ('run_1', ${`acc_${NOW_MS}`}, 's', 1, 'webhook', 'completed', 0, ${later})`,
    access_token: sql`insert into access_token values ('x', ${`acc_${NOW_MS}`}, ${later})`,
    sign_in: sql`insert into sign_in values ('x', ${`acc_${NOW_MS}`}, ${later})`,
    delivery_attempt: sql`
      insert into delivery_attempt (webhook_no, mode, feed, sequence, attempt, latency_ms, created_at)
      values (1, 'test', 1, 1, 1, 1, ${later})`,
    log_page: () => insertBareLogPage(sql, later.getTime()),
  };
  for (const table of [OLD_ATTEMPTS, LOG_PAGES]) await ensurePartitions(sql, table, later.getTime(), 1);
  for (const [table, insert] of Object.entries(things)) {
    await sql`delete from house_clock`;
    assert.equal(await houseTime(sql, FAR_MS, 0), NOW_MS + 2 * DAY_MS, `before ${table}`);
    await (typeof insert === 'function' ? insert() : insert);
    await sql`delete from house_clock`;
    assert.ok((await houseTime(sql, FAR_MS, 0)) > NOW_MS + 6 * DAY_MS, table);
    await sql`delete from ${sql(table)}`;
  }
});

test('HK2: with things recorded under the wrong clock too, each hour moves it on by one step, and starts by none', async () => {
  await accountAt(NOW_MS);
  await houseTime(sql, NOW_MS, 0);
  await accountAt(FAR_MS);
  for (let start = 0; start < 20; start++) assert.equal(await houseTime(sql, FAR_MS, 0), NOW_MS);
  for (let hour = 1; hour <= 3; hour++) {
    assert.equal(await houseTime(sql, FAR_MS, HOUSE_CLOCK_STEP_MS), NOW_MS + hour * HOUSE_CLOCK_STEP_MS);
  }
  assert.equal(await houseTime(sql, NOW_MS + DAY_MS, 0), NOW_MS + DAY_MS, 'it goes back with the clock');
});

test('the service removes what is old by the house clock, at its start and every hour; a command removes nothing', async () => {
  const dataDir = temporaryDataDir('database');
  const oldMs = NOW_MS - (RETENTION.logDays + DELETED_LOG_DAYS + 1) * DAY_MS;
  const old = partitionName(LOG_PAGES, Math.floor(oldMs / DAY_MS) * DAY_MS);
  let hourly = async () => {};
  const clockAt = (ms: number): TimerClock => ({
    ...systemClock,
    wallMs: () => ms,
    every: (_, work) => {
      hourly = work;
      return () => {};
    },
  });
  const keepsOld = async (options: Parameters<typeof openTestDatabase>[1], hours: number): Promise<boolean> => {
    const database = await openTestDatabase(dataDir, options);
    const client = database.connect(1);
    try {
      await ensurePartitions(client, LOG_PAGES, NOW_MS - DAY_MS, 1);
      for (let hour = 0; hour < hours; hour++) await hourly();
      const rows = await client`select from pg_class where relname = ${old}`;
      return rows.length > 0;
    } finally {
      await database.close();
    }
  };
  assert.ok(await keepsOld({ clock: clockAt(oldMs), retention: RETENTION }, 1), 'it is made');
  assert.ok(await keepsOld({ clock: clockAt(NOW_MS), role: 'command' }, 9), 'a command keeps it');
  // In an empty database the house clock is where the clock was; it follows by a step an hour.
  assert.ok(await keepsOld({ clock: clockAt(NOW_MS), retention: RETENTION }, 1));
  assert.ok(!(await keepsOld({ clock: clockAt(NOW_MS), retention: RETENTION }, 20)));
});
