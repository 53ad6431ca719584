// Changes that the database has made and whose answer never came, because its server died just then: the customer gets
// 503, and the delivery engine must follow the database all the same.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Sql } from '#engine/storage/postgres-client.ts';
import { until, withApi } from '#test/support/api-harness.ts';
import { withDatabase } from '#test/support/database.ts';
import { steadyTimeline } from '#test/support/timelines.ts';
import { settleRun, start } from './replay-calls.ts';

const { sql } = await withDatabase({ after });
const COMMIT = 'commit';
/** What is in the statement whose answer is lost, once, or COMMIT for a transaction; null: none is. */
let lost: string | null = null;
const gone = () => Promise.reject(Object.assign(new Error('gone'), { code: 'CONNECTION_CLOSED' }));

const losing = new Proxy(sql, {
  apply(target, self, given: [TemplateStringsArray, ...unknown[]]) {
    const made = Reflect.apply(target, self, given);
    if (lost === null || !given[0].join('').includes(lost)) return made;
    lost = null;
    return made.then(gone);
  },
  get(target, name) {
    const value = Reflect.get(target, name);
    if (name !== 'begin' || lost !== COMMIT) return value;
    lost = null;
    return async (...given: unknown[]) => {
      await Reflect.apply(value as Sql['begin'], target, given);
      return gone();
    };
  },
}) as Sql;

const api = await withApi({ after }, { sql: losing });
await api.session('2026-monza-race', { timeline: steadyTimeline(50, 1_000) });

async function delivering() {
  const client = await api.client('free');
  const webhookId = await client.webhook();
  return { client, webhookId, runId: await start(client) };
}

test('the engine sends nothing more to an endpoint whose deletion was answered with 503', async () => {
  const { client, webhookId, runId } = await delivering();
  lost = 'set deleted_at';
  const deleted = await client.call('DELETE', `/v1/webhooks/${webhookId}`);
  assert.deepEqual([deleted.status, deleted.body.code], [503, 'unavailable']);
  await until(() => api.control.deleted.includes(webhookId));
  assert.equal((await client.call('DELETE', `/v1/webhooks/${webhookId}`)).status, 404, 'it is deleted');
  await settleRun(api, client, runId);
});

test('the engine signs with the new secret though its rotation was answered with 503', async () => {
  const { client, webhookId, runId } = await delivering();
  lost = 'set previous_secret_sealed';
  const rotated = await client.call('POST', `/v1/webhooks/${webhookId}/rotate-secret`);
  assert.deepEqual([rotated.status, rotated.body.code], [503, 'unavailable']);
  const { webhookSecret } = (await client.call('GET', `/v1/webhooks/${webhookId}/secret`)).body.data;
  await until(() => api.control.changed.some((one) => one.webhookId === webhookId && one.secret === webhookSecret));
  await settleRun(api, client, runId);
});

test('an endpoint whose creation was answered too late is there once, and its request gets its secret', async () => {
  const client = await api.client('free');
  await client.call('GET', '/v1/webhooks');
  lost = COMMIT;
  const body = { webhookUrl: 'https://hooks.example.com/in', feedId: 'session.status' };
  const { status, body: created } = await client.call('POST', '/v1/webhooks', body);
  assert.deepEqual([status, lost], [201, null], JSON.stringify(created));
  const { webhookId, webhookSecret } = created.data;
  const { endpoints } = (await client.call('GET', '/v1/webhooks')).body.data;
  assert.deepEqual(
    endpoints.map((endpoint: { webhookId: string }) => endpoint.webhookId),
    [webhookId],
  );
  const secret = await client.call('GET', `/v1/webhooks/${webhookId}/secret`);
  assert.equal(secret.body.data.webhookSecret, webhookSecret);
});
