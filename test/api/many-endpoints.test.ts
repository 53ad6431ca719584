// Queries at the start of a run, for an account with many endpoints. They read the right rows, and their work stays in
// proportion to the number of endpoints, even when the database's statistics know little of endpoints just created.

import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { postgresRunStore } from '#api/simulate/postgres-run-store.ts';
import { postgresLiveRunStore } from '#api/webhooks/live/postgres-live-run-store.ts';
import { postgresWebhookStore } from '#api/webhooks/postgres-webhook-store.ts';
import type { WebhookRecord } from '#api/webhooks/webhook-store.ts';
import { newId } from '#engine/base/ids.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { PostgresRecordStore } from '#engine/delivery/delivery-log/postgres-record-store.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import { withDatabase } from '#test/support/database.ts';

const MANY = 1_000;
const FEW = 10;
const FEEDS = ['timing.data', 'events.race', 'weather.data'];
const NOW = new Date('2026-03-08T04:00:00Z');
/** By default, PostgreSQL considers a generic plan after five executions. */
const USES = 8;

const { sql, database } = await withDatabase({ after });
// Each test makes its own statistics.
for (const table of ['account', 'webhook', 'subscription', 'run', 'run_endpoint']) {
  await sql`alter table ${sql(table)} set (autovacuum_enabled = false)`;
}

beforeEach(async () => {
  await sql`truncate account cascade`;
});

async function newAccount(): Promise<string> {
  const accountId = newId('acc', NOW.getTime(), systemRandomBytes);
  await sql`
    insert into account (account_id, email, plan, client_id, client_secret_sealed)
    values (${accountId}, ${accountId}, 'custom', ${accountId}, '')`;
  return accountId;
}

/** Inserts endpoints with three feeds each. Returns their ids, newest endpoint first. */
async function newEndpoints(accountId: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId('wh', NOW.getTime(), systemRandomBytes));
  await sql`
    with made as (
      insert into webhook (webhook_id, account_id, url, method, series_id, secret_sealed, created_at)
      select id, ${accountId}, 'https://example.com/' || place, 'post', 'f1', '', ${NOW}::timestamptz - place * interval '1 s'
      from unnest(${ids}::text[]) with ordinality as given (id, place)
      returning webhook_id
    )
    insert into subscription (webhook_id, feed_id, place)
    select webhook_id, feed_id, place - 1 from made, unnest(${FEEDS}::text[]) with ordinality as feed (feed_id, place)`;
  return ids;
}

/** Runs every query of the start of a live run and of a replay. */
async function startRuns(client: Sql, accountId: string): Promise<void> {
  const webhooks = postgresWebhookStore(client);
  const lives = postgresLiveRunStore(client);
  const replays = postgresRunStore(client);
  const live = (await lives.enter('2026-new-race', 0, NOW)).find((run) => run.accountId === accountId)!;
  const webhookIds = await lives.endpoints(live.runId);
  await webhooks.findAll(webhookIds);
  await webhooks.list(accountId, MANY, 0);
  await webhooks.activeIds(accountId, MANY);
  await new PostgresRecordStore(client).checkpoints(live.runId, webhookIds);
  await lives.end(live.runId, 'completed', NOW);
  const runId = newId('run', NOW.getTime(), systemRandomBytes);
  const replay = { runId, accountId, sessionId: 'demo-race', speed: 1, sinks: 'webhook', updateCount: 1 } as const;
  await replays.insert(
    { ...replay, timelineOrigin: null, position: 0, startedAt: NOW, webhookIds: null, reachesAny: true },
    null,
  );
  await replays.end(runId, 'completed', 0, false, NOW);
}

/** What is read of an endpoint to tell what the plan covers of it. */
function pick({ webhookId, accountId, plan, rank, seriesId, active, feedPatterns, subscriptions }: WebhookRecord) {
  return { webhookId, accountId, plan, seriesId, active, feedPatterns, subscriptions, rank };
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Returns how many rows a plan step read, including those it discarded. */
function rowsTouched(node: PlanNode): number {
  const removed =
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Join Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0);
  return (node['Actual Rows'] + removed) * node['Actual Loops'];
}

