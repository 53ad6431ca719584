import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { systemClock } from '#engine/base/clock.ts';
import {
  DELETED_LOG_DAYS,
  EXPIRED_TOKEN_DAYS,
  KNOWN_NETWORK_MS,
  MONTH_DETAIL_DAYS,
  PAYMENT_EVENT_DAYS,
  PURGED_ROWS_MAX,
  USAGE_DAYS,
} from '#engine/base/limits.ts';
import { purgeRows } from '#engine/storage/row-retention.ts';
import { withDatabase } from '#test/support/database.ts';

const DAY_MS = 86_400_000;
/** The first moment of a day, because months are days in the database. */
const NOW_MS = Date.UTC(2030, 5, 15);
const pace = { clock: systemClock, isClosing: () => false };

const { sql } = await withDatabase({ after });

beforeEach(async () => {
  await sql`truncate account, stripe_event, recent_event, request_count, usage, usage_latency, overage_block, overage_check, live_gap cascade`;
  await sql`
    insert into account (account_id, email, plan, client_id, client_secret_sealed, verified_at)
    values ('acc_1', 'ada@example.com', 'free', 'cli_1', '', now())`;
});

/** What keeps each table from growing for ever. A new table needs a line here, and what the line says. */
const BOUNDED_BY: Readonly<Record<string, string>> = {
  access_token: 'retention',
  account: 'retention',
  bucket_warning: 'retention',
  calendar_event: 'what the operator imports',
  calendar_session: 'what the operator imports',
  cluster_node: 'NODES_MAX',
  cluster_slot: 'NODE_SLOTS_MAX',
  delivery_attempt: 'retention',
  due_update: 'retention',
  email_verification: 'retention',
  endpoint_health: 'endpoints, each with one',
  endpoint_health_span: 'endpoints, each with thirteen',
  history_circuit: 'what the operator imports',
  history_constructor: 'what the operator imports',
  history_constructor_standing: 'what the operator imports',
  history_driver: 'what the operator imports',
  history_driver_standing: 'what the operator imports',
  history_entry: 'what the operator imports',
  history_fastest_lap: 'what the operator imports',
  history_grid: 'what the operator imports',
  history_pit_stop: 'what the operator imports',
  history_practice: 'what the operator imports',
  history_qualifying: 'what the operator imports',
  history_release: 'one row',
  history_result: 'what the operator imports',
  history_weekend: 'what the operator imports',
  house_clock: 'one row',
  known_network: 'retention',
  late_checkpoints: 'one row for each commit of two rounds',
  live_frames: 'live_session, which they go with',
  live_gap: 'retention',
  live_session: 'LIVE_SESSIONS_MAX, and those that have ended within FRAMES_KEPT_MS',
  log_journal: 'LOG_JOURNAL_ROWS_MAX for each writer',
  log_page: 'retention',
  migration: 'the files of schemas/database',
  overage_block: 'retention',
  overage_check: 'retention',
  plan_change: 'retention',
  record_writer: 'threads of the processes of a day',
  recent_event: 'retention',
  request_count: 'retention',
  recording: 'the recordings of the operator',
  recording_piece: 'recording, which they go with',
  resend: 'runs, each with one at most',
  retired_secret_key: 'the rotations of the operator',
  run: 'retention',
  run_endpoint: 'retention',
  session: 'the recordings of the operator',
  sign_in: 'retention',
  simulate_slot: 'accounts, each with as many as there are sessions',
  skipped_span: 'run_endpoint, which they go with; fewer than its attempts and changes of reason',
  stripe_event: 'retention',
  stripe_subscription: 'what customers have paid for',
  subscription: 'endpoints, each with as many as there are feeds',
  usage: 'retention',
  usage_latency: 'retention',
  webhook: 'retention',
};

