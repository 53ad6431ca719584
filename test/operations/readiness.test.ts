// Readiness of the real service, as a load balancer sees it.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { temporaryDataDir } from '#test/support/database.ts';
import { ApiClient, runAdminCommand, startService } from '#test/support/service-process.ts';

/** Accepts requests and responds to none until it is released. */
async function startHoldingReceiver() {
  const held: ServerResponse[] = [];
  let holding = true;
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      if (holding) held.push(response);
      else response.end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return {
    url: `http://localhost:${port}/`,
    held,
    release() {
      holding = false;
      for (const response of held.splice(0)) response.end();
    },
  };
}

test('on SIGTERM during a replay the service is no longer ready, starts no replay, and completes every attempt', async () => {
  const dataDir = temporaryDataDir('service');
  const service = await startService(dataDir);
  after(() => service.end('SIGKILL'));
  const receiver = await startHoldingReceiver();
  const account = await runAdminCommand(dataDir, ['account', 'create', '--email', 'a@example.org', '--plan', 'custom']);
  const api = await ApiClient.open(service.address, account);
  const { body } = await api.call('POST', '/webhooks', { webhookUrl: receiver.url, feedIds: ['*'] });
  await api.call('POST', '/simulate/prepare', { sessionId: 'demo-race' });
  await api.until('/simulate/status?session=demo-race', ({ data }) => data.status === 'ready');
  assert.equal((await fetch(`${service.address}/readyz`)).status, 200);
  await api.call('GET', '/simulate/stream?session=demo-race&speed=10&sinks=webhook');
  while (receiver.held.length === 0) await pause(10);

  const ended = service.end('SIGTERM');
  let answer = await fetch(`${service.address}/readyz`);
  while (answer.status === 200) answer = await fetch(`${service.address}/readyz`);
  assert.equal(answer.status, 503);
  assert.equal(answer.headers.get('retry-after'), '1');
  assert.deepEqual(await answer.json(), {
    error: 'Not ready: the service is stopping.',
    code: 'unavailable',
    statusCode: 503,
  });
  assert.equal((await fetch(`${service.address}/healthz`)).status, 200, 'the process is alive');
  const refused = await api.call('GET', '/simulate/stream?session=demo-race&speed=10&sinks=webhook');
  assert.deepEqual([refused.status, refused.body.code], [503, 'unavailable']);
  const attempts = receiver.held.length;
  assert.ok(attempts > 0, 'attempts are still in flight');
  receiver.release();
  assert.equal(await ended, 0, service.output());

  const again = await startService(dataDir);
  after(() => again.end('SIGKILL'));
  const { body: logged } = await api.at(again.address).call('GET', `/webhooks/${body.data.webhookId}/logs?limit=500`);
  const delivered = logged.data.logs.filter(({ statusCode }: { statusCode: number | null }) => statusCode === 200);
  assert.ok(
    delivered.length >= attempts,
    `${delivered.length} of ${attempts} attempts are recorded with their response`,
  );
  assert.equal(logged.data.logs.length, delivered.length, 'no attempt was cut off');
  assert.equal(await again.end('SIGTERM'), 0);
});