/** Wraps a client. It passes each step of each statement's plan to `seen`, and executes each statement twice for it. */
function explaining(client: Sql, seen: (node: PlanNode, statement: string) => void): Sql {
  const report = (node: PlanNode, statement: string): void => {
    seen(node, statement);
    for (const part of node.Plans ?? []) report(part, statement);
  };
  return new Proxy(client, {
    apply(target, _self, [strings, ...values]: [TemplateStringsArray, ...never[]]) {
      const query = target(strings, ...values);
      const statement = strings[0]!.trim();
      // A settings command has no plan.
      if (statement.startsWith('set ')) return query;
      // Explains awaited statements only. Fragments of other statements are never awaited.
      const explainFirst = async () => {
        const rows = await target<{ 'QUERY PLAN': { Plan: PlanNode }[] }[]>`
          explain (analyze, format json) ${target(strings, ...values)}`;
        report(rows[0]!['QUERY PLAN'][0]!.Plan, statement);
        return target(strings, ...values);
      };
      // biome-ignore lint/suspicious/noThenProperty: a query is a promise, and this one is explained first
      return Object.assign(query, { then: (...given: never[]) => explainFirst().then(...given) });
    },
    get(target, key, receiver) {
      if (key !== 'begin') return Reflect.get(target, key, receiver);
      return (work: (transaction: Sql) => unknown) =>
        target.begin((transaction) => work(explaining(transaction as unknown as Sql, seen)));
    },
  });
}

async function afterStatisticsOf(count: number) {
  const accountId = await newAccount();
  const webhookIds = await newEndpoints(accountId, count);
  await sql`analyze`;
  return { accountId, webhookIds: [...webhookIds, ...(await newEndpoints(accountId, MANY))] };
}

const STATISTICS = {
  'no statistics': async () => {
    const accountId = await newAccount();
    return { accountId, webhookIds: await newEndpoints(accountId, MANY) };
  },
  'statistics of one': () => afterStatisticsOf(1),
  'statistics of a few': () => afterStatisticsOf(FEW),
  'statistics of tables whose rows were deleted': async () => {
    const accountId = await newAccount();
    await newEndpoints(accountId, MANY);
    // One row remains at the end of the table, so the vacuum cannot give back its pages.
    await newEndpoints(await newAccount(), 1);
    await sql`delete from webhook where account_id = ${accountId}`;
    await sql`vacuum analyze`;
    return { accountId, webhookIds: await newEndpoints(accountId, MANY) };
  },
};

for (const [statistics, make] of Object.entries(STATISTICS)) {
  test(`with ${statistics}, no query step at the start of a run reads more than a few rows per endpoint`, async () => {
    const { accountId, webhookIds } = await make();
    let steps = 0;
    let most = 0;
    const client = explaining(sql, (node, statement) => {
      steps++;
      const rows = rowsTouched(node);
      most = Math.max(most, rows);
      const each = rows / webhookIds.length;
      assert.ok(each <= 2 * FEEDS.length, `${node['Node Type']}: ${each} rows per endpoint, in ${statement}`);
    });
    await startRuns(client, accountId);
    assert.ok(steps > 20 && most >= FEEDS.length * MANY, 'the plans were inspected');
  });
}

for (const [statistics, make] of Object.entries(STATISTICS)) {
  test(`J4: with ${statistics}, adding an endpoint to a live run touches no row of the account's other endpoints`, async () => {
    const { accountId } = await make();
    const lives = postgresLiveRunStore(sql);
    const live = (await lives.enter('2026-new-race', 0, NOW)).find((run) => run.accountId === accountId)!;
    const [webhookId] = await newEndpoints(accountId, 1);
    let steps = 0;
    const client = explaining(sql, (node, statement) => {
      steps++;
      assert.ok(rowsTouched(node) <= 2, `${node['Node Type']}: ${rowsTouched(node)} rows, in ${statement}`);
    });
    const entered = await postgresLiveRunStore(client).enterEndpoint('2026-new-race', accountId, webhookId!, 7, NOW);
    assert.equal(entered!.runId, live.runId);
    const [joined] = await sql`select next_position as position from run_endpoint where webhook_id = ${webhookId!}`;
    assert.deepEqual([joined!.position, steps > 8], [7, true]);
  });
}