test('something keeps every table from growing for ever', async () => {
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`;
  assert.deepEqual(
    tables.map(({ name }) => name),
    Object.keys(BOUNDED_BY).sort(),
  );
});

/** Inserts a row of each kind that was last of use `days` before now, and earlier by `extraMs`. */
async function insertAged(key: string, extraMs: number): Promise<void> {
  const at = (days: number) => new Date(NOW_MS - days * DAY_MS - extraMs);
  await sql`
    insert into webhook (webhook_id, account_id, url, method, series_id, secret_sealed, deleted_at)
    values (${key}, 'acc_1', 'https://example.com', 'post', 'f1', '', ${at(DELETED_LOG_DAYS)})`;
  await sql`insert into subscription (webhook_id, feed_id, place) values (${key}, 'session.status', 0)`;
  await sql`insert into access_token values (${Buffer.from(key)}, 'acc_1', ${at(EXPIRED_TOKEN_DAYS)})`;
  await sql`insert into sign_in values (${Buffer.from(key)}, 'acc_1', ${at(EXPIRED_TOKEN_DAYS)})`;
  await sql`
    insert into email_verification values (${Buffer.from(key)}, 'acc_1', '', null, ${at(EXPIRED_TOKEN_DAYS)})`;
  await sql`insert into known_network values ('acc_1', ${Buffer.from(key)}, ${at(KNOWN_NETWORK_MS / DAY_MS)})`;
  await sql`insert into stripe_event values (${key}, ${at(PAYMENT_EVENT_DAYS)})`;
  await sql`insert into recent_event (subject, expires_at) values (${key}, ${at(0)})`;
  await sql`insert into request_count values (${key}, false, ${at(1)}, 1)`;
  await sql`insert into usage (account_id, month, feed_id) values (${key}, ${at(USAGE_DAYS)}, 'session.status')`;
  await sql`insert into due_update values ('acc_1', ${at(USAGE_DAYS)}, ${key}, 'on_time', 1)`;
  await sql`insert into live_gap values (${key}, 'source', ${at(USAGE_DAYS + 1)}, ${at(USAGE_DAYS)})`;
  await sql`insert into usage_latency values (${key}, ${at(MONTH_DETAIL_DAYS)}, 'session.status', '{1}')`;
  await sql`insert into bucket_warning values ('acc_1', ${at(MONTH_DETAIL_DAYS)}, 'near')`;
  await sql`insert into plan_change values ('acc_1', ${at(MONTH_DETAIL_DAYS)}, now(), 'free', 1)`;
  await sql`
    insert into overage_block (account_id, month, block, customer_id, value, made_at)
    values ('acc_1', ${at(USAGE_DAYS)}, 1, 'cus_1', 1, now())`;
  await sql`
    insert into overage_check (account_id, month, reported, checked_at) values ('acc_1', ${at(USAGE_DAYS)}, 1, now())`;
}

test('what is past its time is removed, what is not yet stays', async () => {
  await sql`
    insert into webhook (webhook_id, account_id, url, method, series_id, secret_sealed)
    values ('active', 'acc_1', 'https://example.com', 'post', 'f1', '')`;
  await insertAged('kept', 0);
  await insertAged('old', DAY_MS);
  const removed = await purgeRows(sql, NOW_MS, pace);
  const tables = Object.keys(removed);
  assert.deepEqual(removed, Object.fromEntries(tables.map((table) => [table, 1])));
  for (const table of tables) {
    const [row] = await sql<{ count: number }[]>`select count(*)::int from ${sql(table)}`;
    assert.equal(row!.count, table === 'webhook' ? 2 : 1, table);
    assert.ok(['retention'].includes(BOUNDED_BY[table]!), table);
  }
  assert.deepEqual(
    [...(await sql`select webhook_id as id from subscription`)].map(({ id }) => id),
    ['kept'],
  );
  assert.deepEqual(await purgeRows(sql, NOW_MS, pace), Object.fromEntries(tables.map((table) => [table, 0])));
});

test('more rows than fit into a batch are removed in one pass; rows in use are left to the next one', async () => {
  await sql`
    insert into access_token
    select sha256(n::text::bytea), 'acc_1', ${new Date(NOW_MS - 30 * DAY_MS)}
    from generate_series(1, ${PURGED_ROWS_MAX + 3}::int) n`;
  const holding = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const user = sql.begin(async (transaction) => {
    await transaction`select from access_token where token_hash = sha256('1') for update`;
    held.resolve();
    await holding.promise;
  });
  await held.promise;
  const first = await purgeRows(sql, NOW_MS, pace);
  holding.resolve();
  await user;
  assert.equal(first.access_token, PURGED_ROWS_MAX + 2);
  assert.equal((await purgeRows(sql, NOW_MS, pace)).access_token, 1);
});

test('a pass ends with the batch under way when the database is being closed', async () => {
  await sql`
    insert into access_token
    select sha256(n::text::bytea), 'acc_1', ${new Date(NOW_MS - 30 * DAY_MS)}
    from generate_series(1, ${PURGED_ROWS_MAX + 3}::int) n`;
  let asked = 0;
  // Asked once for the endpoints, once for each batch of tokens.
  const removed = await purgeRows(sql, NOW_MS, { ...pace, isClosing: () => asked++ > 1 });
  assert.equal(removed.access_token, PURGED_ROWS_MAX);
});
