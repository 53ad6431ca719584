// A real service in the middle of a replay on two PostgreSQL servers that replicate synchronously. The primary is killed
// and started again, hangs, and is replaced by its standby: the service goes on by itself, and the sums are exact.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { loggedCount } from '#bench/suite/logged-attempts.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import { isServiceRunning } from '#engine/storage/service-lock.ts';
import { temporaryDataDir } from '#test/support/database.ts';
import { eventually } from '#test/support/patience.ts';
import { ReplicatedServers } from '#test/support/replicated-servers.ts';
import { ApiClient, runAdminCommand, type ServiceProcess, startService } from '#test/support/service-process.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';

const SESSION = 'demo-race';
const dataDir = temporaryDataDir();
let servers: ReplicatedServers;
let service: ServiceProcess;
let api: ApiClient;
let receiver: WebhookReceiver;
let runId: string;
let env: Record<string, string>;

before(async () => {
  servers = await ReplicatedServers.start();
  env = { DATABASE_URL: servers.url(), SHARDS: '1' };
  service = await startService(dataDir, env);
  const create = ['account', 'create', '--email', 'a@example.org', '--plan', 'custom'];
  api = await ApiClient.open(service.address, await runAdminCommand(dataDir, create, env));
  receiver = await startWebhookReceiver();
  await api.call('POST', '/webhooks', { webhookUrl: receiver.url, feedIds: ['*'] });
  await api.call('POST', '/simulate/prepare', { sessionId: SESSION });
  await api.until(`/simulate/status?session=${SESSION}`, ({ data }) => data.status === 'ready');
  const started = await api.call('GET', `/simulate/stream?session=${SESSION}&speed=10&sinks=webhook`);
  runId = started.body.data.runId;
  await received(1);
});
after(async () => {
  await service?.end('SIGTERM');
  await receiver?.close();
  await servers?.close();
});

async function received(further: number): Promise<void> {
  const until = receiver.received.length + further;
  while (receiver.received.length < until) await pause(20);
}

/** Attempts in the delivery log and in usage. */
async function recorded(sql: Sql): Promise<{ logged: number; used: number }> {
  const [row] = await sql<{ logged: number; used: number }[]>`
    select ${loggedCount(sql)} as logged, (select coalesce(sum(attempts), 0)::int from usage) as used`;
  return row!;
}

/** The service is ready again, records on this server, and still delivers. */
async function goesOn(sql: Sql): Promise<void> {
  await eventually('readiness', async () => (await fetch(`${service.address}/readyz`)).status === 200);
  const { logged } = await recorded(sql);
  await eventually('further records', async () => (await recorded(sql)).logged > logged);
  await received(5);
}

test('the primary is killed and started again: its service goes on', async () => {
  await servers.kill(0);
  await received(5);
  await servers.restart(0);
  await goesOn(servers.owner(0, 'svc'));
});

test('the primary hangs, and is there again: no other server is taken for it', async () => {
  servers.freeze(0);
  await eventually('the outage', async () => (await fetch(`${service.address}/readyz`)).status === 503);
  await received(5);
  servers.thaw(0);
  await goesOn(servers.owner(0, 'svc'));
});

test('the standby of a primary that hangs is promoted: every part of the service goes to it, and stays there', async () => {
  servers.freeze(0);
  await received(5);
  await servers.promote(1);
  await goesOn(servers.owner(1, 'svc'));
  servers.thaw(0);
  await goesOn(servers.owner(1, 'svc'));
  const webhook = { webhookUrl: 'http://localhost:9/never', feedIds: ['*'] };
  assert.equal((await api.call('POST', '/webhooks', webhook)).status, 201, 'the API writes to the new primary');
  await eventually('its lock there', () => isServiceRunning(servers.owner(1, 'svc')));
  const second = await startService(temporaryDataDir(), env).catch((error: Error) => error.message);
  assert.match(String(second), /another service uses this database/);
});

test('I1, I10: after all of it every delivery was made once, is in the log once and counted once', async () => {
  await api.call('DELETE', `/simulate/stream?runId=${runId}`);
  const { data } = await api.until(`/simulate/runs/${runId}`, ({ data }) => data.state === 'stopped');
  const { matched, delivered, failed, skipped } = data.endpoints[0];
  const left = Object.values<number>(skipped).reduce((sum, count) => sum + count, 0);
  assert.equal(matched, delivered + failed + left, 'I1');
  const count = receiver.received.length;
  assert.deepEqual(await recorded(servers.owner(1, 'svc')), { logged: count, used: count });
  assert.equal(new Set(receiver.received.map(({ sequence }) => sequence)).size, count);
  assert.equal(service.process.exitCode, null, 'the process has survived it');
  assert.doesNotMatch(service.output(), /unhandled|uncaught|died; restarting/i);
});
