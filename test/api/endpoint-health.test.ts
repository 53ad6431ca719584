// The health of endpoints in their answers, from what the delivery threads commit.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { HealthWatch } from '#api/webhooks/health/health-watch.ts';
import { postgresHealthMailStore } from '#api/webhooks/health/postgres-health-mail-store.ts';
import { systemClock } from '#engine/base/clock.ts';
import { HEALTH_FAILURES_MAX, HEALTH_TTL_MS } from '#engine/base/limits.ts';
import { failed } from '#engine/delivery/attempt-result.ts';
import { HealthLedger } from '#engine/delivery/delivery-log/endpoint-health.ts';
import { PostgresRecordStore } from '#engine/delivery/delivery-log/postgres-record-store.ts';
import { withApi } from '#test/support/api-harness.ts';
import { silentLog } from '#test/support/database.ts';

const START_MS = Date.UTC(2026, 5, 15, 12);
const HOUR_MS = 3_600_000;
let nowMs = START_MS;
const clock = { ...systemClock, nowMs: () => nowMs, wallMs: () => nowMs };
const api = await withApi({ after }, { clock });
const client = await api.client('developer');
const store = new PostgresRecordStore(api.sql);
const writer = { name: 'health', epoch: 1 };
await store.admit(writer);
let batchNo = 0;

/** Commits attempts of an endpoint as a shard does: statuses, or null for a timeout. */
async function attempted(webhookId: string, results: readonly (number | null)[], latencyMs = 40): Promise<void> {
  const [row] = await api.sql<{ no: number }[]>`select webhook_no as no from webhook where webhook_id = ${webhookId}`;
  const ledger = new HealthLedger();
  for (const statusCode of results) {
    const result =
      statusCode === null ? failed('timeout', 'timeout') : { kind: 'answered' as const, statusCode, body: '' };
    ledger.attempt(row!.no, result, latencyMs, nowMs);
  }
  const health = ledger.take(nowMs);
  await store.commit({ writer, batchNo: ++batchNo, attempts: [], usage: [], latency: [], checkpoints: [], health });
}

const times = (count: number, statusCode: number | null): (number | null)[] => new Array(count).fill(statusCode);

/** As the list shows it. Time passes first, because lists are cached. */
async function health(webhookId: string) {
  nowMs += HEALTH_TTL_MS + 1;
  const { body } = await client.call('GET', '/v1/webhooks?limit=100');
  return body.data.endpoints.find((endpoint: { webhookId: string }) => endpoint.webhookId === webhookId).health;
}

async function newRun(runId: string, mode: string, state: string, endpoints: Record<string, object>): Promise<void> {
  await api.sql`
    insert into run (run_id, account_id, session_id, speed, sinks, mode, state, update_count)
    values (${runId}, ${client.accountId}, ${runId}, 10, 'webhook', ${mode}, ${state}, 9)`;
  for (const [webhookId, row] of Object.entries(endpoints))
    await api.sql`insert into run_endpoint ${api.sql({ run_id: runId, webhook_id: webhookId, ...row })}`;
}

test('an endpoint that only fails, batch after batch, is recorded like any other', async () => {
  const webhookId = await client.webhook();
  for (let batch = 0; batch < 3; batch++) await attempted(webhookId, times(1, null));
  const { attempts, successShare, p95LatencyMs } = await health(webhookId);
  assert.deepEqual([attempts, successShare, p95LatencyMs], [3, 0, null]);
});

test('an endpoint that was never tried is healthy, without figures', async () => {
  const webhookId = await client.webhook();
  assert.deepEqual(await health(webhookId), {
    state: 'healthy',
    failingSince: null,
    attempts: 0,
    successShare: null,
    p95LatencyMs: null,
    lastFailure: null,
    missedUpdates: 0,
  });
});

test('share of successes, p95 and the last failure are those of the last hour; the failure stays', async () => {
  const webhookId = await client.webhook();
  await attempted(webhookId, [...times(97, 200), 503, null, 204], 50);
  const failedAt = new Date(nowMs).toISOString();
  nowMs += HOUR_MS / 2;
  await attempted(webhookId, times(100, 200), 800);
  const shown = await health(webhookId);
  assert.ok(Math.abs(shown.p95LatencyMs / 800 - 1) < 0.12, String(shown.p95LatencyMs));
  const lastFailure = { at: failedAt, code: 'timeout', statusCode: null };
  assert.deepEqual(
    [shown.state, shown.attempts, shown.successShare, shown.lastFailure],
    ['healthy', 200, 0.99, lastFailure],
  );
  nowMs += 2 * HOUR_MS;
  const later = await health(webhookId);
  assert.deepEqual([later.attempts, later.successShare, later.p95LatencyMs], [0, null, null]);
  assert.deepEqual(later.lastFailure, lastFailure);
});

