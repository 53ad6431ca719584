// "Webhook endpoint" among the resources of the interface, and "Webhooks" among its endpoints.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { loggedAttempts } from '#bench/suite/logged-attempts.ts';
import { PostgresRecordStore } from '#engine/delivery/delivery-log/postgres-record-store.ts';
import { type ContractClient, contractService } from '#test/support/contract-service.ts';
import { startWebhookReceiver } from '#test/support/webhook-receiver.ts';
import { deliveryLog } from './run-watch.ts';

const service = await contractService({ after });
const { sql } = service;
const HOOK = { webhookUrl: 'http://localhost:9/hook' };
/** A name without an address: an attempt fails there. */
const NOWHERE = 'https://receiver.invalid/hook';

async function endpointOf(client: ContractClient, webhookId: string) {
  const { endpoints } = (await client.call('GET', '/webhooks?limit=100')).body.data;
  return endpoints.find((endpoint: { webhookId: string }) => endpoint.webhookId === webhookId);
}

test('Webhook endpoint: the list shows every field of the table and never the secret', async () => {
  const client = await service.client('developer');
  const webhookId = await client.webhook({ feedIds: ['timing.data', 'session.status'] });
  const secret = (await client.call('GET', `/webhooks/${webhookId}/secret`)).body.data.webhookSecret;
  const { status, body } = await client.call('GET', '/webhooks');
  assert.equal(status, 200);
  const [endpoint] = body.data.endpoints;
  const { createdAt, updatedAt, suspended, feedPatterns, description, headers, snapshot, health, ...fields } = endpoint;
  assert.deepEqual([description, headers, snapshot, health.state], ['', {}, false, 'healthy']);
  const subscription = { filters: {}, active: true, suspended: null };
  assert.deepEqual(fields, {
    webhookId,
    webhookUrl: HOOK.webhookUrl,
    webhookMethod: 'post',
    seriesId: 'f1',
    active: true,
    subscriptionTier: 'developer',
    feedCount: 2,
    filters: {},
    subscriptions: [
      { feedId: 'timing.data', ...subscription },
      { feedId: 'session.status', ...subscription },
    ],
  });
  for (const time of [createdAt, updatedAt]) assert.equal(new Date(time).toISOString(), time, 'ISO 8601');
  assert.ok(!JSON.stringify(body).includes(secret));
});

test('POST /webhooks: the response is 201 with exactly the five fields of the interface', async () => {
  const client = await service.client('developer');
  const selector = {
    subscriptions: [{ feedId: 'timing.data', filters: { drivers: ['KIT'] } }, { feedId: 'lap.count' }],
  };
  const { status, body } = await client.call('POST', '/webhooks', { ...HOOK, ...selector });
  assert.equal(status, 201);
  const { webhookId, webhookSecret } = body.data;
  const subscriptions = [
    { feedId: 'timing.data', active: true },
    { feedId: 'lap.count', active: true },
  ];
  assert.deepEqual(body, {
    data: { webhookId, webhookUrl: HOOK.webhookUrl, active: true, subscriptions, webhookSecret },
  });
  assert.match(webhookSecret, /^whsec_.{32,}$/);
  const { subscriptions: kept } = await endpointOf(client, webhookId);
  assert.deepEqual(kept[0].filters, { drivers: ['KIT'] });
});

test('POST /webhooks: without a feed selector, or with more than one, the response is 400 and names all three', async () => {
  const client = await service.client('free');
  const selectors = { feedId: 'lap.count', feedIds: ['lap.count'], subscriptions: [{ feedId: 'lap.count' }] };
  const { feedId, feedIds, subscriptions } = selectors;
  for (const given of [{}, { feedId, feedIds }, { feedIds, subscriptions }, { feedId, subscriptions }, selectors]) {
    const { status, body } = await client.call('POST', '/webhooks', { ...HOOK, ...given });
    assert.deepEqual([status, body.code], [400, 'invalid_body'], JSON.stringify(given));
    assert.match(body.error, /feedId, feedIds, subscriptions/);
  }
  for (const given of [{ feedId }, { feedIds }, { subscriptions }]) await client.webhook(given);
});

