// Filters of the delivery log, on a log of 120,000 attempts over three days.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { LOG_EXAMINED_MAX } from '#engine/base/limits.ts';
import { makePartitions, OLD_ATTEMPTS } from '#engine/storage/partitions.ts';
import { feedNumber } from '#schemas/webhook/feeds.ts';
import { withApi } from '#test/support/api-harness.ts';

const DAY_MS = 86_400_000;
const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const api = await withApi({ after });
const [client, stranger] = [await api.client('custom'), await api.client('custom')];
const webhookId = await client.webhook();

interface Entry {
  readonly sequence: number;
  readonly statusCode: number | null;
  readonly feedId: string;
  readonly mode: string;
  readonly runId: string | null;
  readonly createdAt: string;
}

interface Page {
  readonly logs: readonly Entry[];
  readonly nextCursor: string | null;
}

async function newRun(
  accountId: string,
  runId: string,
  mode: string,
  sessionId: string,
  startMs: number,
  endMs: number,
) {
  await api.sql`
    insert into run (run_id, account_id, session_id, speed, sinks, mode, state, update_count, started_at, ended_at)
    values (${runId}, ${accountId}, ${sessionId}, 10, 'webhook', ${mode}, 'completed', 9, ${new Date(startMs)},
      ${new Date(endMs)})`;
}

const RUNS = ['run_00000000000000000000000001', 'run_00000000000000000000000002', 'run_00000000000000000000000003'];
const THEIRS = 'run_00000000000000000000000004';

before(async () => {
  await makePartitions(api.sql, OLD_ATTEMPTS, [TODAY - 2 * DAY_MS, TODAY - DAY_MS, TODAY]);
  await newRun(client.accountId, RUNS[0]!, 'replay', 'monza', TODAY - 2 * DAY_MS, TODAY - DAY_MS);
  await newRun(client.accountId, RUNS[1]!, 'live', 'monza', TODAY - DAY_MS, TODAY);
  await newRun(client.accountId, RUNS[2]!, 'replay', 'spa', TODAY, TODAY + 1);
  await newRun(stranger.accountId, THEIRS, 'replay', 'spa', TODAY, TODAY + 1);
  // 40,000 a day: the first run, the second, and 20 of the third before tests. One in 5,000 failed, half of them unanswered.
  await api.sql`
    insert into delivery_attempt (webhook_no, run_no, mode, feed, sequence, attempt, status_code, latency_ms, lag_ms,
      failure_code, error, response_body, created_at)
    select w.webhook_no, run.run_no, coalesce(run.mode, 'test'),
      case when n % 10000 = 0 then ${feedNumber('session.status')!}::smallint else ${feedNumber('timing.data')!} end, n, 1,
      case when n % 10000 = 0 then null when n % 5000 = 0 then 503 else 200 end, 1, 2,
      case when n % 10000 = 0 then 'timeout' end, case when n % 10000 = 0 then 'timeout' end, 'ok',
      to_timestamp(${(TODAY - 2 * DAY_MS) / 1000}::float8 + (n - 1) * 86400.0 / 40000)
    from generate_series(1, 120000) n join webhook w on webhook_id = ${webhookId}
      left join run on run_id = case
        when n <= 40000 then ${RUNS[0]!} when n <= 80000 then ${RUNS[1]!} when n <= 80020 then ${RUNS[2]!} end
    order by n`;
  await api.sql`analyze delivery_attempt`;
});

