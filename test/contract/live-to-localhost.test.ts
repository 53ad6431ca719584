// "Localhost is supported during Simulate replays": what a live session does with an endpoint on this machine, by default. An
// operator can change that with LIVE_TO_LOCALHOST.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { contractService } from '#test/support/contract-service.ts';
import { OwnSource } from '#test/support/own-source.ts';
import { eventually } from '#test/support/patience.ts';
import { startWebhookReceiver } from '#test/support/webhook-receiver.ts';
import { deliveryLog, endedRun } from './run-watch.ts';
import { IN_SEASON, prepare, replay } from './short-session.ts';

const SESSION = '2026-club-race';

const service = await contractService({ after }, { ...IN_SEASON, ADMIN_PORT: '0' });

test('webhookUrl: a live session delivers nothing to localhost, each event counts as skipped, and the endpoint stays active', async (t) => {
  const receiver = await startWebhookReceiver();
  t.after(() => receiver.close());
  const client = await service.client('custom');
  const webhookId = await client.webhook({ webhookUrl: receiver.url, feedIds: ['*'] });
  const usage = async () => (await client.call('GET', '/usage')).body.data;
  const source = new OwnSource(service, SESSION);
  await source.upTo(10_000);
  const sofar = await eventually('the first skips', async () => (await usage()).skippedCount);
  await source.upTo();
  await source.end();
  const { sessions } = (await client.call('GET', '/simulate/sessions')).body.data;
  const { updateCount } = sessions.find(({ sessionId }: { sessionId: string }) => sessionId === SESSION);
  await eventually('all updates skipped', async () => (await usage()).skippedCount === updateCount);
  assert.ok(sofar < updateCount, 'skips are counted while the session is live');
  const { deliveryCount, successCount, failureCount } = await usage();
  assert.deepEqual([deliveryCount, successCount, failureCount, receiver.received.length], [0, 0, 0, 0]);
  for (const path of ['/by-feed', '/latency']) {
    const { byFeed } = (await client.call('GET', `/usage${path}`)).body.data;
    assert.deepEqual(
      byFeed.filter(({ deliveryCount }: { deliveryCount?: number }) => deliveryCount !== 0),
      [],
    );
  }
  assert.deepEqual(await deliveryLog(client, webhookId), []);
  const [endpoint] = (await client.call('GET', '/webhooks')).body.data.endpoints;
  assert.deepEqual([endpoint.active, endpoint.suspended], [true, null]);

  await prepare(client, SESSION);
  await endedRun(client, await replay(client, SESSION));
  assert.equal(receiver.received.length, updateCount, 'its replay is delivered');
  const { deliveryCount: replayed, skippedCount } = await usage();
  assert.deepEqual([replayed, skippedCount], [updateCount, updateCount]);
});