for (const [statistics, make] of Object.entries(STATISTICS)) {
  test(`with ${statistics}, what a plan covers is read in parts, and no part reads the endpoints before it again`, async () => {
    const { accountId } = await make();
    await sql`update webhook set deleted_at = ${NOW} where account_id = ${accountId} and webhook_no % 7 = 0`;
    let steps = 0;
    const client = explaining(sql, (node, statement) => {
      steps++;
      const rows = rowsTouched(node);
      // The dead row versions of the update, and each seventh endpoint, which is deleted, lie between.
      assert.ok(rows <= 3 * FEW * FEEDS.length, `${node['Node Type']}: ${rows} rows, in ${statement}`);
    });
    const all = await postgresWebhookStore(sql).list(accountId, 2 * MANY, 0);
    const store = postgresWebhookStore(client);
    for (const first of [0, 500, all.length - FEW]) {
      const last = all[first - 1] ?? null;
      const page = await store.coverageAfter(accountId, last, FEW);
      assert.deepEqual(
        page.map((covered) => ({ ...covered })),
        all.slice(first, first + FEW).map((record) => pick(record)),
      );
      assert.deepEqual([...(await store.listAfter(accountId, last, FEW))], all.slice(first, first + FEW));
    }
    assert.equal((await store.coverageAfter(accountId, all.at(-1)!, FEW)).length, 0);
    assert.ok(steps > 20, 'the plans were inspected');
  });
}

test('the database plans the queries at the start of a run for their actual values and never uses a generic plan', async () => {
  const accountId = await newAccount();
  await newEndpoints(accountId, FEW);
  // PostgreSQL caches plans per connection.
  const client = database.connect(1);
  for (let use = 0; use < USES; use++) await startRuns(client, accountId);
  const statements = await client<{ statement: string; kept: number; own: number }[]>`
    select statement, generic_plans::int as kept, custom_plans::int as own from pg_prepared_statements`;
  for (const part of [
    'union all\n',
    'order by created_at, webhook_no limit',
    'next_position as',
    '(run_id, webhook_id, next_position)',
  ]) {
    const found = statements.filter(({ statement }) => statement.includes(part));
    assert.ok(found.length > 0, part);
    for (const { statement, kept, own } of found) {
      assert.deepEqual([kept, own >= USES], [0, true], statement);
    }
  }
});

test('findAll returns exactly the requested endpoints, each ranked among the endpoints of its account that are not deleted', async () => {
  const [accountId, otherId] = [await newAccount(), await newAccount()];
  const ids = await newEndpoints(accountId, MANY);
  const others = await newEndpoints(otherId, FEW);
  const deleted = ids.filter((_, index) => index % 7 === 0);
  await sql`update webhook set deleted_at = ${NOW} where webhook_id in ${sql(deleted)}`;
  const asked = [
    ...ids.filter((_, index) => index % 3 !== 0),
    ids[0]!,
    ...others.slice(1),
    newId('wh', NOW.getTime(), systemRandomBytes),
  ];
  const records = await postgresWebhookStore(sql).findAll(asked);

  const oldestFirst = [ids.toReversed().filter((id) => !deleted.includes(id)), others.toReversed()];
  const ranks = new Map(oldestFirst.flatMap((living) => living.map((id, rank) => [id, rank] as const)));
  const expected = asked.slice(0, -1).map((id) => [id, deleted.includes(id), ranks.get(id) ?? 0]);
  const inOrder = records.toSorted((one, two) => asked.indexOf(one.webhookId) - asked.indexOf(two.webhookId));
  assert.deepEqual(
    inOrder.map(({ webhookId, deletedAt, rank }) => [webhookId, deletedAt !== null, rank]),
    expected,
  );
  const numbers = records.map(({ webhookNo }) => webhookNo);
  assert.deepEqual(
    numbers,
    numbers.toSorted((one, two) => one - two),
  );
  for (const record of records) {
    assert.equal(record.plan, 'custom');
    assert.equal(record.accountId, others.includes(record.webhookId) ? otherId : accountId);
    assert.deepEqual(
      record.subscriptions.map(({ feedId }) => feedId),
      FEEDS,
    );
  }
  assert.equal((await postgresWebhookStore(sql).findAll([])).length, 0);
});

test('findAll and find return the same record for an endpoint that is not deleted', async () => {
  const accountId = await newAccount();
  const ids = await newEndpoints(accountId, FEW);
  const store = postgresWebhookStore(sql);
  const all = await store.findAll(ids);
  for (const record of all) assert.deepEqual({ ...record }, { ...(await store.find(accountId, record.webhookId)) });
  assert.equal(all.length, FEW);
});
