// A real service in the middle of a replay whose database is slow, silent, away, restarted, full of connections,
// read-only or out of space: deliveries continue, the API responds with 503 where it must, everything recovers by
// itself, and the sums are exact.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '#engine/base/clock.ts';
import { runningPostmaster } from '#engine/storage/embedded/postmaster.ts';
import { connect, type Sql } from '#engine/storage/postgres-client.ts';
import { openTestDatabase, temporaryDataDir } from '#test/support/database.ts';
import { DatabaseProxy, type ProxyState } from '#test/support/database-proxy.ts';
import {
  type Answer,
  ApiClient,
  runAdminCommand,
  type ServiceProcess,
  startService,
} from '#test/support/service-process.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';

const SESSION = 'demo-race';
/** How many problems all threads together may log per second. */
const TROUBLE_LINES_MAX = 25;
const serverDir = temporaryDataDir();
const dataDir = temporaryDataDir();
let server: Awaited<ReturnType<typeof openTestDatabase>>;
let admin: Sql;
let inside: Sql;
let proxy: DatabaseProxy;
let service: ServiceProcess;
let api: ApiClient;
let receiver: WebhookReceiver;
let webhookId: string;
let runId: string;

before(async () => {
  server = await openTestDatabase(serverDir);
  admin = server.connect(1);
  await admin`create role svc login`;
  await admin`create database svc owner svc`;
  inside = connect({ ...server.connection, database: 'svc' }, { max: 1, name: 'looking on', clock: systemClock });
  proxy = await DatabaseProxy.start(server.connection);
  const env = { DATABASE_URL: proxy.urlFor('svc', 'svc'), SHARDS: '1' };
  service = await startService(dataDir, env);
  const create = ['account', 'create', '--email', 'a@example.org', '--plan', 'custom'];
  api = await ApiClient.open(service.address, await runAdminCommand(dataDir, create, env));
  receiver = await startWebhookReceiver();
  webhookId = (await api.call('POST', '/webhooks', { webhookUrl: receiver.url, feedIds: ['*'] })).body.data.webhookId;
  await api.call('POST', '/simulate/prepare', { sessionId: SESSION });
  await api.until(`/simulate/status?session=${SESSION}`, ({ data }) => data.status === 'ready');
  const started = await api.call('GET', `/simulate/stream?session=${SESSION}&speed=10&sinks=webhook`);
  assert.equal(started.status, 202, JSON.stringify(started.body));
  runId = started.body.data.runId;
  await received(20);
});
after(async () => {
  await service?.end('SIGTERM');
  await receiver?.close();
  await proxy?.close();
  await inside?.end({ timeout: 1 });
  await server?.close();
});

/** Waits until this many more deliveries have arrived. */
async function received(further: number): Promise<void> {
  const until = receiver.received.length + further;
  while (receiver.received.length < until) await pause(20);
}

/** Keeps the fault up while `meanwhile` runs, then ends it. */
async function whileProxyIs(state: ProxyState, meanwhile: () => Promise<unknown>): Promise<void> {
  await proxy.become(state);
  try {
    await meanwhile();
  } finally {
    await proxy.become({ kind: 'well' });
  }
  await recovered();
}

async function status(path: string): Promise<number> {
  return (await fetch(`${service.address}${path}`)).status;
}

/** Attempts in the delivery log and in usage, read past the proxy. */
async function recorded(): Promise<{ logged: number; used: number }> {
  const [row] = await inside<{ logged: number; used: number }[]>`
    select (select count(*)::int from delivery_attempt) as logged,
      (select coalesce(sum(attempts), 0)::int from usage) as used`;
  return row!;
}

/** Cuts all database connections of the service at once. */
async function breakOff(): Promise<void> {
  await admin`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'svc'`;
}

/** The service recovers by itself: it reports ready, and new deliveries are recorded. */
async function recovered(): Promise<void> {
  while ((await status('/readyz')) !== 200) await pause(50);
  const { logged } = await recorded();
  while ((await recorded()).logged <= logged) await pause(50);
}

/** Without the database deliveries continue, requests that need it get 503 with Retry-After, and others succeed. */
async function withoutDatabase(): Promise<void> {
  const linesBefore = service.output().split('\n').length;
  const sinceMs = performance.now();
  await received(40);
  while ((await status('/readyz')) !== 503) await pause(50);
  assert.equal(await status('/healthz'), 200);
  assert.equal((await api.call('GET', '/feeds')).status, 200, 'a cached token, and no need for the database');
  const lines = service.output().split('\n').length - linesBefore;
  const seconds = 1 + (performance.now() - sinceMs) / 1_000;
  assert.ok(lines / seconds < TROUBLE_LINES_MAX, `${lines} lines in ${seconds.toFixed(1)} s`);
}