test('POST /webhooks: webhookUrl is required, and webhookMethod is post or put, post by default', async () => {
  const client = await service.client('developer');
  const missing = await client.call('POST', '/webhooks', { feedId: 'lap.count' });
  assert.deepEqual([missing.status, missing.body.error], [400, 'webhookUrl is required']);
  const methods = [];
  for (const given of [{}, { webhookMethod: 'post' }, { webhookMethod: 'put' }]) {
    methods.push((await endpointOf(client, await client.webhook(given))).webhookMethod);
  }
  assert.deepEqual(methods, ['post', 'post', 'put']);
  for (const webhookMethod of ['PUT', 'patch', '', null]) {
    const { status, body } = await client.call('POST', '/webhooks', { ...HOOK, feedId: 'lap.count', webhookMethod });
    assert.deepEqual([status, body.error], [400, 'webhookMethod must be one of post, put']);
  }
});

test('webhookUrl: https on a public address and localhost are accepted; anything else is refused with the reason', async () => {
  const client = await service.client('developer');
  for (const webhookUrl of ['https://8.8.8.8/hook?a=b', 'http://localhost:9000/hook', 'https://localhost/hook']) {
    await client.webhook({ webhookUrl });
  }
  for (const [webhookUrl, reason] of [
    ['http://8.8.8.8/hook', /https/],
    ['https://10.1.2.3/hook', /private/],
    ['https://169.254.169.254/latest', /special address/],
    ['https://user:password@8.8.8.8/', /user name/],
    ['ftp://8.8.8.8/', /https:\/\//],
    ['/hook', /absolute/],
    ['', /empty/],
  ] as const) {
    const { status, body } = await client.call('POST', '/webhooks', { webhookUrl, feedId: 'lap.count' });
    assert.deepEqual([status, body.code], [400, 'invalid_body'], webhookUrl);
    assert.match(body.error, /^webhookUrl /);
    assert.match(body.error, reason);
  }
});

test("feedIds: `*` means all feeds of the caller's tier, and a group glob means those of the group", async () => {
  const fed = async (plan: 'free' | 'developer', feedIds: string[]): Promise<string[]> => {
    const client = await service.client(plan);
    const webhookId = await client.webhook({ feedIds });
    return (await endpointOf(client, webhookId)).subscriptions.map(({ feedId }: { feedId: string }) => feedId);
  };
  const developer = await service.client('developer');
  const { feeds } = (await developer.call('GET', '/feeds')).body.data;
  const ids = (classes: string[]): string[] =>
    feeds
      .filter(({ availability }: { availability: string }) => classes.includes(availability))
      .map(({ feedId }: { feedId: string }) => feedId);
  assert.deepEqual(await fed('free', ['*']), ids(['free']));
  assert.deepEqual(await fed('developer', ['*']), ids(['free', 'live']));
  const group = ids(['free', 'live']).filter((feedId) => feedId.startsWith('timing.'));
  assert.deepEqual(await fed('developer', ['timing.*', 'lap.count']), ['lap.count', ...group]);
});

test('GET /webhooks: limit is 20 by default and at most 100, and offset and total lead through the list', async () => {
  const client = await service.client('developer');
  const made: string[] = [];
  for (let count = 0; count < 23; count++) made.push(await client.webhook());
  const page = async (query: string) => {
    const { endpoints, ...place } = (await client.call('GET', `/webhooks${query}`)).body.data;
    return { ids: endpoints.map(({ webhookId }: { webhookId: string }) => webhookId), place };
  };
  assert.deepEqual(await page(''), { ids: made.slice(0, 20), place: { total: 23, limit: 20, offset: 0 } });
  assert.deepEqual(await page('?offset=20'), { ids: made.slice(20), place: { total: 23, limit: 20, offset: 20 } });
  assert.deepEqual(await page('?limit=100'), { ids: made, place: { total: 23, limit: 100, offset: 0 } });
  assert.deepEqual((await page('?limit=2&offset=99')).ids, []);
  for (const [query, text] of [
    ['?limit=101', 'limit must be at most 100'],
    ['?limit=0', 'limit must be at least 1'],
    ['?offset=-1', 'offset must be at least 0'],
    ['?limit=many', 'limit must be a whole number'],
  ]) {
    const { status, body } = await client.call('GET', `/webhooks${query}`);
    assert.deepEqual([status, body.code, body.error], [400, 'invalid_query', text]);
  }
});

test('PATCH /webhooks/:webhookId: each of the four keys changes only its own field', async () => {
  const client = await service.client('developer');
  const webhookId = await client.webhook({ feedIds: ['timing.data', 'lap.count'] });
  let before = await endpointOf(client, webhookId);
  for (const [key, value] of Object.entries({
    active: false,
    webhookUrl: 'https://8.8.8.8/elsewhere',
    webhookMethod: 'put',
    filters: { drivers: ['KIT'] },
  })) {
    const { status, body } = await client.call('PATCH', `/webhooks/${webhookId}`, { [key]: value });
    const { updatedAt } = body.data;
    assert.deepEqual([status, body.data], [200, { ...before, [key]: value, updatedAt }]);
    assert.deepEqual(await endpointOf(client, webhookId), body.data);
    before = body.data;
  }
  for (const [change, text] of [
    [{ active: 'no' }, 'active must be true or false'],
    [{ webhookUrl: 'http://8.8.8.8/' }, /^webhookUrl must use https/],
    [{ url: 'https://8.8.8.8/' }, '"url" is not a known key'],
  ] as const) {
    const { status, body } = await client.call('PATCH', `/webhooks/${webhookId}`, change);
    assert.equal(status, 400);
    assert.match(body.error, typeof text === 'string' ? new RegExp(`^${text}`) : text);
  }
  assert.deepEqual(await endpointOf(client, webhookId), before, 'a refused request changes nothing');
});

test('GET /webhooks/:webhookId shows one endpoint, and PATCH with feedId, feedIds or subscriptions gives it a new set of feeds', async () => {
  const client = await service.client('developer');
  const webhookId = await client.webhook({ feedIds: ['timing.data', 'lap.count'] });
  const path = `/webhooks/${webhookId}`;
  const secret = (await client.call('GET', `${path}/secret`)).body.data.webhookSecret;
  for (const [selector, feedIds] of [
    [{ feedIds: ['lap.count', 'events.race'] }, ['lap.count', 'events.race']],
    [{ subscriptions: [{ feedId: 'events.race', filters: { eventTypes: ['overtake'] } }] }, ['events.race']],
    [{ feedId: 'track.status' }, ['track.status']],
  ] as const) {
    const { status, body } = await client.call('PATCH', path, selector);
    assert.equal(status, 200);
    const shown = body.data.subscriptions.map(({ feedId }: { feedId: string }) => feedId);
    assert.deepEqual([shown, body.data.feedCount], [feedIds, feedIds.length]);
    assert.deepEqual((await client.call('GET', path)).body, body);
  }
  assert.equal((await client.call('GET', `${path}/secret`)).body.data.webhookSecret, secret);
  const both = await client.call('PATCH', path, { feedId: 'lap.count', feedIds: ['lap.count'] });
  assert.deepEqual([both.status, both.body.code], [400, 'invalid_body']);
});

test("PATCH /webhooks/:webhookId/feeds/:feedId: changes only that feed's filters", async () => {
  const client = await service.client('developer');
  const webhookId = await client.webhook({ feedIds: ['timing.data', 'tire.stints'] });
  const { status, body } = await client.call('PATCH', `/webhooks/${webhookId}/feeds/tire.stints`, {
    filters: { constructors: ['kite'] },
  });
  assert.deepEqual([status, body.data.feedId, body.data.filters], [200, 'tire.stints', { constructors: ['kite'] }]);
  const { filters, subscriptions } = await endpointOf(client, webhookId);
  assert.deepEqual(filters, {});
  assert.deepEqual([subscriptions[0].filters, subscriptions[1].filters], [{}, { constructors: ['kite'] }]);
  const other = await client.call('PATCH', `/webhooks/${webhookId}/feeds/lap.count`, { filters: {} });
  assert.deepEqual([other.status, other.body.code], [404, 'not_found'], 'a feed without a subscription');
});

test('Secrets: an endpoint has one secret, readable at any time, and rotate-secret replaces it at once', async () => {
  const client = await service.client('free');
  const { webhookId, webhookSecret } = (await client.call('POST', '/webhooks', { ...HOOK, feedIds: ['*'] })).body.data;
  const read = async () => (await client.call('GET', `/webhooks/${webhookId}/secret`)).body.data.webhookSecret;
  assert.equal(await read(), webhookSecret);
  const { status, body } = await client.call('POST', `/webhooks/${webhookId}/rotate-secret`);
  assert.deepEqual([status, Object.keys(body.data)], [200, ['webhookSecret']]);
  assert.notEqual(body.data.webhookSecret, webhookSecret);
  assert.equal(await read(), body.data.webhookSecret);
});

test('POST /webhooks/:webhookId/test: makes one delivery in mode test, logged and counted; one that is refused before is neither', async () => {
  const client = await service.client('free');
  const own = await client.webhook({ feedId: 'lap.count', webhookUrl: service.baseUrl });
  const refused = await client.call('POST', `/webhooks/${own}/test`);
  assert.deepEqual([refused.status, refused.body.data.delivered, refused.body.data.statusCode], [200, false, null]);
  assert.match(refused.body.data.errorMessage, /belongs to the service/);
  assert.deepEqual(await deliveryLog(client, own), []);
  assert.equal((await client.call('GET', '/usage')).body.data.deliveryCount, 0);
  const webhookId = await client.webhook({ feedId: 'lap.count', webhookUrl: NOWHERE });
  const { status, body } = await client.call('POST', `/webhooks/${webhookId}/test`);
  assert.deepEqual([status, body.data.delivered, body.data.statusCode], [200, false, null]);
  const [entry, ...others] = await deliveryLog(client, webhookId);
  assert.deepEqual([entry!.mode, entry!.feedId, entry!.attempt, others], ['test', 'lap.count', 1, []]);
  assert.equal((await client.call('GET', '/usage')).body.data.deliveryCount, 1);
});

test('POST /webhooks/:webhookId/test: a receiver on the machine of the service gets it, signed, where it gets replays', async (t) => {
  const receiver = await startWebhookReceiver();
  t.after(() => receiver.close());
  const client = await service.client('free');
  const { webhookId, webhookSecret } = (
    await client.call('POST', '/webhooks', { webhookUrl: receiver.url, feedId: 'lap.count' })
  ).body.data;
  const { body } = await client.call('POST', `/webhooks/${webhookId}/test`);
  assert.deepEqual([body.data.delivered, body.data.statusCode, body.data.errorMessage], [true, 200, null]);
  assert.equal(receiver.received[0]!.headers['x-service-mode'], 'test');
  assert.equal(receiver.wronglySigned(webhookSecret), 0);
});

test('DELETE /webhooks/:webhookId: removes the endpoint for good and keeps its log for 90 days', async () => {
  const client = await service.client('free');
  const webhookId = await client.webhook({ webhookUrl: NOWHERE });
  await client.call('POST', `/webhooks/${webhookId}/test`);
  const { status, body } = await client.call('DELETE', `/webhooks/${webhookId}`);
  assert.deepEqual([status, body.data], [200, { webhookId, deleted: true }]);
  assert.equal(await endpointOf(client, webhookId), undefined);
  for (const [method, path, change] of [
    ['DELETE', ''],
    ['PATCH', '', { active: true }],
    ['PATCH', '/feeds/session.status', { filters: {} }],
    ['GET', '/secret'],
    ['POST', '/rotate-secret'],
    ['POST', '/test'],
  ] as const) {
    const gone = await client.call(method, `/webhooks/${webhookId}${path}`, change);
    assert.deepEqual([gone.status, gone.body.code], [404, 'not_found'], `${method} ${path}`);
  }
  assert.equal((await deliveryLog(client, webhookId)).length, 1);
  // To simulate the passing of time, the deletion is moved into the past, first to just within the 90 days, then beyond them,
  // and there is an attempt from before it.
  const age = (days: number) => sql`
    update webhook set deleted_at = now() - make_interval(days => ${days}) + interval '1 minute'
    where webhook_id = ${webhookId}`;
  await age(90);
  const [row] = await sql<{ webhookNo: number }[]>`
    select webhook_no as "webhookNo" from webhook where webhook_id = ${webhookId}`;
  const store = new PostgresRecordStore(sql);
  const writer = { name: 'a shard of 95 days ago', epoch: 1 };
  await store.admit(writer);
  const today = (await loggedAttempts(sql)).find(({ attempt }) => attempt.webhookNo === row!.webhookNo)!.attempt;
  const attempts = [{ ...today, createdAtMs: today.createdAtMs - 95 * 86_400_000 }];
  await store.commit({ writer, batchNo: 1, attempts, usage: [], latency: [], checkpoints: [] });
  assert.equal((await deliveryLog(client, webhookId)).length, 2, 'on the 90th day');
  await age(91);
  assert.equal((await client.call('GET', `/webhooks/${webhookId}/logs`)).status, 404, 'on the 91st day');
});

test("Every operation on another account's endpoint gives 404", async () => {
  const webhookId = await (await service.client('free')).webhook();
  const stranger = await service.client('free');
  for (const [method, path, change] of [
    ['GET', ''],
    ['GET', '/logs'],
    ['GET', '/secret'],
    ['POST', '/test'],
    ['POST', '/rotate-secret'],
    ['PATCH', '', { active: false }],
    ['PATCH', '/feeds/session.status', { filters: {} }],
    ['DELETE', ''],
  ] as const) {
    const { status, body } = await stranger.call(method, `/webhooks/${webhookId}${path}`, change);
    assert.deepEqual([status, body.code], [404, 'not_found'], `${method} ${path}`);
  }
  assert.deepEqual((await stranger.call('GET', '/webhooks')).body.data.endpoints, []);
});
