import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Plan } from '#api/plans/plan.ts';
import { type Feed, feedsOf } from '#schemas/webhook/feeds.ts';
import { type Client, type Harness, until, withApi } from '#test/support/api-harness.ts';
import { steadyTimeline } from '#test/support/timelines.ts';

const URL_TEXT = 'https://hooks.example.com/in';
const FEEDS = feedsOf(['f1']);
const ANALYTICS = FEEDS.filter(({ availability }) => availability === 'analytics').length;
/** One more free feed than the Free plan has room for. */
const WIDER: readonly Feed[] = [
  ...FEEDS,
  { feedId: 'session.notices', seriesId: 'f1', name: 'Notices', availability: 'free', perDriver: false },
];

const api = await withApi({ after });
const wider = await withApi({ after }, { feeds: WIDER });

/** Changes the plan as the operator's command does, from any process. */
async function changePlan({ sql }: Harness, { accountId }: Client, plan: Plan): Promise<void> {
  await sql`update account set plan = ${plan} where account_id = ${accountId}`;
}

// biome-ignore lint/suspicious/noExplicitAny: the tests inspect untyped responses
async function endpointsOf(client: Client): Promise<any[]> {
  return (await client.call('GET', '/v1/webhooks?limit=100')).body.data.endpoints;
}

test('creating more endpoints than the plan allows is 402, and deleting one makes room', async () => {
  for (const [plan, room] of [
    ['free', 3],
    ['developer', 25],
  ] as const) {
    const client = await api.client(plan);
    const first = await client.webhook();
    for (let made = 1; made < room; made++) await client.webhook();
    const refused = await client.call('POST', '/v1/webhooks', { webhookUrl: URL_TEXT, feedId: 'session.status' });
    assert.deepEqual([refused.status, refused.body.code], [402, 'plan_limit_reached'], plan);
    assert.match(refused.body.error, new RegExp(`${room} endpoints`));
    await client.call('DELETE', `/v1/webhooks/${first}`);
    await client.webhook();
  }
});

test('fifty concurrent creations never exceed the endpoint limit of the plan', async () => {
  const client = await api.client('free');
  const body = { webhookUrl: URL_TEXT, feedId: 'session.status' };
  const answers = await Promise.all(Array.from({ length: 50 }, () => client.call('POST', '/v1/webhooks', body)));
  const created = answers.filter(({ status }) => status === 201);
  assert.equal(created.length, 3);
  assert.ok(answers.every(({ status }) => status === 201 || status === 402));
  assert.equal((await endpointsOf(client)).length, 3);
});

test('an endpoint with more feeds than the plan allows is 402, even through a wildcard', async () => {
  const free = WIDER.filter(({ availability }) => availability === 'free').map(({ feedId }) => feedId);
  assert.equal(free.length, 7);
  const client = await wider.client('free');
  for (const selector of [
    { feedIds: free },
    { feedIds: ['*'] },
    { subscriptions: free.map((feedId) => ({ feedId })) },
  ]) {
    const { status, body } = await client.call('POST', '/v1/webhooks', { webhookUrl: URL_TEXT, ...selector });
    assert.deepEqual([status, body.code], [402, 'plan_limit_reached'], JSON.stringify(selector));
  }
  const six = await client.call('POST', '/v1/webhooks', { webhookUrl: URL_TEXT, feedIds: free.slice(0, 6) });
  assert.equal(six.status, 201);
  const developer = await wider.client('developer');
  await developer.webhook({ feedId: undefined, feedIds: ['*'] });
  assert.equal((await endpointsOf(developer))[0].feedCount, WIDER.length - ANALYTICS);
});

test('`*` follows the plan: after an upgrade an endpoint receives the newly available feeds without being edited', async () => {
  const client = await api.client('free');
  const id = await client.webhook({ feedId: undefined, feedIds: ['*'] });
  const feedIds = async () => (await endpointsOf(client))[0].subscriptions.map(({ feedId }: Feed) => feedId);
  assert.ok(!(await feedIds()).includes('timing.data'));
  await changePlan(api, client, 'developer');
  await until(async () => (await feedIds()).includes('timing.data'));
  assert.deepEqual((await endpointsOf(client))[0].feedPatterns, ['*']);
  await until(() => api.control.covered.some(({ webhookId }) => webhookId === id));
  const sent = api.control.covered.findLast(({ webhookId }) => webhookId === id)!;
  assert.ok(sent.subscriptions.some(({ feedId }) => feedId === 'timing.data'));
});

test('a wildcard follows the catalogue: a newly added feed becomes part of the endpoint', async () => {
  const client = await api.client('developer');
  await client.webhook({ feedId: undefined, feedIds: ['session.*'] });
  const newer = await withApi({ after }, { sql: api.sql, feeds: WIDER });
  const { body } = await newer.call('GET', '/v1/webhooks', undefined, { authorization: `Bearer ${client.token}` });
  assert.deepEqual(
    body.data.endpoints[0].subscriptions.map(({ feedId }: Feed) => feedId),
    ['session.info', 'session.status', 'session.clock', 'session.data', 'session.notices'],
  );
});

