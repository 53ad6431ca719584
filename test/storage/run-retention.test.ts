import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { postgresRunStore } from '#api/simulate/postgres-run-store.ts';
import { systemClock } from '#engine/base/clock.ts';
import { DELETED_LOG_DAYS } from '#engine/base/limits.ts';
import { purgeOldRuns, trimRuns } from '#engine/storage/run-retention.ts';
import { withDatabase } from '#test/support/database.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2030, 5, 15);
const RETENTION = { runDays: 90, logDays: 30 };
const pace = { clock: systemClock, isClosing: () => false };

const { sql } = await withDatabase({ after });
const store = postgresRunStore(sql);

beforeEach(async () => {
  await sql`truncate account cascade`;
  await sql`
    insert into account (account_id, email, plan, client_id, client_secret_sealed, verified_at)
    values ('acc_1', 'ada@example.com', 'free', 'cli_1', '', now())`;
});

async function run(runId: string, endedDaysAgo: number | null, webhookIds: readonly string[] = [], mode = 'replay') {
  const endedAt = endedDaysAgo === null ? null : new Date(NOW_MS - endedDaysAgo * DAY_MS);
  await sql`
    insert into run (run_id, account_id, session_id, mode, speed, sinks, state, update_count, ended_at)
    values (${runId}, 'acc_1', 's', ${mode}, 1, 'webhook', ${endedAt === null ? 'running' : 'completed'}, 5, ${endedAt})`;
  await sql`
    insert into run_endpoint (run_id, webhook_id, matched, delivered)
    select ${runId}, id, 2, 2 from unnest(${webhookIds as string[]}::text[]) id`;
}

async function endpoint(webhookId: string, deletedDaysAgo: number): Promise<void> {
  await sql`
    insert into webhook (webhook_id, account_id, url, method, series_id, secret_sealed, deleted_at)
    values (${webhookId}, 'acc_1', 'https://example.com', 'post', 'f1', '', ${new Date(NOW_MS - deletedDaysAgo * DAY_MS)})`;
}

async function ids(table: 'run' | 'run_endpoint'): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`select run_id as id from ${sql(table)} order by 1`;
  return rows.map(({ id }) => id);
}

test('RR1: an ended run is removed with its checkpoints after its time; one that has not ended stays', async () => {
  await run('a_running', null, ['wh_1']);
  await run('b_kept', 90, ['wh_1']);
  await run('c_old', 90.1, ['wh_1', 'wh_2']);
  await run('d_live', 91, ['wh_1'], 'live');
  await run('e_visual', 91);
  assert.equal(await purgeOldRuns(sql, NOW_MS, RETENTION, pace), 3);
  assert.deepEqual(await ids('run'), ['a_running', 'b_kept']);
  assert.deepEqual(await ids('run_endpoint'), ['a_running', 'b_kept']);
  assert.equal(await store.count('acc_1'), 2);
  const listed = await store.list('acc_1', 10, 0, { max: 10, active: new Set() });
  assert.deepEqual(
    listed.map(({ runId, endpoints }) => [runId, endpoints.length]),
    [
      ['b_kept', 1],
      ['a_running', 1],
    ],
  );
});

test('RR1: a run stays while the log of a deleted endpoint still shows deliveries of it', async () => {
  await endpoint('wh_shown', DELETED_LOG_DAYS - 1);
  await endpoint('wh_over', DELETED_LOG_DAYS + 1);
  // The log of a deleted endpoint shows the 30 days before its deletion.
  await run('a_shown', DELETED_LOG_DAYS - 1 + 29, ['wh_shown', 'wh_over']);
  await run('b_before', DELETED_LOG_DAYS - 1 + 31, ['wh_shown']);
  await run('c_over', DELETED_LOG_DAYS + 2, ['wh_over']);
  assert.equal(await purgeOldRuns(sql, NOW_MS, RETENTION, pace), 2);
  assert.deepEqual(await ids('run'), ['a_shown']);
});

const BOUNDS = { runs: 5, endpoints: 10, crowdedRuns: 2 };

async function runsOf(endpoints: readonly number[]): Promise<void> {
  for (const [index, count] of endpoints.entries()) {
    await run(`run_${index}`, 1);
    await sql`
      insert into run_endpoint (run_id, webhook_id) select ${`run_${index}`}, 'wh_' || n from generate_series(1, ${count}::int) n`;
  }
}

async function checkpoints(): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`select run_id || ' ' || webhook_id as id from run_endpoint order by 1`;
  return rows.map(({ id }) => id);
}

test('RR2: the newest runs of an account are kept whole, of older ones what was delivered or failed', async () => {
  await runsOf([1, 2, 1, 1, 1, 1, 1, 1]);
  await run('run_running', null, ['wh_1']);
  await sql`update run_endpoint set delivered = 1 where run_id = 'run_1' and webhook_id = 'wh_2'`;
  await sql`update run_endpoint set failed = 1 where run_id = 'run_2'`;
  assert.equal(await trimRuns(sql, pace, BOUNDS), 3, 'a run with its endpoint, and an endpoint');
  assert.deepEqual(await ids('run'), [...[1, 2, 3, 4, 5, 6, 7].map((n) => `run_${n}`), 'run_running']);
  assert.deepEqual(await checkpoints(), [
    'run_1 wh_2',
    ...[2, 3, 4, 5, 6, 7].map((n) => `run_${n} wh_1`),
    'run_running wh_1',
  ]);
  assert.equal(await trimRuns(sql, pace, BOUNDS), 0);
});

test('RR2: endpoints in runs have a bound of their own', async () => {
  await runsOf([6, 6, 4]);
  assert.equal(await trimRuns(sql, pace, BOUNDS), 7, 'the newest two have ten');
  assert.deepEqual(await ids('run'), ['run_1', 'run_2']);
  assert.equal((await checkpoints()).length, 10);
});

test('RR2: an account with few runs is left alone, whatever is in them', async () => {
  await runsOf([6, 20]);
  assert.equal(await trimRuns(sql, pace, BOUNDS), 0);
});
