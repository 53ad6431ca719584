// Lists of runs of an account with very many endpoints: what a page of them may hold.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { RUN_ENDPOINTS_LISTED_MAX } from '#engine/base/limits.ts';
import { withApi } from '#test/support/api-harness.ts';

const api = await withApi({ after });
const client = await api.client('custom');
const HELD = RUN_ENDPOINTS_LISTED_MAX;
const RUNS = 3;

const webhookId = await client.webhook();
await api.sql`
  insert into webhook (webhook_id, account_id, url, method, series_id, filters, feed_patterns, secret_sealed, active)
  select 'wh_' || lpad(n::text, 26, '0'), account_id, url, method, series_id, filters, feed_patterns, secret_sealed, n > 100
  from webhook, generate_series(1, ${HELD - 1}) n where webhook_id = ${webhookId}`;
for (const mode of ['replay', 'live'])
  for (let no = 1; no <= RUNS; no++) {
    const runId = `run_${mode.padEnd(25, '0')}${no}`;
    await api.sql`
      insert into run (run_id, account_id, session_id, speed, sinks, mode, state, update_count, ended_at)
      values (${runId}, ${client.accountId}, ${`session-${no}`}, 1, 'webhook', ${mode}, 'completed', 9, now())`;
    await api.sql`
      insert into run_endpoint (webhook_id, run_id, next_position, matched, delivered, failed, skipped, lag_ms)
      select webhook_id, ${runId}, 9, 9, 5, 1, '{"paused": 2}', case webhook_id when ${webhookId} then 70 else 30 end
      from webhook where account_id = ${client.accountId}`;
  }

interface Run {
  readonly endpoints: readonly { readonly webhookId: string; readonly pending: number }[];
}

async function listed(path: string): Promise<(Run & Record<string, unknown>)[]> {
  const { status, body } = await client.call('GET', path);
  assert.equal(status, 200);
  return body.data.runs;
}

for (const [path, sums] of [
  ['/v1/simulate/runs', { activeEndpoints: HELD - 100, pausedEndpoints: 100, position: 9 }],
  [
    '/v1/live/runs',
    { matched: 9 * HELD, delivered: 5 * HELD, failed: HELD, pending: HELD, skipped: 2 * HELD, lagMs: 70 },
  ],
] as const)
  test(`a page of ${path} has a bounded number of endpoints, as many of each run, and counts all of them`, async () => {
    const runs = await listed(`${path}?limit=${RUNS}`);
    assert.equal(runs.length, RUNS);
    for (const run of runs) {
      assert.equal(run.endpoints.length, Math.floor(RUN_ENDPOINTS_LISTED_MAX / RUNS));
      assert.deepEqual(Object.fromEntries(Object.keys(sums).map((name) => [name, run[name]])), sums);
    }
    const [alone] = await listed(`${path}?limit=1`);
    assert.equal(
      new Set(alone!.endpoints.map((endpoint) => endpoint.webhookId)).size,
      HELD,
      'alone it has all of them',
    );
    assert.ok(alone!.endpoints.every(({ pending }) => pending === 1));
  });
