// A real service that is killed between the answer to a seek and the seek: the next one carries it out, for the endpoints
// that the start has chosen.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { temporaryDataDir } from '#test/support/database.ts';
import { eventually } from '#test/support/patience.ts';
import { ApiClient, runAdminCommand, startService } from '#test/support/service-process.ts';
import { startWebhookReceiver } from '#test/support/webhook-receiver.ts';

test('RC5: a seek that was accepted is carried out after a kill, and the choice of endpoints holds', async () => {
  const dataDir = temporaryDataDir('service');
  const killed = await startService(dataDir);
  after(() => killed.end('SIGKILL'));
  const account = await runAdminCommand(dataDir, ['account', 'create', '--email', 'a@example.org', '--plan', 'custom']);
  const api = await ApiClient.open(killed.address, account);
  const [chosen, other] = [await startWebhookReceiver(), await startWebhookReceiver()];
  after(() => Promise.all([chosen.close(), other.close()]));
  const ids: string[] = [];
  for (const { url } of [chosen, other])
    ids.push((await api.call('POST', '/webhooks', { webhookUrl: url, feedIds: ['*'] })).body.data.webhookId);
  await api.call('POST', '/simulate/prepare', { sessionId: 'demo-race' });
  await api.until('/simulate/status?session=demo-race', ({ data }) => data.status === 'ready');

  chosen.answer(null);
  const started = await api.call(
    'GET',
    `/simulate/stream?session=demo-race&speed=1&sinks=webhook&webhookIds=${ids[0]}`,
  );
  const { runId } = started.body.data;
  await eventually('an attempt under way', () => chosen.received.length > 0);
  const seek = await api.call('POST', `/simulate/runs/${runId}/seek`, { lap: 6 });
  assert.equal(seek.status, 202, 'the attempts under way have not ended');
  await killed.end('SIGKILL');
  const before = new Set(chosen.received.map(({ sequence }) => sequence));
  const arrived = chosen.received.length;
  chosen.answer(200);

  const service = await startService(dataDir);
  after(() => service.end('SIGKILL'));
  const jumped = () =>
    chosen.received
      .slice(arrived)
      .filter(({ sequence }) => !before.has(sequence))
      .toSorted((a, b) => a.sequence - b.sequence);
  await eventually('what comes after the jump', () => jumped().length > 5);
  const { feed, body } = jumped()[0]!;
  assert.deepEqual([feed, JSON.parse(body).data.currentLap], ['lap.count', 6]);
  const again = await ApiClient.open(service.address, account);
  const { data } = (await again.call('GET', `/simulate/runs/${runId}`)).body;
  assert.deepEqual(
    [data.state, data.endpoints.map(({ webhookId }: { webhookId: string }) => webhookId)],
    ['running', [ids[0]]],
  );
  assert.equal(other.received.length, 0);
});
