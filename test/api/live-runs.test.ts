// The list of live runs.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { withApi } from '#test/support/api-harness.ts';

const api = await withApi({ after });
const [client, stranger] = [await api.client('developer'), await api.client('developer')];

async function newRun(accountId: string, runId: string, mode: string, sessionId: string): Promise<void> {
  await api.sql`
    insert into run (run_id, account_id, session_id, speed, sinks, mode, state, update_count)
    values (${runId}, ${accountId}, ${sessionId}, 1, 'webhook', ${mode}, 'running', 0)`;
}

test('live runs are listed newest first, with counts by endpoint and in all, and no replays or runs of others', async () => {
  await newRun(client.accountId, 'run_1', 'live', 'monza');
  await newRun(client.accountId, 'run_2', 'replay', 'monza');
  await newRun(client.accountId, 'run_3', 'live', 'spa');
  await newRun(stranger.accountId, 'run_4', 'live', 'spa');
  const counts = { run_id: 'run_3', matched: 10, delivered: 4, failed: 1, lag_ms: 30 };
  const skipped = api.sql.json({ paused: 2, expired: 1 });
  await api.sql`insert into run_endpoint ${api.sql({ ...counts, webhook_id: 'wh_a', skipped })}`;
  await api.sql`insert into run_endpoint ${api.sql({ ...counts, webhook_id: 'wh_b', lag_ms: 70 })}`;
  const { status, body } = await client.call('GET', '/v1/live/runs');
  assert.equal(status, 200);
  const [spa, monza] = body.data.runs;
  assert.deepEqual([body.data.total, spa.runId, monza.runId], [2, 'run_3', 'run_1']);
  const { runId, startedAt, endpoints, ...run } = spa;
  const sums = { matched: 20, delivered: 8, failed: 2, pending: 7, skipped: 3, lagMs: 70 };
  assert.deepEqual(run, { sessionId: 'spa', state: 'running', endedAt: null, ...sums });
  const each = { matched: 10, delivered: 4, failed: 1 };
  assert.deepEqual(endpoints, [
    { webhookId: 'wh_a', ...each, pending: 2, skipped: { paused: 2, expired: 1 }, lagMs: 30 },
    { webhookId: 'wh_b', ...each, pending: 5, skipped: {}, lagMs: 70 },
  ]);
  assert.deepEqual([monza.matched, monza.lagMs, monza.endpoints], [0, 0, []]);
  const filtered = await client.call('GET', '/v1/live/runs?session=monza&limit=1');
  assert.deepEqual([filtered.body.data.total, filtered.body.data.runs[0].runId], [1, 'run_1']);
});
