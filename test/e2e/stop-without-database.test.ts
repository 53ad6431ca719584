// A real service that is stopped in the middle of a replay while its database is silent, and again while it is away. It
// ends in time, and the next start knows every attempt that was made.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '#engine/base/clock.ts';
import { SERVICE_STOP_MS_MAX } from '#engine/base/limits.ts';
import { connect, type Sql } from '#engine/storage/postgres-client.ts';
import { openTestDatabase, temporaryDataDir } from '#test/support/database.ts';
import { DatabaseProxy, type ProxyState } from '#test/support/database-proxy.ts';
import { ApiClient, runAdminCommand, type ServiceProcess, startService } from '#test/support/service-process.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';

const SESSION = 'demo-race';
const dataDir = temporaryDataDir();
let server: Awaited<ReturnType<typeof openTestDatabase>>;
let inside: Sql;
let proxy: DatabaseProxy;
let env: Record<string, string>;
let service: ServiceProcess;
let api: ApiClient;
let receiver: WebhookReceiver;
let runId: string;

before(async () => {
  server = await openTestDatabase(temporaryDataDir());
  const admin = server.connect(1);
  await admin`create role svc login`;
  await admin`create database svc owner svc`;
  inside = connect({ ...server.connection, database: 'svc' }, { max: 1, name: 'looking on', clock: systemClock });
  proxy = await DatabaseProxy.start(server.connection);
  env = { DATABASE_URL: proxy.urlFor('svc', 'svc'), SHARDS: '1' };
  service = await startService(dataDir, env);
  const create = ['account', 'create', '--email', 'a@example.org', '--plan', 'custom'];
  api = await ApiClient.open(service.address, await runAdminCommand(dataDir, create, env));
  receiver = await startWebhookReceiver();
  await api.call('POST', '/webhooks', { webhookUrl: receiver.url, feedIds: ['*'] });
  await api.call('POST', '/simulate/prepare', { sessionId: SESSION });
  await api.until(`/simulate/status?session=${SESSION}`, ({ data }) => data.status === 'ready');
  const started = await api.call('GET', `/simulate/stream?session=${SESSION}&speed=10&sinks=webhook`);
  assert.equal(started.status, 202, JSON.stringify(started.body));
  runId = started.body.data.runId;
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

/** Attempts in the delivery log and in usage, read past the proxy. */
async function recorded(): Promise<{ logged: number; used: number }> {
  const [row] = await inside<{ logged: number; used: number }[]>`
    select (select count(*)::int from delivery_attempt) as logged,
      (select coalesce(sum(attempts), 0)::int from usage) as used`;
  return row!;
}

async function stoppedWhile(t: { diagnostic(text: string): void }, state: ProxyState): Promise<void> {
  await received(20);
  await proxy.become(state);
  const before = await recorded();
  await received(30);
  const startMs = performance.now();
  assert.equal(await service.end('SIGTERM'), 0, service.output());
  const tookMs = performance.now() - startMs;
  t.diagnostic(`SIGTERM with a database that is ${state.kind} took ${(tookMs / 1_000).toFixed(1)} s`);
  const arrived = receiver.received.length;
  assert.ok((await recorded()).logged < arrived, 'the log lacks some: they are in the file');
  assert.equal(readdirSync(`${dataDir}/unrecorded`).length, 1);
  await proxy.become({ kind: 'well' });
  service = await startService(dataDir, env);
  api = api.at(service.address);
  assert.ok(
    (await recorded()).logged >= arrived,
    `of ${arrived} attempts ${before.logged} were recorded before the stop`,
  );
  assert.deepEqual(readdirSync(`${dataDir}/unrecorded`), []);
  // On the machine of a developer that is busy, too.
  assert.ok(tookMs < 2 * SERVICE_STOP_MS_MAX, `${tookMs} ms`);
}

test('UR1: stopped while its database is silent', (t) => stoppedWhile(t, { kind: 'silent' }));

test('UR1: stopped while its database is away', (t) => stoppedWhile(t, { kind: 'away' }));

test('I1, I10: afterwards every attempt is in the log once and counted once, and nothing came again', async () => {
  await received(20);
  await api.call('DELETE', `/simulate/stream?runId=${runId}`);
  const { data } = await api.until(`/simulate/runs/${runId}`, ({ data }) => data.state === 'stopped');
  const { matched, delivered, failed, skipped } = data.endpoints[0];
  const skips = Object.values<number>(skipped).reduce((sum, count) => sum + count, 0);
  assert.equal(matched, delivered + failed + skips, 'I1');
  assert.deepEqual(await recorded(), { logged: receiver.received.length, used: receiver.received.length });
  assert.equal(new Set(receiver.received.map(({ sequence }) => sequence)).size, receiver.received.length);
});