test('a feed matched by a wildcard can have its own filters and be switched off', async () => {
  const client = await api.client('developer');
  const id = await client.webhook({ feedId: undefined, feedIds: ['*', 'session.status'] });
  const path = `/v1/webhooks/${id}/feeds/timing.data`;
  const changed = await client.call('PATCH', path, { filters: { drivers: ['HAM'] } });
  assert.deepEqual(changed.body.data, {
    feedId: 'timing.data',
    filters: { drivers: ['HAM'] },
    active: true,
    suspended: null,
  });
  const off = await client.call('PATCH', path, { active: false });
  assert.deepEqual(off.body.data, {
    feedId: 'timing.data',
    filters: { drivers: ['HAM'] },
    active: false,
    suspended: null,
  });
  const [endpoint] = await endpointsOf(client);
  assert.equal(endpoint.feedCount, FEEDS.length - ANALYTICS);
  assert.equal(endpoint.subscriptions[0].feedId, 'session.status');
  assert.deepEqual(
    endpoint.subscriptions.filter(({ active }: { active: boolean }) => !active).map(({ feedId }: Feed) => feedId),
    ['timing.data'],
  );
});

test('a downgrade keeps the configuration and shows what it suspends, and an upgrade restores it', async () => {
  const client = await wider.client('developer');
  const ids: string[] = [];
  for (let made = 0; made < 4; made++) {
    ids.push(await client.webhook({ feedId: undefined, feedIds: ['timing.data', 'session.status'] }));
  }
  const free = WIDER.filter(({ availability }) => availability === 'free').map(({ feedId }) => feedId);
  await client.call('DELETE', `/v1/webhooks/${ids.shift()}`);
  ids.push(await client.webhook({ feedId: undefined, feedIds: free }));

  await changePlan(wider, client, 'free');
  await until(async () => (await endpointsOf(client))[3].suspended === 'endpoint_limit');
  const [first, , , last] = await endpointsOf(client);
  assert.deepEqual([first.suspended, first.active, first.subscriptionTier], [null, true, 'free']);
  assert.deepEqual(first.subscriptions, [
    { feedId: 'timing.data', filters: {}, active: true, suspended: 'tier' },
    { feedId: 'session.status', filters: {}, active: true, suspended: null },
  ]);
  assert.equal(last.active, true);
  assert.deepEqual(
    last.subscriptions.map(({ suspended }: { suspended: string | null }) => suspended),
    [null, null, null, null, null, null, 'feed_limit'],
  );
  const sent = (webhookId: string) => wider.control.covered.findLast((settings) => settings.webhookId === webhookId);
  await until(() => sent(ids[3]!)?.active === false);
  assert.deepEqual(
    sent(ids[0]!)!.subscriptions.map(({ feedId }) => feedId),
    ['session.status'],
  );

  // Deleting an endpoint makes room for a suspended one.
  await client.call('DELETE', `/v1/webhooks/${ids[1]}`);
  assert.deepEqual(
    (await endpointsOf(client)).map(({ suspended }) => suspended),
    [null, null, null],
  );
  assert.equal(sent(ids[3]!)!.active, true);

  await changePlan(wider, client, 'developer');
  await until(async () => (await endpointsOf(client))[0].subscriptions[0].suspended === null);
  await until(() => sent(ids[0]!)!.subscriptions.length === 2);
});

test('the endpoint list shows each change immediately, even while other reads are under way', async () => {
  const client = await api.client('developer');
  const id = await client.webhook();
  for (let round = 0; round < 20; round++) {
    const active = round % 2 === 1;
    const reads = Promise.all([endpointsOf(client), endpointsOf(client)]);
    await client.call('PATCH', `/v1/webhooks/${id}`, { active });
    assert.equal((await endpointsOf(client))[0].active, active, `round ${round}`);
    await reads;
  }
  await client.call('DELETE', `/v1/webhooks/${id}`);
  assert.deepEqual(await endpointsOf(client), []);
});

test('with one simulate slot left, fifty concurrent starts of five sessions unlock only one session', async () => {
  const client = await api.client('free');
  await client.webhook();
  const sessions = Array.from({ length: 5 }, (_, index) => `slots-${index}`);
  for (const session of sessions) await api.session(session, { timeline: steadyTimeline(10, 100) });
  for (let used = 0; used < 4; used++) {
    await api.sql`insert into simulate_slot (account_id, session_id) values (${client.accountId}, ${`used-${used}`})`;
  }
  // Each run that starts delivers at once and is then stopped, so the next one can start.
  let stopping = Promise.resolve<unknown>(null);
  const start = async (session: string) => {
    const { status, body } = await client.call('GET', `/v1/simulate/stream?session=${session}&speed=10&sinks=webhook`);
    if (status === 202) {
      api.control.listener.firstAttempt(body.data.runId);
      stopping = client.call('DELETE', `/v1/simulate/stream?runId=${body.data.runId}`);
      await stopping;
    }
    return status;
  };
  const statuses = await Promise.all(Array.from({ length: 50 }, (_, index) => start(sessions[index % 5]!)));
  assert.ok(statuses.includes(202));
  assert.ok(statuses.every((status) => [202, 409, 429].includes(status)));
  // Sequential starts too: each finds the session unlocked or no slot left.
  for (const session of sessions) statuses.push(await start(session));
  assert.ok(statuses.includes(429));
  const { body } = await client.call('GET', '/v1/simulate/quota');
  assert.deepEqual([body.limit, body.used, body.remaining, body.unlocked.length], [5, 5, 0, 5]);
});

test('a change made while the connection was down takes effect soon after it is back', {
  timeout: 20_000,
}, async () => {
  const client = await api.client('free');
  await client.webhook({ feedId: undefined, feedIds: ['*'] });
  assert.equal((await endpointsOf(client))[0].subscriptionTier, 'free');
  const ended = await api.sql`
    select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'listen%account_change%'`;
  assert.equal(ended.length, 1, 'the service was listening');
  await changePlan(api, client, 'developer');
  await until(async () => (await endpointsOf(client))[0].subscriptionTier === 'developer');
});
