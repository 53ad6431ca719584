import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ACCOUNT_TESTS_MAX } from '#engine/base/limits.ts';
import { TIMED_OUT } from '#engine/delivery/attempt-result.ts';
import { feedNumber } from '#schemas/webhook/feeds.ts';
import { until, withApi } from '#test/support/api-harness.ts';

const api = await withApi({ after });
const client = await api.client('developer');

interface Attempt {
  readonly sequence: number;
  readonly statusCode?: number | null;
  readonly error?: string | null;
  readonly responseBody?: string | null;
}

async function logAttempts(webhookId: string, attempts: readonly Attempt[]): Promise<void> {
  for (const { sequence, statusCode = 200, error = null, responseBody = 'ok' } of attempts) {
    await api.sql`
      insert into delivery_attempt (webhook_no, run_no, mode, feed, sequence, attempt, status_code, latency_ms, error,
        response_body, created_at)
      select webhook_no, null, 'replay', ${feedNumber('timing.data')!}, ${sequence}, 1, ${statusCode}, 12.3456, ${error},
        ${responseBody}, now()
      from webhook where webhook_id = ${webhookId}`;
  }
}

function sequences(body: { data: { logs: { sequence: number }[] } }): number[] {
  return body.data.logs.map(({ sequence }) => sequence);
}

test('the delivery log shows each attempt, newest first', async () => {
  const id = await client.webhook();
  await logAttempts(id, [
    { sequence: 1 },
    { sequence: 2, statusCode: null, error: 'timeout', responseBody: null },
    { sequence: 3, statusCode: 500, responseBody: 'no "room"\n' },
  ]);
  const { status, body } = await client.call('GET', `/v1/webhooks/${id}/logs`);
  assert.equal(status, 200);
  assert.deepEqual(sequences(body), [3, 2, 1]);
  assert.equal(body.data.nextCursor, null);
  const { logId, createdAt, ...entry } = body.data.logs[1];
  assert.match(logId, /^log_[0-9a-z]{13}$/);
  assert.equal(new Date(createdAt).toISOString(), createdAt);
  assert.deepEqual(entry, {
    webhookId: id,
    statusCode: null,
    latencyMs: 12.35,
    responseBody: null,
    deliveryId: null,
    feedId: 'timing.data',
    sessionId: null,
    runId: null,
    mode: 'replay',
    sequence: 2,
    snapshot: false,
    attempt: 1,
    outcome: 'failed',
    failureCode: null,
    errorMessage: 'timeout',
    lagMs: null,
  });
  assert.equal(body.data.logs[0].responseBody, 'no "room"\n');
});

test('of a test the headers are shown; its sample, and so the signatures, cannot be made again', async () => {
  const id = await client.webhook();
  await api.sql`
    insert into delivery_attempt (webhook_no, run_no, mode, feed, sequence, attempt, status_code, latency_ms, created_at)
    select webhook_no, null, 'test', ${feedNumber('timing.data')!}, 0, 1, 503, 12, now()
    from webhook where webhook_id = ${id}`;
  const [entry] = (await client.call('GET', `/v1/webhooks/${id}/logs?mode=test`)).body.data.logs;
  assert.deepEqual([entry.outcome, entry.failureCode, entry.lagMs], ['failed', 'http_status', null]);
  const { request, notes } = (await client.call('GET', `/v1/webhooks/${id}/logs/${entry.logId}`)).body.data;
  const { headers, body } = request;
  assert.deepEqual([headers['X-Service-Mode'], headers['X-Service-Signature'], body], ['test', null, null]);
  assert.deepEqual([headers['X-Service-Delivery-Id'], headers['content-length']], [entry.deliveryId, null]);
  assert.deepEqual(
    notes.map(({ part, reason }: { part: string; reason: string }) => [part, reason]),
    [
      ['body', 'test_sample'],
      ['signatures', 'test_sample'],
    ],
  );
});

test('the cursor pages through the log, and new attempts do not shift the pages', async () => {
  const id = await client.webhook();
  await logAttempts(
    id,
    [1, 2, 3, 4, 5].map((sequence) => ({ sequence })),
  );
  const first = await client.call('GET', `/v1/webhooks/${id}/logs?limit=2`);
  assert.deepEqual(sequences(first.body), [5, 4]);
  await logAttempts(id, [{ sequence: 6 }]);
  const second = await client.call('GET', `/v1/webhooks/${id}/logs?limit=2&cursor=${first.body.data.nextCursor}`);
  assert.deepEqual(sequences(second.body), [3, 2]);
  const third = await client.call('GET', `/v1/webhooks/${id}/logs?limit=2&cursor=${second.body.data.nextCursor}`);
  assert.deepEqual(sequences(third.body), [1]);
  assert.equal(third.body.data.nextCursor, null);
});

