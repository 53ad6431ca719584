// What a service process reports to operators: metrics that agree with the delivery log, and log lines.

import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { temporaryDataDir } from '#test/support/database.ts';
import { PrometheusText } from '#test/support/prometheus-text.ts';
import { ApiClient, runAdminCommand, type ServiceProcess, startService } from '#test/support/service-process.ts';
import { writeShortRace } from '#test/support/short-race.ts';
import { startWebhookReceiver } from '#test/support/webhook-receiver.ts';

const SESSION = '2026-short-race';
const SECRET_QUERY = 'token-that-nobody-should-read';
const dataDir = temporaryDataDir();
let service: ServiceProcess;
let api: ApiClient;
let authorization: string;
let webhookId: string;

before(async () => {
  chmodSync(dataDir, 0o711);
  await runAdminCommand(dataDir, ['import', 'recording', writeShortRace(dataDir), '--session', SESSION]);
  service = await startService(dataDir, {
    ADMIN_PORT: '0',
    LOG_LEVEL: 'debug',
    // Ends a shard thread at SIGUSR2.
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import ${import.meta.resolve('../../bench/load/crash-shards.ts')}`,
  });
  const account = await runAdminCommand(dataDir, ['account', 'create', '--email', 'a@example.org', '--plan', 'custom']);
  api = await ApiClient.open(service.address, account);
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: account.clientId!,
    client_secret: account.clientSecret!,
  });
  const token = await fetch(`${service.address}/v1/oauth`, { method: 'POST', body: form });
  authorization = `Bearer ${((await token.json()) as { access_token: string }).access_token}`;
  await api.call('POST', '/simulate/prepare', { sessionId: SESSION });
  await api.until(`/simulate/status?session=${SESSION}`, ({ data }) => data.status === 'ready');
});
after(() => service.end('SIGTERM'));

const readMetrics = async (): Promise<PrometheusText> =>
  new PrometheusText(await (await fetch(`${service.operators}/metrics`)).text());

// biome-ignore lint/suspicious/noExplicitAny: tests read what they know to be there.
const logged = (message: string): any[] =>
  service
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === message);

/**
 * Responds to every first attempt with 500 and to every other one with 200; `taken` resolves with the first of those.
 */
async function startHesitantReceiver(taken: () => void): Promise<string> {
  const server = createServer((request, response) => {
    const isFirst = request.headers['x-service-attempt'] === '1';
    request.resume().on('end', () => response.writeHead(isFirst ? 500 : 200).end());
    if (!isFirst) taken();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.closeAllConnections());
  after(() => server.close());
  return `http://localhost:${(server.address() as { port: number }).port}/hook?key=${SECRET_QUERY}`;
}

test('I10: after a replay the metrics agree with the delivery log, usage and the run', async () => {
  const receiver = await startWebhookReceiver();
  let taken = () => {};
  const wasTaken = new Promise<void>((resolve) => {
    taken = resolve;
  });
  after(() => receiver.close());
  const registered = await api.call('POST', '/webhooks', { webhookUrl: receiver.url, feedIds: ['*'] });
  webhookId = registered.body.data.webhookId;
  await api.call('POST', '/webhooks', { webhookUrl: await startHesitantReceiver(taken), feedId: 'session.status' });
  const started = await api.call('GET', `/simulate/stream?session=${SESSION}&speed=10&sinks=webhook`);
  const { runId } = started.body.data;
  await wasTaken;
  await api.call('DELETE', `/simulate/stream?runId=${runId}`);
  const run = await api.until(`/simulate/runs/${runId}`, ({ data }) => data.state === 'stopped');
  const { body: usage } = await api.call('GET', '/usage');
  const metrics = await readMetrics();
  const attempts = usage.data.deliveryCount;
  assert.ok(attempts > 100, `${attempts} attempts`);
  assert.equal(metrics.sum('slipstream_attempts_total'), attempts);
  assert.equal(metrics.sum('slipstream_attempt_seconds_count'), attempts);
  assert.equal(metrics.sum('slipstream_batch_attempts_sum'), attempts);
  const of = (what: 'delivered' | 'failed'): number =>
    run.data.endpoints.reduce((sum: number, endpoint: Record<string, number>) => sum + endpoint[what]!, 0);
  assert.equal(metrics.sum('slipstream_attempts_total', { outcome: 'delivered', mode: 'replay' }), of('delivered'));
  assert.equal(metrics.sum('slipstream_deliveries_total', { outcome: 'delivered' }), of('delivered'));
  assert.equal(metrics.sum('slipstream_delivery_seconds_count'), of('delivered'));
  assert.ok(metrics.sum('slipstream_attempts_total', { outcome: 'status_5xx' }) > 0);
  assert.equal(metrics.sum('slipstream_skipped_total'), usage.data.skippedCount);
  const opened = metrics.sum('slipstream_connections_opened_total');
  assert.ok(opened >= 2, `${opened} connections`);
  assert.equal(metrics.sum('slipstream_commit_failures_total'), 0);
  assert.equal(metrics.sum('slipstream_actor_restarts_total'), 0);
});

test('metrics cover threads, requests, database, disk and process, with bounded labels', async () => {
  await fetch(`${service.address}/v1/nothing/here/42`);
  const metrics = await readMetrics();
  const threads = metrics.labels('slipstream_thread_starts_total', 'thread');
  assert.deepEqual(threads.slice(0, 3), ['main', 'live', 'shard-0']);
  for (const thread of threads) {
    assert.equal(metrics.sum('slipstream_thread_starts_total', { thread }), 1, thread);
    assert.ok(metrics.sum('slipstream_thread_delay_seconds_count', { thread }) > 0, thread);
    assert.ok(metrics.sum('slipstream_thread_heap_bytes', { thread }) > 1_000_000, thread);
    assert.ok(metrics.sum('slipstream_thread_busy_seconds_total', { thread }) > 0, thread);
    assert.ok(metrics.sum('slipstream_thread_silent_seconds', { thread }) < 60, thread);
  }
  assert.ok(metrics.sum('slipstream_requests_total', { route: '/v1/simulate/runs/:runId', status: '2xx' }) > 0);
  assert.equal(metrics.sum('slipstream_requests_total', { route: 'unknown', status: '4xx' }), 1);
  assert.equal(metrics.sum('slipstream_requests_in_progress'), 0);
  assert.equal(metrics.sum('slipstream_event_streams'), 0);
  assert.ok(metrics.sum('slipstream_api_connections') > 0);
  assert.equal(metrics.sum('slipstream_api_connections_refused_total'), 0);
  assert.equal(metrics.sum('slipstream_database_up'), 1);
  assert.ok(metrics.sum('slipstream_database_connections') > 0);
  assert.ok(metrics.sum('slipstream_data_free_bytes') <= metrics.sum('slipstream_data_size_bytes'));
  assert.ok(metrics.sum('process_cpu_seconds_total') > 0);
  assert.ok(metrics.sum('process_open_fds') < metrics.sum('process_max_fds'));
  assert.ok(metrics.series < 3_000, `${metrics.series} series`);
  const text = await (await fetch(`${service.operators}/metrics`)).text();
  assert.doesNotMatch(text, /\b(wh|acc|run|evt)_/, 'nothing that grows with customers');
});

test('an event stream is counted while it is open', async () => {
  const leave = new AbortController();
  const response = await fetch(`${service.address}/v1/simulate/stream?session=${SESSION}&speed=10&sinks=visual`, {
    headers: { authorization },
    signal: leave.signal,
  });
  assert.equal(response.status, 200);
  assert.equal((await readMetrics()).sum('slipstream_event_streams'), 1);
  leave.abort();
  for (let tries = 0; (await readMetrics()).sum('slipstream_event_streams') > 0; tries++) {
    assert.ok(tries < 1_000, 'the stream has ended');
  }
});

test('at level debug every finished delivery is one line, without secrets of its receiver', async () => {
  const lines = logged('delivery finished');
  const metrics = await readMetrics();
  const finished = lines.filter(({ outcome }) => outcome !== 'skipped');
  assert.equal(finished.length, metrics.sum('slipstream_deliveries_total'));
  assert.equal(new Set(lines.map(({ deliveryId }) => deliveryId)).size, lines.length);
  const twice = finished.find(({ attempts }) => attempts === 2);
  const { level, time, msg, runId, webhookId, origin, deliveryId, latencyMs, lagMs, sequence, ...rest } = twice;
  assert.deepEqual([level, msg], [20, 'delivery finished']);
  assert.ok(Date.parse(time) > 0);
  assert.match(`${runId} ${webhookId} ${deliveryId}`, /^run_\w+ wh_\w+ evt_\w+$/);
  assert.match(origin, /^http:\/\/localhost:\d+$/);
  assert.ok(sequence > 0 && latencyMs >= 0 && lagMs >= 1_000);
  assert.deepEqual(rest, {
    ...{ shard: 0, mode: 'replay', sessionId: SESSION, feed: 'session.status', attempts: 2, outcome: 'delivered' },
    ...{ reason: null, statusCode: 200, error: null },
  });
  assert.ok(!service.output().includes(SECRET_QUERY));
});

test('I9: the counts of a shard that dies continue on the thread that replaces it', async () => {
  const before = await readMetrics();
  service.process.kill('SIGUSR2');
  const shard = { thread: 'shard-0' };
  while ((await readMetrics()).sum('slipstream_thread_starts_total', shard) === 1) await pause(20);
  while ((await fetch(`${service.address}/readyz`)).status !== 200) await pause(20);
  const started = await api.call('GET', `/simulate/stream?session=${SESSION}&speed=10&sinks=webhook`);
  const attempts = before.sum('slipstream_attempts_total');
  while ((await readMetrics()).sum('slipstream_attempts_total') < attempts + 20) await pause(20);
  const { runId } = started.body.data;
  await api.call('DELETE', `/simulate/stream?runId=${runId}`);
  await api.until(`/simulate/runs/${runId}`, ({ data }) => data.state === 'stopped');
  const { body } = await api.call('GET', '/usage');
  const metrics = await readMetrics();
  assert.equal(metrics.sum('slipstream_attempts_total'), body.data.deliveryCount, 'I10');
  assert.ok(
    metrics.sum('slipstream_thread_busy_seconds_total', shard) >
      before.sum('slipstream_thread_busy_seconds_total', shard),
  );
});

test('at level info finished deliveries have no lines, and one line sums up the deliveries since the last one', async () => {
  await service.end('SIGTERM');
  const [summary, ...others] = logged('deliveries');
  assert.equal(others.length, 0, 'less than a minute has passed');
  assert.equal(summary.level, 30);
  assert.equal(summary.delivered, logged('delivery finished').filter(({ outcome }) => outcome === 'delivered').length);
  assert.ok(summary.attempts.status_5xx > 0 && summary.lagP50Ms >= 0 && summary.lagP99Ms >= summary.lagP50Ms);
  assert.deepEqual([summary.inFlight, summary.mailbox, summary.recordAttempts], [0, 0, 0]);
  service = await startService(dataDir, { ADMIN_PORT: '0' });
  // Where no test may go: a port of the service.
  await api.at(service.address).call('PATCH', `/webhooks/${webhookId}`, { webhookUrl: `${service.address}/hook` });
  await api.at(service.address).call('POST', `/webhooks/${webhookId}/test`);
  const metrics = await readMetrics();
  assert.equal(metrics.sum('slipstream_attempts_total', { mode: 'test', outcome: 'not_allowed' }), 1);
  await service.end('SIGTERM');
  assert.deepEqual(logged('delivery finished'), []);
  assert.deepEqual(logged('deliveries')[0].attempts, { not_allowed: 1 });
});