/** Requests every route of the published document, with as much input as can be guessed. */
async function askEverything(): Promise<{ path: string; status: number; retryAfter: string | null }[]> {
  const { body } = await api.call('GET', '/openapi.json');
  const asked = Object.entries(body.paths as Record<string, Record<string, unknown>>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })),
  );
  return Promise.all(
    asked.map(async ({ path, method }) => {
      const filled = path
        .replace(/\{webhookId\}/, webhookId)
        .replace(/\{runId\}/, runId)
        .replace(/\{feedId\}/, 'session.status')
        .replace(/\{\w+\}/, SESSION);
      const query = /stream$|status$/.test(path) ? `?session=${SESSION}` : '';
      const answer = await fetch(`${service.address}/v1${filled}${query}`, {
        method,
        headers: { authorization: `Bearer ${api.token}`, 'content-type': 'application/json' },
        ...(method === 'GET' ? {} : { body: method === 'DELETE' ? null : JSON.stringify(BODIES[path] ?? {}) }),
      });
      await answer.arrayBuffer();
      return { path: `${method} ${path}`, status: answer.status, retryAfter: answer.headers.get('retry-after') };
    }),
  );
}

const NEED_DATABASE = [
  'GET /usage',
  'GET /simulate/runs',
  'POST /webhooks',
  'PATCH /webhooks/{webhookId}',
  'GET /webhooks/{webhookId}/logs',
  'POST /webhooks/{webhookId}/test',
  'POST /auth/login',
];
const BODIES: Readonly<Record<string, unknown>> = {
  '/webhooks': { webhookUrl: 'http://localhost:9/never', feedIds: ['*'] },
  '/webhooks/{webhookId}': { active: true },
  '/webhooks/{webhookId}/feeds/{feedId}': { active: true },
  '/simulate/prepare': { sessionId: SESSION },
  '/auth/login': { email: 'a@example.org', password: 'not the password' },
  '/auth/signup': { email: 'b@example.org', password: 'a long password', name: 'B' },
  '/auth/resend-verification': { email: 'b@example.org' },
  '/oauth': { client_id: 'cli_1', client_secret: 'none', grant_type: 'client_credentials' },
};

test('slow, a third of a second for every response: no request is refused, and deliveries continue', async () => {
  await whileProxyIs({ kind: 'slow', delayMs: 300 }, async () => {
    await received(40);
    assert.equal(await status('/readyz'), 200);
    assert.equal((await api.call('GET', '/usage')).status, 200);
  });
});

test('silent: deliveries continue, readiness reports it, and requests succeed once the database responds', async () => {
  let asked: Promise<Answer> | undefined;
  await whileProxyIs({ kind: 'silent' }, async () => {
    asked = api.call('GET', '/usage');
    await withoutDatabase();
  });
  assert.equal((await asked)?.status, 200);
});

test('away for a while: every route responds, with 503 and Retry-After where it needs the database, and never with 500', async () => {
  await whileProxyIs({ kind: 'away' }, async () => {
    await withoutDatabase();
    const answers = await askEverything();
    assert.ok(answers.length > 30);
    for (const { path, status, retryAfter } of answers) {
      assert.ok(status !== 500, `${path} answers ${status}`);
      assert.ok(status !== 503 || retryAfter !== null, `${path} says when to come again`);
    }
    const refused = new Set(answers.filter(({ status }) => status === 503).map(({ path }) => path));
    for (const path of NEED_DATABASE) assert.ok(refused.has(path), `${path} needs the database`);
  });
});

test('killed and started again: attempts that were not recorded yet are recorded once', async () => {
  const { pid } = (await runningPostmaster(`${serverDir}/postgres/data`))!;
  process.kill(pid, 'SIGKILL');
  await received(20);
  await recovered();
});

test('no connection free, no write allowed, no login allowed: 503 and not 500, and full recovery afterwards', async () => {
  for (const [worse, better] of [
    ['alter role svc connection limit 0', 'alter role svc connection limit -1'],
    ['alter role svc set default_transaction_read_only = on', 'alter role svc reset default_transaction_read_only'],
    ['alter role svc nologin', 'alter role svc login'],
  ] as const) {
    await admin.unsafe(worse);
    await breakOff();
    await received(20);
    const answer = await api.call('POST', '/webhooks', { webhookUrl: 'http://localhost:9/never', feedIds: ['*'] });
    assert.equal(answer.status, 503, `${worse}: ${JSON.stringify(answer.body)}`);
    await admin.unsafe(better);
    await recovered();
  }
});

test('I1, I10: after all of it every delivery was made once, is in the log once and counted once', async () => {
  await api.call('DELETE', `/simulate/stream?runId=${runId}`);
  const { data } = await api.until(`/simulate/runs/${runId}`, ({ data }) => data.state === 'stopped');
  const { matched, delivered, failed, skipped } = data.endpoints[0];
  assert.equal(
    matched,
    delivered + failed + Object.values<number>(skipped).reduce((sum, count) => sum + count, 0),
    'I1',
  );
  assert.deepEqual(await recorded(), { logged: receiver.received.length, used: receiver.received.length });
  assert.equal(new Set(receiver.received.map(({ sequence }) => sequence)).size, receiver.received.length);
  assert.equal(service.process.exitCode, null, 'the process has survived it');
  assert.doesNotMatch(service.output(), /unhandled|uncaught|died; restarting/i);
});
