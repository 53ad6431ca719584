// One endpoint on its own, and changes of what it subscribes to.

import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { withApi } from '#test/support/api-harness.ts';

/** What the name server does before it answers. */
let nameServer = async (): Promise<void> => {};
const resolve = async () => {
  await nameServer();
  return ['93.184.216.34'];
};
const api = await withApi({ after }, { resolve });
const { control } = api;
const free = await api.client('free');
const developer = await api.client('developer');

beforeEach(() => {
  control.changed.length = 0;
  nameServer = async () => {};
});

const plain = { filters: {}, active: true, suspended: null };

test('GET of one endpoint answers what the list shows of it', async () => {
  const id = await developer.webhook({ feedId: 'events.race', filters: { drivers: ['HAM'] } });
  const { status, body } = await developer.call('GET', `/v1/webhooks/${id}`);
  assert.equal(status, 200);
  const { endpoints } = (await developer.call('GET', '/v1/webhooks?limit=100')).body.data;
  assert.deepEqual(
    body.data,
    endpoints.find(({ webhookId }: { webhookId: string }) => webhookId === id),
  );
  assert.equal(body.data.webhookId, id);
  assert.equal((await free.call('GET', `/v1/webhooks/${id}`)).status, 404);
  assert.equal((await developer.call('GET', '/v1/webhooks/wh_nothing')).status, 404);
});

test('PATCH with a feed selector makes it the new set, in its order, and keeps id, secret and everything else', async () => {
  const id = await developer.webhook({ feedId: 'timing.data', webhookMethod: 'put', filters: { drivers: ['HAM'] } });
  const secretOf = async () => (await developer.call('GET', `/v1/webhooks/${id}/secret`)).body.data.webhookSecret;
  const secret = await secretOf();
  const feedIds = ['events.race', 'timing.data', 'lap.count'];
  const { status, body } = await developer.call('PATCH', `/v1/webhooks/${id}`, { feedIds });
  assert.equal(status, 200);
  assert.deepEqual(
    body.data.subscriptions,
    feedIds.map((feedId) => ({ feedId, ...plain })),
  );
  assert.deepEqual([body.data.webhookId, body.data.feedCount, body.data.webhookMethod], [id, 3, 'put']);
  assert.deepEqual(body.data.filters, { drivers: ['HAM'] });
  assert.equal(await secretOf(), secret);
  assert.deepEqual(
    control.changed.map(({ webhookId, subscriptions }) => [webhookId, subscriptions.map(({ feedId }) => feedId)]),
    [[id, feedIds]],
  );
  const one = await developer.call('PATCH', `/v1/webhooks/${id}`, { feedId: 'timing.data' });
  assert.deepEqual(one.body.data.subscriptions, [{ feedId: 'timing.data', ...plain }]);
  assert.deepEqual((await developer.call('GET', `/v1/webhooks/${id}`)).body.data, one.body.data);
});

test('a feed that stays keeps its filters and its pause; given filters replace them, and a feed that left is forgotten', async () => {
  const id = await developer.webhook({
    feedId: undefined,
    subscriptions: [
      { feedId: 'timing.data', filters: { drivers: ['HAM'] } },
      { feedId: 'events.race', filters: { eventTypes: ['overtake'] } },
      { feedId: 'tire.stints', filters: { drivers: ['VER'] } },
    ],
  });
  await developer.call('PATCH', `/v1/webhooks/${id}/feeds/timing.data`, { active: false });
  const path = `/v1/webhooks/${id}`;
  const changed = await developer.call('PATCH', path, {
    subscriptions: [{ feedId: 'timing.data' }, { feedId: 'events.race', filters: {} }, { feedId: 'lap.count' }],
  });
  assert.deepEqual(changed.body.data.subscriptions, [
    { ...plain, feedId: 'timing.data', filters: { drivers: ['HAM'] }, active: false },
    { ...plain, feedId: 'events.race' },
    { ...plain, feedId: 'lap.count' },
  ]);
  const back = await developer.call('PATCH', path, { feedIds: ['tire.stints'] });
  assert.deepEqual(back.body.data.subscriptions, [{ ...plain, feedId: 'tire.stints' }]);
});

test('PATCH between names and patterns keeps the settings of the feeds that stay', async () => {
  const id = await developer.webhook({ feedId: undefined, feedIds: ['timing.data', 'lap.count'] });
  const path = `/v1/webhooks/${id}`;
  await developer.call('PATCH', `${path}/feeds/timing.data`, { filters: { drivers: ['HAM'] } });
  const all = (await developer.call('PATCH', path, { feedIds: ['timing.*'] })).body.data;
  assert.deepEqual(all.feedPatterns, ['timing.*']);
  const ids = all.subscriptions.map(({ feedId }: { feedId: string }) => feedId);
  assert.ok(ids.length > 3 && ids.every((feedId: string) => feedId.startsWith('timing.')), ids.join());
  assert.deepEqual(all.subscriptions[ids.indexOf('timing.data')].filters, { drivers: ['HAM'] });
  const named = (await developer.call('PATCH', path, { feedIds: ['lap.count', 'timing.data'] })).body.data;
  assert.deepEqual([named.feedPatterns, named.subscriptions.length], [[], 2]);
  assert.deepEqual(named.subscriptions[1].filters, { drivers: ['HAM'] });
});