test('an endpoint is failing after 20 failures in a row, over commits, until the next success', async () => {
  const webhookId = await client.webhook();
  await attempted(webhookId, [200, ...times(HEALTH_FAILURES_MAX - 1, 404)]);
  assert.equal((await health(webhookId)).state, 'healthy');
  await attempted(webhookId, [404]);
  const failingSince = new Date(nowMs).toISOString();
  const shown = await health(webhookId);
  assert.deepEqual([shown.state, shown.failingSince], ['failing', failingSince]);
  assert.deepEqual(shown.lastFailure, { at: failingSince, code: 'http_status', statusCode: 404 });
  const changed = await client.call('PATCH', `/v1/webhooks/${webhookId}`, { webhookMethod: 'put' });
  assert.equal(changed.body.data.health.state, 'failing', 'so does the answer to a change');
  await attempted(webhookId, [200]);
  assert.deepEqual([(await health(webhookId)).state, (await health(webhookId)).failingSince], ['healthy', null]);
});

test('an endpoint that its replay has paused is paused_for_run, until the run ends', async () => {
  const [paused, other] = [await client.webhook(), await client.webhook()];
  await newRun('run_a', 'replay', 'running', { [paused]: { breaker: 'open' }, [other]: {} });
  assert.deepEqual([(await health(paused)).state, (await health(other)).state], ['paused_for_run', 'healthy']);
  await api.sql`update run set state = 'stopped' where run_id = 'run_a'`;
  assert.equal((await health(paused)).state, 'healthy');
});

test('missed updates are those of live sessions that failed or expired', async () => {
  const webhookId = await client.webhook();
  const skipped = api.sql.json({ expired: 2, paused: 50 });
  await newRun('run_b', 'live', 'completed', { [webhookId]: { failed: 3, skipped } });
  await newRun('run_c', 'live', 'running', { [webhookId]: { failed: 4 } });
  await newRun('run_d', 'replay', 'completed', { [webhookId]: { failed: 100 } });
  assert.equal((await health(webhookId)).missedUpdates, 9);
});

function minutes(count: number): void {
  nowMs += count * 60_000;
}
const watch = new HealthWatch({
  store: postgresHealthMailStore(api.sql),
  mailer: api.mailer,
  clock,
  log: silentLog,
});
/** Kinds of the mails that a look sends, with the endpoints that they name. */
async function look(): Promise<(readonly [kind: string, ...webhookIds: string[]])[]> {
  const before = api.mailer.sent.length;
  await watch.look();
  return api.mailer.sent.slice(before).map(({ kind, text }) => [kind, ...(text.match(/wh_\w{26}/g) ?? [])] as const);
}

test('an owner is mailed once when endpoints are failing for a minute, and once when they are well again', async () => {
  assert.deepEqual(await look(), []);
  const [a, b] = [await client.webhook(), await client.webhook({ webhookUrl: 'https://b.example.com/in?key=secret' })];
  for (const id of [a, b]) await attempted(id, times(HEALTH_FAILURES_MAX, 503));
  assert.deepEqual(await look(), [], 'it may be a restart');
  minutes(1);
  assert.deepEqual(await look(), [['endpoint-failing', a, b]]);
  const { to, subject, text } = api.mailer.sent.at(-1)!;
  const [account] = await api.sql`select email from account where account_id = ${client.accountId}`;
  assert.deepEqual([to, subject], [account!.email, 'Slipstream: 2 endpoints are failing']);
  assert.match(text, /\(b\.example\.com\), since 2026-06-\S+, last: HTTP 503/);
  assert.ok(!text.includes('secret'));
  assert.deepEqual(await look(), []);
  await attempted(a, [200]);
  assert.deepEqual(await look(), [], 'one success may be an accident');
  minutes(1);
  assert.deepEqual(await look(), [['endpoint-well', a]]);
  await attempted(a, times(HEALTH_FAILURES_MAX, null));
  minutes(30);
  assert.deepEqual(await look(), [], 'not twice within an hour');
  minutes(31);
  assert.deepEqual(await look(), [['endpoint-failing', a]]);
  await client.call('DELETE', `/v1/webhooks/${a}`);
  await client.call('DELETE', `/v1/webhooks/${b}`);
});

test('a mail that could not be sent is sent by a later look; nothing is mailed about a paused endpoint', async () => {
  const [id, paused] = [await client.webhook(), await client.webhook()];
  await client.call('PATCH', `/v1/webhooks/${paused}`, { active: false });
  for (const each of [id, paused]) await attempted(each, times(HEALTH_FAILURES_MAX, 503));
  minutes(2);
  api.mailer.failing = true;
  assert.deepEqual(await look(), []);
  api.mailer.failing = false;
  assert.deepEqual(await look(), [['endpoint-failing', id]]);
  await attempted(id, [200]);
  minutes(2);
  api.mailer.failing = true;
  assert.deepEqual(await look(), []);
  api.mailer.failing = false;
  assert.deepEqual(await look(), [['endpoint-well', id]]);
  assert.deepEqual(await look(), []);
});
