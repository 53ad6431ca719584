// A receiver that was down gets what it has missed: the real service, real sockets, as a customer sees it.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { BRIEF_SESSION } from '#test/support/brief-session.ts';
import { startWebhookReceiver } from '#test/support/webhook-receiver.ts';
import { service } from './replay-service.ts';
import { deliveryLog, endedRun, runOnce } from './run-watch.ts';
import { prepare, replay } from './short-session.ts';

test('POST /webhooks/:webhookId/resend: a receiver that was down gets everything it missed, each update once, as it was', async () => {
  const [client, receiver] = await Promise.all([service.client('custom'), startWebhookReceiver()]);
  after(() => receiver.close());
  await prepare(client, BRIEF_SESSION);
  const headers = { Authorization: 'Bearer of ours' };
  const webhookId = await client.webhook({ webhookUrl: receiver.url, feedIds: ['*'], headers });
  const resend = (body: unknown) => client.call('POST', `/webhooks/${webhookId}/resend`, body);
  receiver.answer(401);
  const runId = await replay(client, BRIEF_SESSION);
  await runOnce(client, runId, ({ endpoints }) => (endpoints[0]?.skipped.breaker_open ?? 0) > 20);
  const during = await resend({ runId, outcome: 'failed' });
  assert.deepEqual([during.status, during.body.code], [409, 'nothing_to_resend'], 'its retries are not over');
  receiver.answer(200);
  const refused = receiver.received.length;
  const first = (await endedRun(client, runId)).endpoints[0]!;
  const missed = first.matched - first.delivered;
  assert.ok(missed > 20, `${missed} missed`);

  const { status, body } = await resend({ runId });
  assert.equal(status, 202, JSON.stringify(body));
  assert.deepEqual([body.data.updates, body.data.mode], [missed, 'replay']);
  const again = await endedRun(client, body.data.runId);
  assert.equal(again.state, 'completed');
  assert.deepEqual([again.endpoints[0]!.matched, again.endpoints[0]!.delivered], [missed, missed]);

  const acknowledged = receiver.received.slice(refused);
  const resent = acknowledged.filter(({ headers }) => headers['x-service-resend'] === body.data.runId);
  assert.equal(resent.length, missed);
  const sequences = acknowledged.map(({ sequence }) => sequence);
  assert.equal(new Set(sequences).size, first.matched, 'received = matched');
  assert.equal(sequences.length, first.matched, 'each once');
  assert.deepEqual(new Set(resent.map(({ headers }) => headers['x-service-mode'])), new Set(['replay']));
  assert.deepEqual(new Set(resent.map(({ headers }) => headers['x-service-replay-run-id'])), new Set([runId]));

  const [entry] = await deliveryLog(client, webhookId);
  assert.equal(entry!.mode, 'replay');
  const logged = (await client.call('GET', `/webhooks/${webhookId}/logs/${entry!.logId}`)).body.data;
  const sent = resent.find(({ headers: got }) => got['x-service-delivery-id'] === logged.deliveryId)!;
  assert.deepEqual(
    [logged.runId, logged.request.body],
    [body.data.runId, sent.body],
    'the log shows it as it was sent',
  );
  for (const [name, value] of Object.entries<string>(logged.request.headers))
    assert.equal(value, name === 'Authorization' ? '********' : sent.headers[name.toLowerCase()], name);
  assert.equal(sent.headers.authorization, headers.Authorization);
  const none = await resend({ runId });
  assert.deepEqual([none.status, none.body.code], [409, 'nothing_to_resend']);
  const usage = (await client.call('GET', '/usage')).body.data;
  assert.equal(
    usage.deliveryCount,
    (await deliveryLog(client, webhookId)).length,
    'I10: a resend counts as any delivery',
  );
  const one = await resend({ deliveryId: resent[0]!.headers['x-service-delivery-id'] });
  assert.deepEqual([one.status, one.body.data.updates], [202, 1]);
  assert.equal((await endedRun(client, one.body.data.runId)).state, 'completed');
  assert.equal(receiver.received.at(-1)!.body, resent[0]!.body, 'the same bytes');
});
