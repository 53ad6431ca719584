// Changes that the database has made and whose answer never came, because its server died just then: the customer gets
// 503, and the delivery engine must follow the database all the same.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Sql } from '#engine/storage/postgres-client.ts';
import { until, withApi } from '#test/support/api-harness.ts';
import { withDatabase } from '#test/support/database.ts';
import { steadyTimeline } from '#test/support/timelines.ts';
import { attempted, FAILED } from './attempts-made.ts';
import { runOf, settleRun, start } from './replay-calls.ts';

const { sql } = await withDatabase({ after });
/** What is in the statement whose answer is lost, once; in a transaction, that of its commit. Null: none is. */
let lost: string | null = null;
const gone = () => Promise.reject(Object.assign(new Error('gone'), { code: 'CONNECTION_CLOSED' }));

/** Calls back with the text of each statement, before it is sent. */
function watched<Client extends object>(client: Client, note: (text: string) => void): Client {
  return new Proxy(client, {
    apply(target, self, given: [TemplateStringsArray | unknown, ...unknown[]]) {
      if (Array.isArray(given[0])) note(given[0].join(''));
      return Reflect.apply(target as never, self, given);
    },
  });
}

function isLost(text: string): boolean {
  if (lost === null || !text.includes(lost)) return false;
  lost = null;
  return true;
}

const losing = new Proxy(sql, {
  apply(target, self, given: [TemplateStringsArray, ...unknown[]]) {
    const made = Reflect.apply(target, self, given);
    return isLost(given[0].join('')) ? made.then(gone) : made;
  },
  get(target, name) {
    const value = Reflect.get(target, name);
    if (name !== 'begin') return value;
    return async (...given: unknown[]) => {
      const work = given.pop() as (transaction: object) => Promise<unknown>;
      let loses = false;
      const note = (text: string): void => {
        loses ||= isLost(text);
      };
      const made = await Reflect.apply(value as never, target, [
        ...given,
        (transaction: object) => work(watched(transaction, note)),
      ]);
      return loses ? gone() : made;
    };
  },
}) as Sql;

const api = await withApi({ after }, { sql: losing });
await api.session('2026-monza-race', { timeline: steadyTimeline(50, 1_000, 'session.status') });

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
  lost = 'insert into webhook';
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

test('a replay whose start was answered with 503 has ended, and the next one starts', async () => {
  const client = await api.client('free');
  await client.webhook();
  lost = 'insert into run';
  const refused = await client.call('GET', '/v1/simulate/stream?session=2026-monza-race&sinks=webhook');
  assert.deepEqual([refused.status, refused.body.code, lost], [503, 'unavailable', null]);
  const [{ runId }] = (await client.call('GET', '/v1/simulate/runs')).body.data.runs;
  await until(async () => (await runOf(client, runId)).state === 'stopped');
  await settleRun(api, client, await start(client));
});

test('a resend whose start was answered with 503 has ended, and the next one starts', async () => {
  const { client, webhookId, runId } = await delivering();
  await attempted(api, runId, webhookId, 7, FAILED);
  await settleRun(api, client, runId);
  const resend = () => client.call('POST', `/v1/webhooks/${webhookId}/resend`, { runId, outcome: 'failed' });
  lost = 'insert into resend';
  const refused = await resend();
  assert.deepEqual([refused.status, refused.body.code, lost], [503, 'unavailable', null]);
  const { status, body } = await resend();
  assert.deepEqual([status, body.data?.updates], [202, 1], JSON.stringify(body));
  await settleRun(api, client, body.data.runId);
});

test('a run that its client came back to, and that could not be taken up, is there when it comes back again', async () => {
  const client = await api.client('free');
  const open = async (headers = {}) => {
    const leaves = new AbortController();
    const response = await fetch(`${api.address}/v1/simulate/stream?session=2026-monza-race`, {
      headers: { authorization: `Bearer ${client.token}`, ...headers },
      signal: leaves.signal,
    });
    return { status: response.status, leave: () => leaves.abort() };
  };
  (await open()).leave();
  const shown = async () => (await client.call('GET', '/v1/simulate/runs')).body.data.runs;
  await until(async () => (await shown())[0].state === 'stopped');
  const seen = { 'last-event-id': '1' };
  for (const answer of ["set state = 'running', ended_at", 'where r.run_id = ']) {
    lost = answer;
    assert.deepEqual([(await open(seen)).status, lost], [503, null]);
    await until(async () => (await shown())[0].state === 'stopped');
  }
  const again = await open(seen);
  assert.deepEqual([again.status, (await shown()).length], [200, 1]);
  again.leave();
});
