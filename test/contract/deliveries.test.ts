// "Delivery log entry" and "Events" of the interface: deliveries, with their headers and signatures, as receivers get them.

import assert from 'node:assert/strict';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Plan } from '#api/plans/plan.ts';
import { loggedAttempts } from '#bench/suite/logged-attempts.ts';
import { BRIEF_SESSION } from '#test/support/brief-session.ts';
import type { ContractClient } from '#test/support/contract-service.ts';
import { eventually } from '#test/support/patience.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';
import { service } from './replay-service.ts';
import { deliveryLog, endedRun, runOnce } from './run-watch.ts';
import { prepare, replay } from './short-session.ts';

const opened: WebhookReceiver[] = [];
after(() => Promise.all(opened.map((receiver) => receiver.close())));

interface Delivering {
  readonly client: ContractClient;
  readonly receiver: WebhookReceiver;
  readonly webhookId: string;
  readonly secret: string;
}

/** An account with one endpoint. */
async function delivering(plan: Plan, body: Record<string, unknown> = { feedIds: ['*'] }): Promise<Delivering> {
  const [client, receiver] = await Promise.all([service.client(plan), startWebhookReceiver()]);
  opened.push(receiver);
  const webhookId = await client.webhook({ webhookUrl: receiver.url, ...body });
  const secret = (await client.call('GET', `/webhooks/${webhookId}/secret`)).body.data.webhookSecret;
  return { client, receiver, webhookId, secret };
}

// The four attempts of its delivery take 36 seconds. They start in `before`, and their test is the last one.
let refusing: Delivering & { readonly runId: string };

before(async () => {
  await prepare(await service.client('free'), BRIEF_SESSION);
  const endpoint = await delivering('free', { feedId: 'session.info' });
  endpoint.receiver.answer(404);
  refusing = { ...endpoint, runId: await replay(endpoint.client, BRIEF_SESSION) };
});