test('a log limit outside 1 to 500 or a malformed cursor is invalid_query', async () => {
  const id = await client.webhook();
  for (const query of [
    'limit=501',
    'limit=0',
    'cursor=',
    'cursor=abc',
    'cursor=__________8',
    `cursor=${'A'.repeat(3_000)}`,
  ]) {
    const { status, body } = await client.call('GET', `/v1/webhooks/${id}/logs?${query}`);
    assert.deepEqual([status, body.code], [400, 'invalid_query'], query.slice(0, 40));
  }
  assert.equal((await client.call('GET', `/v1/webhooks/${id}/logs?limit=500`)).status, 200);
});

test('the owner of a deleted endpoint can still read its log', async () => {
  const id = await client.webhook();
  await logAttempts(id, [{ sequence: 1 }]);
  await client.call('DELETE', `/v1/webhooks/${id}`);
  assert.deepEqual(sequences((await client.call('GET', `/v1/webhooks/${id}/logs`)).body), [1]);
  const stranger = await api.client('developer');
  assert.equal((await stranger.call('GET', `/v1/webhooks/${id}/logs`)).status, 404);
});

test('a test delivery sends a sample payload of the first feed and returns the result', async () => {
  const id = await client.webhook({ feedId: undefined, feedIds: ['timing.data', 'session.status'] });
  const { status, body } = await client.call('POST', `/v1/webhooks/${id}/test`);
  assert.equal(status, 200);
  assert.deepEqual(body, { data: { delivered: true, statusCode: 204, latencyMs: 12.35, errorMessage: null } });
  const sent = api.control.tests.at(-1)!;
  assert.equal(sent.feedId, 'timing.data');
  assert.equal(sent.settings.webhookId, id);
  const { utc, drivers, feed, seriesId, sessionId, sequence } = sent.body as Record<string, unknown>;
  assert.deepEqual([feed, seriesId, sessionId, sequence], ['timing.data', 'f1', 'test', 1]);
  assert.equal(new Date(String(utc)).toISOString(), utc);
  assert.ok((drivers as readonly { tla: string }[]).every(({ tla }) => /^[A-Z]{3}$/.test(tla)));
});

test('a failed test delivery is reported with status 200', async () => {
  const id = await client.webhook();
  api.control.outcome = { kind: 'attempted', result: TIMED_OUT, latencyMs: 10_000 };
  const { status, body } = await client.call('POST', `/v1/webhooks/${id}/test`);
  assert.equal(status, 200);
  assert.deepEqual(body.data, { delivered: false, statusCode: null, latencyMs: 10_000, errorMessage: 'timeout' });
});

test('a test delivery past the monthly limit sends nothing and returns the reason', async () => {
  const id = await client.webhook();
  api.control.outcome = { kind: 'skipped' };
  const { status, body } = await client.call('POST', `/v1/webhooks/${id}/test`);
  assert.equal(status, 200);
  const errorMessage = 'the monthly delivery limit is reached';
  assert.deepEqual(body.data, { delivered: false, statusCode: null, latencyMs: 0, errorMessage });
});

test('a test delivery that no shard can take gets 503', async () => {
  const id = await client.webhook();
  api.control.outcome = { kind: 'unavailable' };
  const { status, body } = await client.call('POST', `/v1/webhooks/${id}/test`);
  assert.deepEqual([status, body.code], [503, 'unavailable']);
});

test('one account has a bounded number of test deliveries under way, and another account is not held up', async () => {
  const id = await client.webhook();
  const other = await api.client('developer');
  const otherId = await other.webhook();
  const { promise, resolve } = Promise.withResolvers<void>();
  api.control.testsEnd = promise;
  api.control.outcome = { kind: 'attempted', result: { kind: 'answered', statusCode: 200, body: '' }, latencyMs: 1 };
  const before = api.control.tests.length;
  const running = Array.from({ length: ACCOUNT_TESTS_MAX }, () => client.call('POST', `/v1/webhooks/${id}/test`));
  await until(() => api.control.tests.length === before + ACCOUNT_TESTS_MAX);
  const { status, body, headers } = await client.call('POST', `/v1/webhooks/${id}/test`);
  assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 'unavailable', '1']);
  assert.match(body.error, /32 test deliveries under way/);
  const others = other.call('POST', `/v1/webhooks/${otherId}/test`);
  await until(() => api.control.tests.length === before + ACCOUNT_TESTS_MAX + 1);
  resolve();
  for (const answer of await Promise.all([...running, others])) assert.equal(answer.status, 200);
  assert.equal((await client.call('POST', `/v1/webhooks/${id}/test`)).status, 200);
});
