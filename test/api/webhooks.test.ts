import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { PREVIOUS_SECRET_MS } from '#api/webhooks/endpoint-settings.ts';
import { feedsOf } from '#schemas/webhook/feeds.ts';
import { withApi } from '#test/support/api-harness.ts';

const FEEDS = feedsOf(['f1']);
const api = await withApi({ after });
const { control } = api;
const free = await api.client('free');
const developer = await api.client('developer');
const custom = await api.client('custom');
const URL_TEXT = 'https://hooks.example.com/in?key=1';
const FREE_FEEDS = FEEDS.filter(({ availability }) => availability === 'free').map(({ feedId }) => feedId);
const LIVE_FEEDS = FEEDS.filter(({ availability }) => availability !== 'analytics').map(({ feedId }) => feedId);
const ANALYTICS_FEEDS = FEEDS.filter(({ availability }) => availability === 'analytics').map(({ feedId }) => feedId);

beforeEach(() => {
  control.changed.length = 0;
  control.deleted.length = 0;
});

test('creating an endpoint returns its id, its subscriptions and its signing secret', async () => {
  const { status, body, headers } = await developer.call('POST', '/v1/webhooks', {
    webhookUrl: URL_TEXT,
    feedIds: ['timing.data', 'events.race', 'timing.data'],
  });
  assert.equal(status, 201);
  const { webhookId, webhookSecret, ...rest } = body.data;
  assert.match(webhookId, /^wh_[0-9a-z]{26}$/);
  assert.match(webhookSecret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.deepEqual(rest, {
    webhookUrl: URL_TEXT,
    active: true,
    subscriptions: [
      { feedId: 'timing.data', active: true },
      { feedId: 'events.race', active: true },
    ],
  });
  assert.equal(headers.get('cache-control'), 'no-store');
});

test('the list shows every field of an endpoint except its secret, and comes in pages', async () => {
  const client = await api.client('developer');
  const first = await client.webhook({
    feedId: undefined,
    subscriptions: [{ feedId: 'timing.data', filters: { drivers: ['ver'] } }, { feedId: 'session.status' }],
    filters: { positions: { max: 10 } },
    webhookMethod: 'put',
  });
  const second = await client.webhook();
  const { body } = await client.call('GET', '/v1/webhooks');
  assert.deepEqual([body.data.total, body.data.limit, body.data.offset], [2, 20, 0]);
  const { createdAt, updatedAt, health, ...endpoint } = body.data.endpoints[0];
  assert.equal(health.state, 'healthy');
  assert.deepEqual(endpoint, {
    webhookId: first,
    webhookUrl: 'https://hooks.example.com/in',
    description: '',
    webhookMethod: 'put',
    headers: {},
    seriesId: 'f1',
    active: true,
    suspended: null,
    subscriptionTier: 'developer',
    snapshot: false,
    feedCount: 2,
    feedPatterns: [],
    filters: { positions: { max: 10 } },
    subscriptions: [
      { feedId: 'timing.data', filters: { drivers: ['VER'] }, active: true, suspended: null },
      { feedId: 'session.status', filters: {}, active: true, suspended: null },
    ],
  });
  assert.equal(new Date(createdAt).toISOString(), createdAt);
  assert.equal(new Date(updatedAt).toISOString(), updatedAt);
  const page = await client.call('GET', '/v1/webhooks?limit=1&offset=1');
  assert.deepEqual(
    page.body.data.endpoints.map((item: { webhookId: string }) => item.webhookId),
    [second],
  );
  assert.deepEqual([page.body.data.total, page.body.data.limit, page.body.data.offset], [2, 1, 1]);
});

test('a list limit outside 1 to 100 is invalid_query, and the error names every violation', async () => {
  const { status, body } = await free.call('GET', '/v1/webhooks?limit=101&offset=-1');
  assert.deepEqual([status, body.code], [400, 'invalid_query']);
  assert.match(body.error, /limit must be at most 100/);
  assert.match(body.error, /offset must be at least 0/);
  for (const query of [
    'limit=0',
    'limit=ten',
    'limit=',
    'limit=1.5',
    'limit=1&limit=2',
    'limit=1e1',
    'offset=9999999999',
  ]) {
    assert.equal((await free.call('GET', `/v1/webhooks?${query}`)).body.code, 'invalid_query', query);
  }
});

test('exactly one of feedId, feedIds and subscriptions is required', async () => {
  const bodies = [
    {},
    { feedId: 'session.status', feedIds: ['session.status'] },
    { feedId: 'session.status', subscriptions: [{ feedId: 'session.status' }] },
  ];
  for (const selector of bodies) {
    const { status, body } = await free.call('POST', '/v1/webhooks', { webhookUrl: URL_TEXT, ...selector });
    assert.deepEqual([status, body.code], [400, 'invalid_body']);
    assert.match(body.error, /exactly one of feedId, feedIds, subscriptions/);
  }
});

test('the error says in words which type a field must have', async () => {
  const { body } = await free.call('POST', '/v1/webhooks', { webhookUrl: '', feedId: 7, feedIds: 'x' });
  assert.equal(body.error, 'webhookUrl must not be empty; feedId must be a text; feedIds must be a list');
  const { body: query } = await free.call('GET', '/v1/webhooks?limit=1.5');
  assert.equal(query.error, 'limit must be a whole number');
});

test('an invalid body names every violation', async () => {
  const { status, body } = await free.call('POST', '/v1/webhooks', {
    feedIds: [],
    webhookMethod: 'get',
    subscriptions: [{ feed: 'x' }],
    colour: 'red',
  });
  assert.deepEqual([status, body.code, body.statusCode], [400, 'invalid_body', 400]);
  for (const part of [
    'webhookUrl is required',
    'feedIds must not be empty',
    'webhookMethod must be one of post, put',
    'subscriptions[0].feedId is required',
    'subscriptions[0]."feed" is not a known key (known: feedId, filters)',
    '"colour" is not a known key',
  ]) {
    assert.ok(body.error.includes(part), `${part} in: ${body.error}`);
  }
});

test('an unknown feed is invalid_body, and so is a wildcard outside feedIds', async () => {
  for (const selector of [
    { feedId: 'timing.nothing' },
    { feedIds: ['session.status', 'nothing.*'] },
    { feedId: '*' },
    { subscriptions: [{ feedId: '__proto__' }] },
  ]) {
    const { status, body } = await custom.call('POST', '/v1/webhooks', { webhookUrl: URL_TEXT, ...selector });
    assert.deepEqual([status, body.code], [400, 'invalid_body'], JSON.stringify(selector));
  }
});

test("`*` selects all feeds in the caller's tier, and a group glob selects the feeds of that group in it", async () => {
  const feedsOf = async (client: typeof free, feedIds: string[]) => {
    const { body } = await client.call('POST', '/v1/webhooks', { webhookUrl: URL_TEXT, feedIds });
    return body.data.subscriptions.map(({ feedId }: { feedId: string }) => feedId);
  };
  assert.deepEqual(await feedsOf(free, ['*']), FREE_FEEDS);
  assert.deepEqual(await feedsOf(developer, ['*']), LIVE_FEEDS);
  assert.deepEqual(await feedsOf(custom, ['*']), [...LIVE_FEEDS, ...ANALYTICS_FEEDS]);
  assert.deepEqual(await feedsOf(free, ['session.*', 'track.status']), [
    'track.status',
    'session.info',
    'session.status',
  ]);
  assert.deepEqual(await feedsOf(custom, ['analytics.*']), ANALYTICS_FEEDS);
  assert.equal(ANALYTICS_FEEDS.length, 14);
});

test('a live feed on Free is 402; an analytics feed is 403 on Free and 402 on Developer', async () => {
  const create = (client: typeof free, feedIds: string[]) =>
    client.call('POST', '/v1/webhooks', { webhookUrl: URL_TEXT, feedIds });
  const live = await create(free, ['session.status', 'timing.data']);
  assert.deepEqual([live.status, live.body.code], [402, 'tier_required']);
  assert.match(live.body.error, /timing\.data needs Developer/);
  const analytics = await create(free, ['analytics.race-odds']);
  assert.deepEqual([analytics.status, analytics.body.code], [403, 'insufficient_tier']);
  const glob = await create(free, ['analytics.*']);
  assert.deepEqual([glob.status, glob.body.code], [403, 'insufficient_tier']);
  const unknown = await create(custom, ['analytics.unheard-of']);
  assert.deepEqual([unknown.status, unknown.body.code], [400, 'invalid_body']);
  const onDeveloper = await create(developer, ['analytics.race-odds']);
  assert.deepEqual([onDeveloper.status, onDeveloper.body.code], [402, 'tier_required']);
});

test('wrong filters are invalid_filters, and the error names every violation in every filters object', async () => {
  const { status, body } = await developer.call('POST', '/v1/webhooks', {
    webhookUrl: URL_TEXT,
    filters: { colour: 1 },
    subscriptions: [
      { feedId: 'timing.data', filters: { drivers: 'VER', eventTypes: ['overtake'] } },
      { feedId: 'session.status', filters: { drivers: ['VER'] } },
    ],
  });
  assert.deepEqual([status, body.code], [400, 'invalid_filters']);
  for (const part of [
    'filters."colour" is not a known key',
    'subscriptions[0].filters.drivers must be a list of strings',
    'subscriptions[0].filters.eventTypes is only for the feed events.race',
    'subscriptions[1].filters.drivers is only for feeds about drivers',
  ]) {
    assert.ok(body.error.includes(part), `${part} in: ${body.error}`);
  }
});

test('subscriptions that name a feed twice are refused', async () => {
  const subscriptions = [{ feedId: 'session.status' }, { feedId: 'session.status' }];
  const { body } = await free.call('POST', '/v1/webhooks', { webhookUrl: URL_TEXT, subscriptions });
  assert.equal(body.code, 'invalid_body');
});

test('a URL that is not public https is refused, even when only its name resolves to a private address', async () => {
  api.names.set('inside.example.com', ['93.184.216.34', '10.0.0.7']);
  for (const webhookUrl of [
    'http://hooks.example.com/',
    'https://user:pass@hooks.example.com/',
    'https://169.254.169.254/latest',
    'https://0xa.1/',
    'https://[fd00::1]/',
    'https://inside.example.com/',
    'nonsense',
  ]) {
    const { status, body } = await custom.call('POST', '/v1/webhooks', { webhookUrl, feedId: 'session.status' });
    assert.deepEqual([status, body.code], [400, 'invalid_body'], webhookUrl);
    assert.match(body.error, /^webhookUrl /);
    assert.ok(!body.error.includes('10.0.0.7'), 'the error does not reveal private addresses');
  }
  for (const webhookUrl of ['http://localhost:9000/in', 'http://127.0.0.1:9000', 'https://[::1]:9000/']) {
    const { status } = await custom.call('POST', '/v1/webhooks', { webhookUrl, feedId: 'session.status' });
    assert.equal(status, 201, webhookUrl);
  }
});

test('a name without an address is accepted, because every connection is checked anyway', async () => {
  const webhookUrl = 'https://no-such-name.example.com/';
  const { status } = await custom.call('POST', '/v1/webhooks', { webhookUrl, feedId: 'session.status' });
  assert.equal(status, 201);
});

test('PATCH pauses and resumes an endpoint, keeps the fields it does not name, and updates the delivery engine', async () => {
  const id = await developer.webhook({ feedId: 'events.race', filters: { eventTypes: ['overtake'] } });
  const paused = await developer.call('PATCH', `/v1/webhooks/${id}`, { active: false });
  assert.equal(paused.status, 200);
  assert.equal(paused.body.data.active, false);
  assert.deepEqual(paused.body.data.filters, { eventTypes: ['overtake'] });
  const resumed = await developer.call('PATCH', `/v1/webhooks/${id}`, {
    active: true,
    webhookUrl: 'http://localhost:9999/x',
    webhookMethod: 'put',
    filters: {},
  });
  assert.equal(resumed.body.data.webhookUrl, 'http://localhost:9999/x');
  assert.deepEqual(
    control.changed.map(({ active, url, method, filters }) => ({ active, url, method, filters })),
    [
      { active: false, url: 'https://hooks.example.com/in', method: 'post', filters: { eventTypes: ['overtake'] } },
      { active: true, url: 'http://localhost:9999/x', method: 'put', filters: {} },
    ],
  );
  assert.match(control.changed[0]!.secret, /^whsec_/);
});

test('PATCH refuses what creation would refuse, and changes nothing', async () => {
  const id = await developer.webhook();
  for (const [body, code] of [
    [{ active: 'no' }, 'invalid_body'],
    [{ webhookUrl: 'https://10.0.0.1/' }, 'invalid_body'],
    [{ webhookMethod: 'get' }, 'invalid_body'],
    [{ filters: { drivers: [1] } }, 'invalid_filters'],
    [{ filters: null }, 'invalid_filters'],
    [{ filters: { eventTypes: ['overtake'] } }, 'invalid_filters'],
    [{ secret: 'whsec_mine' }, 'invalid_body'],
  ] as const) {
    const answer = await developer.call('PATCH', `/v1/webhooks/${id}`, body);
    assert.deepEqual([answer.status, answer.body.code], [400, code], JSON.stringify(body));
  }
  assert.equal(control.changed.length, 0);
});

test('PATCH of one feed changes its filters and whether it is active, and nothing else', async () => {
  const id = await developer.webhook({ feedId: undefined, feedIds: ['timing.data', 'events.race', 'session.status'] });
  const path = `/v1/webhooks/${id}/feeds/events.race`;
  const changed = await developer.call('PATCH', path, { filters: { eventTypes: ['overtake'], drivers: ['HAM'] } });
  const expected = { feedId: 'events.race', filters: { eventTypes: ['overtake'], drivers: ['HAM'] }, active: true };
  assert.deepEqual([changed.status, changed.body], [200, { data: { ...expected, suspended: null } }]);
  const off = await developer.call('PATCH', path, { active: false });
  assert.deepEqual(off.body.data, { ...expected, active: false, suspended: null });
  assert.deepEqual(control.changed.at(-1)!.subscriptions, [
    { feedId: 'timing.data', filters: {}, active: true },
    { ...expected, active: false },
    { feedId: 'session.status', filters: {}, active: true },
  ]);
  assert.equal((await developer.call('PATCH', `/v1/webhooks/${id}/feeds/weather.data`, {})).status, 404);
  const misplaced = await developer.call('PATCH', `/v1/webhooks/${id}/feeds/session.status`, {
    filters: { drivers: ['HAM'] },
  });
  assert.equal(misplaced.body.code, 'invalid_filters');
});

test('DELETE removes an endpoint permanently, and a second DELETE is 404', async () => {
  const id = await custom.webhook();
  const gone = await custom.call('DELETE', `/v1/webhooks/${id}`);
  assert.deepEqual([gone.status, gone.body], [200, { data: { webhookId: id, deleted: true } }]);
  assert.deepEqual(control.deleted, [id]);
  for (const [method, path, body] of [
    ['DELETE', '', undefined],
    ['PATCH', '', {}],
    ['GET', '/secret', undefined],
    ['POST', '/rotate-secret', undefined],
    ['POST', '/test', undefined],
    ['PATCH', '/feeds/session.status', {}],
  ] as const) {
    assert.equal((await custom.call(method, `/v1/webhooks/${id}${path}`, body)).status, 404, `${method} ${path}`);
  }
  const { body } = await custom.call('GET', '/v1/webhooks?limit=100');
  assert.ok(!JSON.stringify(body).includes(id));
});

test('an endpoint of another account is 404 on every route', async () => {
  const id = await developer.webhook();
  for (const [method, path, body] of [
    ['GET', '/secret', undefined],
    ['PATCH', '', { active: false }],
    ['PATCH', '/feeds/session.status', { active: false }],
    ['GET', '/logs', undefined],
    ['POST', '/test', undefined],
    ['POST', '/rotate-secret', undefined],
    ['DELETE', '', undefined],
  ] as const) {
    const answer = await custom.call(method, `/v1/webhooks/${id}${path}`, body);
    assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'], `${method} ${path}`);
  }
  assert.equal((await developer.call('GET', `/v1/webhooks/${id}/secret`)).status, 200);
});

test('I8: after a rotation the new secret signs, and the old one signs beside it for a day', async () => {
  const id = await custom.webhook();
  const before = await custom.call('GET', `/v1/webhooks/${id}/secret`);
  const oldSecret = before.body.data.webhookSecret;
  const rotated = await custom.call('POST', `/v1/webhooks/${id}/rotate-secret`);
  assert.equal(rotated.status, 200);
  assert.deepEqual(Object.keys(rotated.body.data), ['webhookSecret']);
  const newSecret = rotated.body.data.webhookSecret;
  assert.notEqual(newSecret, oldSecret);
  const settings = control.changed.at(-1)!;
  assert.equal(settings.secret, newSecret);
  assert.equal(settings.previousSecret!.secret, oldSecret);
  const leftMs = settings.previousSecret!.untilMs - Date.now();
  assert.ok(leftMs > PREVIOUS_SECRET_MS - 60_000 && leftMs <= PREVIOUS_SECRET_MS);
  const { body, headers } = await custom.call('GET', `/v1/webhooks/${id}/secret`);
  assert.deepEqual(body.data, { webhookId: id, webhookSecret: newSecret });
  assert.equal(headers.get('cache-control'), 'no-store');
});

test('signing secrets are sealed in the database', async () => {
  const id = await custom.webhook();
  const { body } = await custom.call('GET', `/v1/webhooks/${id}/secret`);
  const [row] = await api.sql`select secret_sealed from webhook where webhook_id = ${id}`;
  assert.ok(!Buffer.from(row!.secret_sealed).includes(body.data.webhookSecret));
});

test('concurrent changes of one endpoint reach the delivery engine in the order in which they were made', async () => {
  const id = await custom.webhook();
  await Promise.all(
    Array.from({ length: 12 }, (_, index) => custom.call('PATCH', `/v1/webhooks/${id}`, { active: index % 2 === 0 })),
  );
  const { body } = await custom.call('GET', '/v1/webhooks?limit=100');
  const kept = body.data.endpoints.find((endpoint: { webhookId: string }) => endpoint.webhookId === id);
  assert.equal(control.changed.length, 12);
  assert.equal(control.changed.at(-1)!.active, kept.active);
});

test('GET /feeds lists every feed with its access class, in pages', async () => {
  const { body } = await free.call('GET', '/v1/feeds');
  assert.equal(body.data.total, FEEDS.length);
  assert.deepEqual(body.data.feeds[0], {
    feedId: 'session.info',
    name: 'Session information',
    seriesId: 'f1',
    availability: 'free',
  });
  const page = await free.call('GET', '/v1/feeds?limit=2&offset=1');
  assert.deepEqual(
    page.body.data.feeds.map(({ feedId }: { feedId: string }) => feedId),
    ['session.status', 'track.status'],
  );
});

test('endpoints that are created at once each have their own settings, secret and place in the list', async () => {
  const client = await api.client('custom');
  const wanted = Array.from({ length: 40 }, (_, number) => ({
    webhookUrl: `https://hooks.example.com/${number}`,
    webhookMethod: number % 2 === 0 ? 'post' : 'put',
    description: number === 7 ? 'half of a character: \ud800' : `number ${number}`,
    snapshot: number % 3 === 0,
    headers: number % 4 === 0 ? {} : { [`X-Number-${number}`]: 'secret' },
    filters: { positions: { max: 1 + (number % 20) } },
    subscriptions: [
      { feedId: 'timing.data', filters: { positions: { max: 20 - (number % 20) } } },
      { feedId: 'events.race' },
    ].slice(number % 2),
  }));
  const created = await Promise.all(wanted.map((body) => client.call('POST', '/v1/webhooks', body)));
  const ids = created.map(({ status, body }) => {
    assert.equal(status, 201, JSON.stringify(body));
    return body.data.webhookId;
  });
  for (const [number, webhookId] of ids.entries()) {
    const { data } = (await client.call('GET', `/v1/webhooks/${webhookId}`)).body;
    const { headers, subscriptions, description, ...body } = wanted[number]!;
    assert.equal(data.webhookUrl, body.webhookUrl);
    assert.equal(data.webhookMethod, body.webhookMethod);
    assert.equal(data.snapshot, body.snapshot);
    assert.deepEqual(data.filters, body.filters);
    assert.equal(data.description, description.toWellFormed());
    assert.deepEqual(Object.keys(data.headers), Object.keys(headers));
    assert.deepEqual(
      data.subscriptions.map(({ feedId, filters }: { feedId: string; filters: object }) => ({ feedId, filters })),
      subscriptions.map(({ feedId, filters = {} }) => ({ feedId, filters })),
    );
    const secret = (await client.call('GET', `/v1/webhooks/${webhookId}/secret`)).body.data.webhookSecret;
    assert.equal(secret, created[number]!.body.data.webhookSecret);
  }
  const { endpoints } = (await client.call('GET', '/v1/webhooks?limit=100')).body.data;
  assert.deepEqual(endpoints.map(({ webhookId }: { webhookId: string }) => webhookId).sort(), [...ids].sort());
});