// Each test has its own account, so they can wait in parallel.
describe('Deliveries', { concurrency: 6 }, () => {
  test('Delivery rule 1: each matching event is sent as a JSON payload, by POST or, if set, by PUT', async () => {
    for (const [webhookMethod, method] of [
      ['post', 'POST'],
      ['put', 'PUT'],
    ]) {
      const { client, receiver } = await delivering('free', {
        feedIds: ['lap.count', 'session.status'],
        webhookMethod,
      });
      await endedRun(client, await replay(client, BRIEF_SESSION));
      assert.equal(receiver.received.length, 98, 'every update of both feeds and nothing else');
      for (const delivery of receiver.received) {
        assert.deepEqual([delivery.method, delivery.headers['content-type']], [method, 'application/json']);
        assert.equal(JSON.parse(delivery.body).feed, delivery.headers['x-service-feed']);
      }
    }
  });

  test("an endpoint's own headers and its feeds of now are those of the deliveries, which stay signed as before", async () => {
    const { client, receiver, webhookId, secret } = await delivering('free', {
      feedIds: ['lap.count', 'weather.data'],
      headers: { Authorization: 'Bearer an-old-gateway-key' },
    });
    const changed = await client.call('PATCH', `/webhooks/${webhookId}`, {
      feedIds: ['session.info', 'session.status'],
      headers: { Authorization: 'Bearer a-gateway-key', 'X-Tenant': 'red kite' },
    });
    assert.deepEqual(changed.body.data.headers, { Authorization: '********', 'X-Tenant': '********' });
    await endedRun(client, await replay(client, BRIEF_SESSION));
    assert.ok(receiver.received.length > 1);
    for (const { headers, body } of receiver.received) {
      assert.deepEqual([headers.authorization, headers['x-tenant']], ['Bearer a-gateway-key', 'red kite']);
      assert.ok(['session.info', 'session.status'].includes(String(headers['x-service-feed'])));
      const signature = createHmac('sha256', secret).update(Buffer.from(body)).digest('hex');
      assert.equal(headers['x-service-signature'], `sha256=${signature}`);
    }
    const feeds = new Set(receiver.received.map(({ headers }) => headers['x-service-feed']));
    assert.equal(feeds.size, 2);
  });

  test('Delivery rule 2: any 2xx succeeds; an attempt without a response within 10 seconds fails and is retried', async () => {
    const { client, receiver, webhookId } = await delivering('free', { feedId: 'session.info' });
    receiver.answer(null);
    const runId = await replay(client, BRIEF_SESSION);
    await eventually('the first attempt', () => receiver.received.length === 1);
    receiver.answer(204);
    const [endpoint] = (await endedRun(client, runId)).endpoints;
    assert.deepEqual([endpoint!.delivered, receiver.received.length], [1, 2]);
    const [second, first] = await deliveryLog(client, webhookId);
    assert.deepEqual([second!.statusCode, first!.statusCode], [204, null]);
    assert.ok(first!.latencyMs >= 10_000, String(first!.latencyMs));
  });

  test('Delivery rule 4: each attempt is logged with status, latency and response body, and counts in usage', async () => {
    const { client, receiver, webhookId } = await delivering('free', { feedId: 'session.info' });
    receiver.answer(500);
    const runId = await replay(client, BRIEF_SESSION);
    await eventually('the first attempt', () => receiver.received.length === 1);
    receiver.answer(200);
    await endedRun(client, runId);
    const log = await deliveryLog(client, webhookId);
    assert.deepEqual(
      log.map(({ statusCode, responseBody, attempt, mode, feedId }) => [
        statusCode,
        responseBody,
        attempt,
        mode,
        feedId,
      ]),
      [
        [200, 'thanks', 2, 'replay', 'session.info'],
        [500, 'thanks', 1, 'replay', 'session.info'],
      ],
    );
    for (const entry of log) {
      assert.match(entry.logId, /^log_/);
      assert.equal(entry.webhookId, webhookId);
      assert.ok(entry.latencyMs > 0);
      assert.equal(new Date(entry.createdAt).toISOString(), entry.createdAt);
    }
    const { deliveryCount, successCount, failureCount } = (await client.call('GET', '/usage')).body.data;
    assert.deepEqual([deliveryCount, successCount, failureCount], [2, 1, 1]);
  });

  test('a replay to this machine cannot reach the ports of the service itself', async () => {
    const client = await service.client('custom');
    const { port } = new URL(service.baseUrl);
    const urls = ['localhost', '127.0.0.1', '[::1]'].map((host) => `http://${host}:${port}/v1/oauth`);
    const webhookIds = await Promise.all(
      urls.map((webhookUrl) => client.webhook({ webhookUrl, feedId: 'session.info' })),
    );
    const runId = await replay(client, BRIEF_SESSION);
    for (const webhookId of webhookIds)
      await eventually('an attempt', async () => (await deliveryLog(client, webhookId)).length > 0);
    await client.call('DELETE', `/simulate/stream?runId=${runId}`);
    const [run] = await service.sql<{ runNo: number }[]>`select run_no as "runNo" from run where run_id = ${runId}`;
    for (const { attempt } of await loggedAttempts(service.sql, run!.runNo))
      assert.deepEqual(attempt.result, {
        kind: 'failed',
        code: 'not_allowed',
        detail: `port ${port} of this machine belongs to the service`,
      });
  });

  test('Delivery headers: a replay carries feed, mode, session, run id and speed', async () => {
    const { client, receiver } = await delivering('free');
    const runId = await replay(client, BRIEF_SESSION);
    await endedRun(client, runId);
    assert.ok(receiver.received.length > 90);
    for (const { headers, feed } of receiver.received) {
      assert.equal(headers['x-service-feed'], feed);
      assert.equal(headers['x-service-mode'], 'replay');
      assert.equal(headers['x-service-replay-session'], BRIEF_SESSION);
      assert.equal(headers['x-service-replay-run-id'], runId, 'all events of the run have one id');
      assert.equal(headers['x-service-replay-speed'], '10');
    }
  });

  test("Signature: every delivery on every tier is signed over the raw bytes, with the endpoint's one secret for all feeds", async () => {
    for (const plan of ['free', 'developer', 'custom'] as const) {
      const { client, receiver, secret } = await delivering(plan);
      await endedRun(client, await replay(client, BRIEF_SESSION));
      const feeds = new Set(receiver.received.map(({ feed }) => feed));
      assert.ok(feeds.size >= 4, plan);
      for (const { headers, body } of receiver.received) {
        // As a receiver does it: over the raw body, before parsing, and compared in constant time.
        const expected = `sha256=${createHmac('sha256', secret).update(Buffer.from(body)).digest('hex')}`;
        assert.ok(timingSafeEqual(Buffer.from(String(headers['x-service-signature'])), Buffer.from(expected)));
      }
      const message = receiver.received.find(({ feed }) => feed === 'race-control.messages')!;
      assert.ok(message.body.includes('—'), 'a body with more bytes than characters');
    }
  });

  test('Signature rule 3: after a rotation the next delivery is signed with the new secret', async () => {
    const { client, receiver, webhookId, secret } = await delivering('free');
    const runId = await replay(client, BRIEF_SESSION);
    await eventually('some deliveries', () => receiver.received.length > 10);
    const rotated = (await client.call('POST', `/webhooks/${webhookId}/rotate-secret`)).body.data.webhookSecret;
    const before = receiver.received.length;
    await endedRun(client, runId);
    const all = receiver.received.length;
    const withOld = all - receiver.wronglySigned(secret);
    const withNew = all - receiver.wronglySigned(rotated);
    assert.equal(withOld + withNew, all);
    // Attempts that were in flight during the rotation may still be signed with the old secret.
    assert.ok(withOld <= before + 2 && withNew > 20, `${withOld} before, ${withNew} after the rotation`);
  });

  test('Signature rule 4: a receiver can tell one run from another by its run id', async () => {
    const { client, receiver } = await delivering('free', { feedId: 'session.status' });
    const runs = [];
    for (let count = 0; count < 2; count++) {
      const runId = await replay(client, BRIEF_SESSION);
      await endedRun(client, runId);
      runs.push(runId);
    }
    assert.deepEqual([...new Set(receiver.received.map(({ headers }) => headers['x-service-replay-run-id']))], runs);
  });

  test('Operations and states: a replay goes to every active endpoint, and to no paused or deleted endpoint', async () => {
    const { client, receiver } = await delivering('free', { feedId: 'session.status' });
    const other = await startWebhookReceiver();
    opened.push(other);
    const paused = await client.webhook({ webhookUrl: other.url });
    await client.call('PATCH', `/webhooks/${paused}`, { active: false });
    await endedRun(client, await replay(client, BRIEF_SESSION));
    assert.deepEqual([receiver.received.length, other.received.length], [4, 0]);
    await client.call('PATCH', `/webhooks/${paused}`, { active: true });
    await endedRun(client, await replay(client, BRIEF_SESSION));
    assert.deepEqual([receiver.received.length, other.received.length], [8, 4]);
    await client.call('DELETE', `/webhooks/${paused}`);
    const { endpoints } = await endedRun(client, await replay(client, BRIEF_SESSION));
    assert.deepEqual([receiver.received.length, other.received.length, endpoints.length], [12, 4, 1]);
  });

  test('GET /webhooks/:webhookId/logs: limit is 50 by default and at most 500, and cursors lead through all entries', async () => {
    const { client, webhookId } = await delivering('free');
    await endedRun(client, await replay(client, BRIEF_SESSION));
    const read = async (query: string) => (await client.call('GET', `/webhooks/${webhookId}/logs${query}`)).body.data;
    const all = (await deliveryLog(client, webhookId)).map(({ logId }) => logId);
    assert.equal(all.length, 101);
    const found: string[] = [];
    let page = await read('');
    assert.equal(page.logs.length, 50);
    for (;;) {
      found.push(...page.logs.map(({ logId }: { logId: string }) => logId));
      if (page.nextCursor === null) break;
      page = await read(`?cursor=${page.nextCursor}`);
    }
    assert.deepEqual(found, all, 'each entry is read exactly once');
    assert.deepEqual(
      (await read('?limit=2')).logs.map(({ logId }: { logId: string }) => logId),
      all.slice(0, 2),
    );
    for (const query of ['?limit=501', '?limit=0', '?limit=1.5', '?cursor=nonsense']) {
      const { status, body } = await client.call('GET', `/webhooks/${webhookId}/logs${query}`);
      assert.deepEqual([status, body.code], [400, 'invalid_query'], query);
    }
  });

  test('Endpoint during a replay run: many failures pause it for the run, and a successful probe resumes it', async () => {
    const { client, receiver, webhookId } = await delivering('free');
    receiver.answer(429);
    const stream = `/simulate/stream?session=${BRIEF_SESSION}&speed=2&sinks=webhook`;
    const { runId } = (await client.call('GET', stream)).body.data;
    const breaker = (wanted: string) => runOnce(client, runId, ({ endpoints }) => endpoints[0]!.breaker === wanted);
    await breaker('open');
    const { endpoints } = (await client.call('GET', '/webhooks')).body.data;
    assert.deepEqual(
      [endpoints[0].webhookId, endpoints[0].active],
      [webhookId, true],
      'the endpoint itself stays active',
    );
    const sofar = receiver.received.length;
    receiver.answer(200);
    await breaker('closed');
    const probed = receiver.received[sofar]!;
    assert.equal(probed.headers['x-service-replay-run-id'], runId, 'the probe is an event of the run');
    const [endpoint] = (await endedRun(client, runId)).endpoints;
    assert.ok(endpoint!.delivered > 10 && endpoint!.skipped.breaker_open! > 0, JSON.stringify(endpoint));
    const { matched, delivered, failed, skipped } = endpoint!;
    assert.equal(matched, delivered + failed + Object.values(skipped).reduce((sum, count) => sum + count, 0));
  });
});

test('Delivery rule 3: four attempts start at once and after 1, 5 and 30 seconds, then the delivery has failed', async () => {
  const { client, receiver, webhookId, runId } = refusing;
  await eventually('the fourth attempt', () => receiver.received.length === 4, 60_000);
  const [endpoint] = (await endedRun(client, runId)).endpoints;
  assert.deepEqual([endpoint!.matched, endpoint!.delivered, endpoint!.failed], [1, 0, 1]);
  const times = receiver.received.map(({ atMs }) => atMs);
  assert.deepEqual(
    receiver.received.map(({ attempt }) => attempt),
    [1, 2, 3, 4],
  );
  for (const [index, delayMs] of [1_000, 5_000, 30_000].entries()) {
    const waitedMs = times[index + 1]! - times[index]!;
    // Retries are never early. How late they are depends on the load of the machine; the timeout above bounds the total.
    assert.ok(waitedMs >= delayMs - 20, `attempt ${index + 2} after ${waitedMs} ms`);
  }
  const ids = new Set(receiver.received.map(({ headers }) => headers['x-service-delivery-id']));
  assert.equal(ids.size, 1, 'all attempts belong to one delivery');
  assert.equal((await deliveryLog(client, webhookId)).length, 4);
});
