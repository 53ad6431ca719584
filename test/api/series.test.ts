// Feeds of several series: what the catalogue shows, and how an endpoint belongs to one series.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { feedsOf } from '#schemas/webhook/feeds.ts';
import { withApi } from '#test/support/api-harness.ts';

const F1 = feedsOf(['f1']).map(({ feedId }) => feedId);
const KARTING = feedsOf(['karting']).map(({ feedId }) => feedId);
const URL_TEXT = 'https://hooks.example.com/in';

const usual = await withApi({ after });
const both = await withApi({ after }, { feeds: feedsOf(['f1', 'karting']) });
const custom = await both.client('custom');

async function created(selection: object) {
  const { status, body } = await custom.call('POST', '/v1/webhooks', { webhookUrl: URL_TEXT, ...selection });
  if (status !== 201) return { status, error: body.error };
  const list = await custom.call('GET', '/v1/webhooks?limit=100');
  const id = body.data.webhookId;
  const { seriesId, subscriptions } = list.body.data.endpoints.find(
    ({ webhookId }: { webhookId: string }) => webhookId === id,
  );
  const feedIds = subscriptions.map(({ feedId }: { feedId: string }) => feedId);
  assert.equal((await custom.call('DELETE', `/v1/webhooks/${id}`)).status, 200);
  return { status, seriesId, feedIds };
}

test('a service that offers one series has no feeds of another', async () => {
  const client = await usual.client('developer');
  const { body } = await client.call('GET', '/v1/feeds?limit=100');
  assert.deepEqual(
    body.data.feeds.map(({ feedId, seriesId }: Record<string, string>) => [feedId, seriesId]),
    F1.map((feedId) => [feedId, 'f1']),
  );
  for (const feedId of ['karting.laps', 'karting.*']) {
    const refused = await client.call('POST', '/v1/webhooks', { webhookUrl: URL_TEXT, feedIds: [feedId] });
    assert.deepEqual([refused.status, refused.body.code], [400, 'invalid_body']);
    assert.match(refused.body.error, /there is no feed "karting\./);
  }
  const document = await usual.call('GET', '/v1/openapi.json');
  assert.equal(document.status, 200);
  assert.ok(!JSON.stringify(document.body).includes('karting'));
});

test('a service that offers two series shows the series of each feed', async () => {
  const { body } = await custom.call('GET', '/v1/feeds?limit=100');
  const of = (series: string) =>
    body.data.feeds
      .filter(({ seriesId }: Record<string, string>) => seriesId === series)
      .map(({ feedId }: Record<string, string>) => feedId);
  assert.deepEqual([of('f1'), of('karting'), body.data.total], [F1, KARTING, F1.length + KARTING.length]);
});

test('an endpoint has the series of its feeds, and its wildcards match only feeds of that series', async () => {
  assert.deepEqual(await created({ feedId: 'karting.laps' }), {
    status: 201,
    seriesId: 'karting',
    feedIds: ['karting.laps'],
  });
  assert.deepEqual(await created({ feedIds: ['karting.*'] }), { status: 201, seriesId: 'karting', feedIds: KARTING });
  assert.deepEqual(await created({ feedIds: ['karting.heat', '*'] }), {
    status: 201,
    seriesId: 'karting',
    feedIds: KARTING,
  });
  assert.deepEqual(await created({ feedIds: ['*'] }), { status: 201, seriesId: 'f1', feedIds: F1 });
  assert.deepEqual(await created({ subscriptions: [{ feedId: 'lap.count' }] }), {
    status: 201,
    seriesId: 'f1',
    feedIds: ['lap.count'],
  });
});

test('an endpoint with feeds of several series is refused', async () => {
  for (const selection of [
    { feedIds: ['lap.count', 'karting.heat'] },
    { feedIds: ['timing.*', 'karting.*'] },
    { subscriptions: [{ feedId: 'karting.heat' }, { feedId: 'lap.count' }] },
  ]) {
    const { status, error } = await created(selection);
    assert.equal(status, 400);
    assert.match(error, /names feeds of (f1 and karting|karting and f1); an endpoint has one series/);
  }
});

test('filters by driver, number, team and position work on feeds of another series', async () => {
  const filters = { drivers: ['ADA'], driverNumbers: ['88'], constructors: ['red shed'], positions: { max: 3 } };
  assert.equal((await created({ feedId: 'karting.laps', filters })).status, 201);
});