async function page(query: string): Promise<Page> {
  const { status, body } = await client.call('GET', `/v1/webhooks/${webhookId}/logs?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

/** All entries, and how many requests that took. */
async function all(query: string): Promise<{ found: number[]; pages: number }> {
  const found: number[] = [];
  let [pages, cursor]: [number, string | null] = [0, null];
  do {
    const { logs, nextCursor }: Page = await page(`limit=500&${query}${cursor === null ? '' : `&cursor=${cursor}`}`);
    found.push(...logs.map(({ sequence }) => sequence));
    cursor = nextCursor;
    pages++;
  } while (cursor !== null);
  return { found, pages };
}

const countdown = (from: number, to: number, step: number): number[] =>
  Array.from({ length: (from - to) / step + 1 }, (_, index) => from - index * step);

test('failed attempts and those of a status are found at once, however many others there are', async () => {
  const failed = countdown(120_000, 5_000, 5_000);
  assert.deepEqual(await all('outcome=failed'), { found: failed, pages: 1 });
  assert.deepEqual(await all('status=503'), { found: failed.filter((n) => n % 10_000 !== 0), pages: 1 });
  const [first] = (await page('outcome=failed&limit=1')).logs;
  assert.deepEqual([first!.sequence, first!.statusCode, first!.feedId], [120_000, null, 'session.status']);
});

test('a filter that few entries match takes several pages, and none is missed or repeated', async () => {
  const { found, pages } = await all('feed=session.status');
  assert.deepEqual(found, countdown(120_000, 10_000, 10_000));
  assert.equal(pages, Math.floor(120_000 / LOG_EXAMINED_MAX) + 1);
  assert.deepEqual((await all('outcome=delivered&feed=session.status')).found, []);
  assert.deepEqual(
    (await page('feed=session.status&limit=2')).logs.map(({ sequence }) => sequence),
    [120_000, 110_000],
  );
});

test('entries of a run, of a session and of a mode are shown', async () => {
  assert.deepEqual((await all(`run=${RUNS[2]!}`)).found, countdown(80_020, 80_001, 1));
  assert.deepEqual((await all(`run=${RUNS[1]!}&outcome=failed`)).found, countdown(80_000, 45_000, 5_000));
  assert.deepEqual((await all('session=monza&outcome=failed')).found, countdown(80_000, 5_000, 5_000));
  assert.deepEqual((await all('session=monza&mode=live&outcome=failed')).found, countdown(80_000, 45_000, 5_000));
  assert.deepEqual((await all('mode=test&outcome=failed')).found, countdown(120_000, 85_000, 5_000));
  const [entry] = (await page(`run=${RUNS[1]!}&limit=1`)).logs;
  assert.deepEqual([entry!.runId, entry!.mode], [RUNS[1], 'live']);
});

test('a span of time begins at `since` and ends before `until`', async () => {
  const at = (n: number): string => new Date(TODAY - 2 * DAY_MS + ((n - 1) * DAY_MS) / 40_000).toISOString();
  assert.deepEqual((await all(`since=${at(50_001)}&until=${at(50_011)}`)).found, countdown(50_010, 50_001, 1));
  assert.deepEqual((await all(`until=${at(3)}`)).found, [2, 1]);
  assert.deepEqual((await all(`since=${at(119_999)}`)).found, [120_000, 119_999]);
  const day = new Date(TODAY - DAY_MS).toISOString().slice(0, 10);
  assert.deepEqual((await all(`until=${day}&outcome=failed`)).found, countdown(40_000, 5_000, 5_000));
  assert.deepEqual((await all(`since=${at(9)}&until=${at(5)}`)).found, []);
  const zoned = at(3).replace('Z', encodeURIComponent('+00:00'));
  assert.deepEqual((await all(`until=${zoned}`)).found, [2, 1]);
});

test('an unknown run is not found, and neither is that of another account; a session without runs has no entries', async () => {
  for (const run of [THEIRS, 'run_0000000000000000000000000z', 'nonsense', '']) {
    const { status, body } = await client.call('GET', `/v1/webhooks/${webhookId}/logs?run=${run}`);
    assert.deepEqual(
      [status, body.code, body.error],
      [404, 'not_found', 'There is no such run: GET /v1/simulate/runs lists yours.'],
      run,
    );
  }
  assert.deepEqual((await page('session=imola')).logs, []);
});

test('filters that can match nothing are invalid_query, each named', async () => {
  for (const [query, error] of [
    ['outcome=lost', /^outcome must be one of delivered, failed$/],
    ['status=99', /^status must be at least 100$/],
    ['status=ok', /^status must be a whole number$/],
    ['delivery=evt_1', /^delivery must be a delivery id, evt_ and 26 characters as in webhook-id, and "evt_1" is not$/],
    ['mode=both', /^mode must be one of live, replay, test$/],
    ['feed=timing', /^feed "timing" is not a feed \(GET \/v1\/feeds lists them\)$/],
    ['since=yesterday', /^since must be a time such as 2026-11-23T14:00:00Z/],
    ['since=2026-11-23T14:00:00', /^since must be a time/],
    ['until=2026-13-01', /^until must be a time/],
    ['since=2026-11-23T14:00:00+01:00', /write a \+ in it as %2B/],
    ['cursor=abc&since=1&feed=x', /^cursor .*; feed .*; since /],
    ['Status=500', /^"Status" is not a known parameter \(known: limit, cursor, outcome, status, feed, run, /],
  ] as const) {
    const { status, body } = await client.call('GET', `/v1/webhooks/${webhookId}/logs?${query}`);
    assert.deepEqual([status, body.code], [400, 'invalid_query'], query);
    assert.match(body.error, error);
  }
});
