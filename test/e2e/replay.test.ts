// The whole service as a process, with real PostgreSQL, threads, sockets and crashes.

import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { temporaryDataDir } from '#test/support/database.ts';
import { ApiClient, runAdminCommand, type ServiceProcess, startService } from '#test/support/service-process.ts';
import { writeShortRace } from '#test/support/short-race.ts';
import { startWebhookReceiver } from '#test/support/webhook-receiver.ts';

const SESSION = '2026-short-race';
const dataDir = temporaryDataDir('service');
let service: ServiceProcess;
let api: ApiClient;
let imported: Record<string, string>;

before(async () => {
  chmodSync(dataDir, 0o711);
  imported = await runAdminCommand(dataDir, ['import', 'recording', writeShortRace(dataDir), '--session', SESSION]);
  service = await startService(dataDir);
  const account = await runAdminCommand(dataDir, ['account', 'create', '--email', 'a@example.org', '--plan', 'custom']);
  api = await ApiClient.open(service.address, account);
  await api.call('POST', '/simulate/prepare', { sessionId: SESSION });
  await api.until(`/simulate/status?session=${SESSION}`, ({ data }) => data.status === 'ready');
});
after(() => service.end('SIGTERM'));

interface Registered {
  readonly webhookId: string;
  readonly webhookSecret: string;
}

async function register(url: string, feeds: Record<string, unknown> = { feedIds: ['*'] }): Promise<Registered> {
  const { status, body } = await api.call('POST', '/webhooks', { webhookUrl: url, ...feeds });
  assert.equal(status, 201, JSON.stringify(body));
  return body.data;
}

async function startRun(speed = 10): Promise<string> {
  const { status, body } = await api.call('GET', `/simulate/stream?session=${SESSION}&speed=${speed}&sinks=webhook`);
  assert.equal(status, 202, JSON.stringify(body));
  return body.data.runId;
}

const ended = ({ data }: { data: { state: string } }): boolean =>
  data.state === 'completed' || data.state === 'stopped';

async function totalAttempts(): Promise<number> {
  const { body } = await api.call('GET', '/usage');
  return body.data.deliveryCount;
}

async function loggedAttempts(webhookId: string): Promise<number> {
  let count = 0;
  let cursor: string | null = null;
  do {
    const { body } = await api.call(
      'GET',
      `/webhooks/${webhookId}/logs?limit=500${cursor === null ? '' : `&cursor=${cursor}`}`,
    );
    count += body.data.logs.length;
    cursor = body.data.nextCursor;
  } while (cursor !== null);
  return count;
}

test('a replay delivers every update once to every endpoint, signed, in order, within its subscriptions', async () => {
  const [all, race] = [await startWebhookReceiver(), await startWebhookReceiver()];
  const endpoints = [await register(all.url), await register(race.url, { feedId: 'session.status' })];
  const runId = await startRun();
  const run = await api.until(`/simulate/runs/${runId}`, ended);
  assert.equal(run.data.state, 'completed');
  assert.equal(all.received.length, Number(imported.updates));
  assert.deepEqual(
    all.received.map(({ sequence }) => sequence).toSorted((a, b) => a - b),
    Array.from({ length: Number(imported.updates) }, (_, index) => index + 1),
  );
  assert.deepEqual(
    race.received.map(({ feed }) => feed),
    ['session.status', 'session.status'],
  );
  assert.equal(all.wronglySigned(endpoints[0]!.webhookSecret), 0, 'I6');
  assert.equal(race.wronglySigned(endpoints[1]!.webhookSecret), 0, 'I6');
  assert.equal(await loggedAttempts(endpoints[0]!.webhookId), all.received.length, 'every attempt is in the log');
  assert.equal(await totalAttempts(), all.received.length + race.received.length, 'I10');
  for (const { webhookId } of endpoints) await api.call('DELETE', `/webhooks/${webhookId}`);
  await Promise.all([all.close(), race.close()]);
});

test('I8: a secret that is rotated during a replay signs the next attempts, and a paused endpoint gets nothing', async () => {
  const receiver = await startWebhookReceiver();
  const { webhookId, webhookSecret } = await register(receiver.url);
  const runId = await startRun();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const rotated = await api.call('POST', `/webhooks/${webhookId}/rotate-secret`);
  const before = receiver.received.length;
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const wrong = receiver.received.length - receiver.wronglySigned(webhookSecret);
  assert.ok(before > 50 && wrong <= before + 2, `${wrong} signed with the old secret, ${before} before the rotation`);
  assert.ok(receiver.wronglySigned(webhookSecret) > 50);
  assert.equal(
    receiver.wronglySigned(rotated.body.data.webhookSecret) + receiver.wronglySigned(webhookSecret),
    receiver.received.length,
    'each delivery is signed with one of the two',
  );
  await api.call('PATCH', `/webhooks/${webhookId}`, { active: false });
  await new Promise((resolve) => setTimeout(resolve, 200));
  const paused = receiver.received.length;
  await new Promise((resolve) => setTimeout(resolve, 500));
  assert.equal(receiver.received.length, paused);
  assert.match(String((await api.call('DELETE', `/simulate/stream?runId=${runId}`)).status), /^20[02]$/);
  await api.until(`/simulate/runs/${runId}`, ended);
  await api.call('DELETE', `/webhooks/${webhookId}`);
  await receiver.close();
});