test('a PATCH of feeds is refused for the reasons of a creation, and changes nothing', async () => {
  const id = await free.webhook({ feedId: 'lap.count' });
  for (const [body, status, code] of [
    [{ feedId: 'lap.count', feedIds: ['lap.count'] }, 400, 'invalid_body'],
    [{ feedIds: [] }, 400, 'invalid_body'],
    [{ feedIds: ['no.feed'] }, 400, 'invalid_body'],
    [{ feedIds: ['timing.data'] }, 402, 'tier_required'],
    [{ feedIds: ['analytics.*'] }, 403, 'insufficient_tier'],
    [{ subscriptions: [{ feedId: 'lap.count', filters: { drivers: ['HAM'] } }] }, 400, 'invalid_filters'],
    [{ feedId: 'track.status', active: 'no' }, 400, 'invalid_body'],
  ] as const) {
    const answer = await free.call('PATCH', `/v1/webhooks/${id}`, body);
    assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(body));
  }
  const { subscriptions } = (await free.call('GET', `/v1/webhooks/${id}`)).body.data;
  assert.deepEqual(subscriptions, [{ feedId: 'lap.count', ...plain }]);
  assert.equal(control.changed.length, 0);
});

test('driver filters of an endpoint none of whose feeds has drivers are refused; the error names feed and support', async () => {
  const webhookUrl = 'https://hooks.example.com/in';
  const refused = await developer.call('POST', '/v1/webhooks', {
    webhookUrl,
    feedIds: ['session.status', 'lap.count'],
    filters: { drivers: ['HAM'], positions: { max: 3 } },
  });
  assert.deepEqual([refused.status, refused.body.code], [400, 'invalid_filters']);
  for (const part of [
    'filters.drivers is only for feeds about drivers, which session.status and lap.count are not: they support no filters',
    'filters.positions is only for feeds about drivers',
  ]) {
    assert.ok(refused.body.error.includes(part), `${part} in: ${refused.body.error}`);
  }
  const misplaced = await developer.call('POST', '/v1/webhooks', {
    webhookUrl,
    feedId: 'timing.data',
    filters: { eventTypes: ['overtake'] },
  });
  assert.match(
    misplaced.body.error,
    /filters\.eventTypes is only for the feed events\.race: timing\.data supports drivers, driverNumbers, constructors, positions/,
  );
  // They apply to the feeds that have drivers, and patterns may mean such feeds with the next plan.
  const mixed = await developer.webhook({
    feedId: undefined,
    feedIds: ['session.status', 'timing.data'],
    filters: { drivers: ['HAM'] },
  });
  await free.webhook({ feedId: undefined, feedIds: ['*'], filters: { drivers: ['HAM'] } });
  const path = `/v1/webhooks/${mixed}`;
  const left = await developer.call('PATCH', path, { feedId: 'session.status' });
  assert.deepEqual([left.status, left.body.code], [400, 'invalid_filters']);
  assert.match(left.body.error, /^the endpoint's filters\.drivers is only for feeds about drivers/);
  assert.equal((await developer.call('PATCH', path, { feedId: 'session.status', filters: {} })).status, 200);
  const late = await developer.call('PATCH', path, { filters: { drivers: ['HAM'] } });
  assert.deepEqual([late.status, late.body.code], [400, 'invalid_filters']);
});

test('filters and feeds that two changes give at once are judged together, and the later one is refused', async () => {
  const path = `/v1/webhooks/${await developer.webhook({ feedId: 'timing.data' })}`;
  for (const [slow, fast] of [
    [{ feedId: 'session.status' }, { filters: { drivers: ['HAM'] } }],
    [{ filters: { drivers: ['HAM'] } }, { feedId: 'session.status' }],
  ] as const) {
    nameServer = async () => {};
    await developer.call('PATCH', path, { feedId: 'timing.data', filters: {} });
    const asked = Promise.withResolvers<void>();
    const answers = Promise.withResolvers<void>();
    nameServer = () => {
      asked.resolve();
      return answers.promise;
    };
    const late = developer.call('PATCH', path, { ...slow, webhookUrl: 'https://hooks.example.com/new' });
    await asked.promise;
    assert.equal((await developer.call('PATCH', path, fast)).status, 200);
    answers.resolve();
    const { status, body } = await late;
    assert.deepEqual([status, body.code], [400, 'invalid_filters'], JSON.stringify(slow));
  }
});

test('a change of a feed that another change takes away at the same time is 404 and leaves nothing', async () => {
  const id = await developer.webhook({ feedId: undefined, feedIds: ['timing.data', 'lap.count'] });
  const path = `/v1/webhooks/${id}`;
  const held = Promise.withResolvers<void>();
  const holds = Promise.withResolvers<void>();
  const holder = api.sql.begin(async (transaction) => {
    await transaction`select from webhook where webhook_id = ${id} for update`;
    holds.resolve();
    await held.promise;
  });
  await holds.promise;
  const taken = developer.call('PATCH', path, { feedId: 'lap.count' });
  await developer.call('GET', path);
  const changed = developer.call('PATCH', `${path}/feeds/timing.data`, { filters: { drivers: ['HAM'] } });
  for (let times = 0; times < 5; times++) await developer.call('GET', path);
  held.resolve();
  await holder;
  assert.deepEqual([(await taken).status, (await changed).status], [200, 404]);
  const { data } = (await developer.call('PATCH', path, { feedIds: ['timing.data'] })).body;
  assert.deepEqual(data.subscriptions, [{ feedId: 'timing.data', ...plain }]);
});
