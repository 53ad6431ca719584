import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { postgresOperatorRunStore } from '#api/simulate/postgres-operator-run-store.ts';
import { systemClock } from '#engine/base/clock.ts';
import { type Client, until, withApi } from '#test/support/api-harness.ts';
import { steadyTimeline } from '#test/support/timelines.ts';
import { runOf, settleRun, start } from './replay-calls.ts';

const api = await withApi({ after });
const { control } = api;
const timeline = steadyTimeline(50, 1_000);
await api.session('2026-monza-race', { timeline });
await api.session('2026-spa-race', { timeline });
await api.session('2018-baku-race', { season: 2018, timeline });
await api.session('demo-race', { demo: true, season: 2020, timeline });
await api.session('2026-unprepared-race');

beforeEach(() => {
  control.settlesOnStop = true;
});

const settle = (client: Client, runId: string) => settleRun(api, client, runId);

function startedRun(runId: string) {
  const started = control.started.find(({ run }) => run.runId === runId);
  assert.ok(started);
  return started;
}

test('GET /simulate/sessions lists what can be replayed, the demo session first', async () => {
  const client = await api.client('free');
  const { status, body } = await client.call('GET', '/v1/simulate/sessions');
  assert.equal(status, 200);
  assert.deepEqual([body.data.total, body.data.limit, body.data.offset], [5, 20, 0]);
  assert.deepEqual(body.data.sessions[0], {
    sessionId: 'demo-race',
    seriesId: 'f1',
    name: 'Name of demo-race',
    type: 'Race',
    circuitName: 'Street',
    startDate: '2020-04-01T00:00:00.000Z',
    durationSeconds: 5_400,
    updateCount: 50,
    demo: true,
    season: 2020,
    unlocked: true,
    prepared: true,
  });
  const unprepared = body.data.sessions.find(
    (item: { sessionId: string }) => item.sessionId === '2026-unprepared-race',
  );
  assert.deepEqual([unprepared.unlocked, unprepared.prepared], [false, false]);
  const page = await client.call('GET', '/v1/simulate/sessions?limit=1&offset=4');
  assert.equal(page.body.data.sessions[0].sessionId, '2018-baku-race');
});

test('prepare returns 202, and status shows the progress', async () => {
  const client = await api.client('free');
  await api.session('2026-later-race');
  const status = () => client.call('GET', '/v1/simulate/status?session=2026-later-race');
  const shown = { sessionId: '2026-later-race', updateCount: 50 };
  assert.deepEqual((await status()).body.data, { ...shown, status: 'none', progress: 0 });
  const prepare = await client.call('POST', '/v1/simulate/prepare', { sessionId: '2026-later-race' });
  assert.deepEqual([prepare.status, prepare.body.data], [202, { ...shown, status: 'preparing', progress: 0.25 }]);
  const early = await client.call('GET', '/v1/simulate/stream?session=2026-later-race');
  assert.deepEqual([early.status, early.body.code], [409, 'preparing']);
  api.library.states.set('2026-later-race', { status: 'failed', reason: 'disk full' });
  assert.equal((await status()).body.data.status, 'failed');
  const failed = await client.call('GET', '/v1/simulate/stream?session=2026-later-race');
  assert.deepEqual([failed.status, failed.body.code], [409, 'not_prepared']);
  api.library.shelf.set('2026-later-race', timeline);
  assert.deepEqual((await status()).body.data, { ...shown, status: 'ready', progress: 1 });
});

test('a session that does not exist is 404 on every route', async () => {
  const client = await api.client('custom');
  for (const id of ['2099-nowhere-race', 'x%00y', '%E0', '']) {
    assert.equal((await client.call('GET', `/v1/simulate/status?session=${id}`)).status, 404, id);
    assert.equal((await client.call('GET', `/v1/simulate/stream?session=${id}`)).status, 404, id);
  }
  assert.equal((await client.call('POST', '/v1/simulate/prepare', { sessionId: 'no' })).status, 404);
  assert.equal((await client.call('GET', '/v1/simulate/status')).body.code, 'invalid_query');
});

test('a detached replay returns 202 with its run and includes every endpoint of the account, even paused ones', async () => {
  const client = await api.client('developer');
  const first = await client.webhook();
  const paused = await client.webhook();
  const deleted = await client.webhook();
  await client.call('PATCH', `/v1/webhooks/${paused}`, { active: false });
  await client.call('DELETE', `/v1/webhooks/${deleted}`);
  const { status, body } = await client.call(
    'GET',
    '/v1/simulate/stream?session=2026-monza-race&speed=2.5&sinks=webhook',
  );
  assert.equal(status, 202);
  const { runId, ...data } = body.data;
  assert.match(runId, /^run_/);
  assert.deepEqual(data, {
    sessionId: '2026-monza-race',
    speed: 2.5,
    updateCount: 50,
    endpoints: 2,
    activeEndpoints: 1,
    pausedEndpoints: 1,
    expectedDeliveries: 0,
    deliveriesLeft: 66_666,
    warning: null,
  });
  const { run, endpoints, resumed } = startedRun(runId);
  assert.equal(resumed, false);
  assert.deepEqual([run.speed, run.sessionId, run.accountId], [2.5, '2026-monza-race', client.accountId]);
  assert.equal(run.allFeeds, false);
  assert.ok(Math.abs(run.pacedFromMs - systemClock.nowMs()) < 10_000);
  assert.deepEqual(
    endpoints.map(({ webhookId, active }) => [webhookId, active]),
    [
      [first, true],
      [paused, false],
    ],
  );
  await settle(client, runId);
});

test('a replay delivers only the feeds of the tier; the demo session delivers all feeds on every tier', async () => {
  const client = await api.client('developer');
  await client.webhook({ feedId: undefined, feedIds: ['timing.data', 'session.status'] });
  await api.sql`update account set plan = 'free' where account_id = ${client.accountId}`;
  await until(async () => (await client.call('GET', '/v1/simulate/quota')).body.limit === 5);
  const runId = await start(client);
  const [endpoint] = startedRun(runId).endpoints;
  assert.deepEqual(
    endpoint!.subscriptions.map(({ feedId }) => feedId),
    ['session.status'],
  );
  assert.equal(startedRun(runId).run.allFeeds, false);
  await settle(client, runId);
  const demo = await start(client, 'session=demo-race');
  assert.equal(startedRun(demo).run.allFeeds, true);
  await settle(client, demo);
});

test('a run holds its session in memory until it ends; without room for another session a replay gets 503', async () => {
  const client = await api.client('custom');
  assert.equal(api.library.inUse, 0);
  const runId = await start(client);
  assert.equal(api.library.inUse, 1);
  const second = await client.call('GET', '/v1/simulate/stream?session=2026-monza-race&sinks=webhook');
  assert.deepEqual([second.status, api.library.inUse], [409, 1], 'a refused start holds nothing');
  await settle(client, runId);
  assert.equal(api.library.inUse, 0);
  api.library.full = true;
  const refused = await client.call('GET', '/v1/simulate/stream?session=2026-monza-race&sinks=webhook');
  api.library.full = false;
  assert.deepEqual([refused.status, refused.body.code], [503, 'unavailable']);
  assert.equal(refused.headers.get('retry-after'), '60');
});

test('speed is a number from 0.1 to 10, and defaults to 1', async () => {
  const client = await api.client('custom');
  for (const query of [
    'speed=0',
    'speed=0.000000001',
    'speed=0.099',
    'speed=-1',
    'speed=10.01',
    'speed=fast',
    'speed=',
    'speed=Infinity',
    'speed=1&speed=2',
    'sinks=all',
  ]) {
    const { status, body } = await client.call('GET', `/v1/simulate/stream?session=2026-monza-race&${query}`);
    assert.deepEqual([status, body.code], [400, 'invalid_query'], query);
  }
  const runId = await start(client);
  assert.equal(startedRun(runId).run.speed, 1);
  await settle(client, runId);
});

test('starting a replay while one is running is 409 replay_running, even when several start at once', async () => {
  const client = await api.client('developer');
  await client.webhook();
  const answers = await Promise.all(
    [1, 2, 3].map(() => client.call('GET', '/v1/simulate/stream?session=2026-monza-race&sinks=webhook')),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 409, 409]);
  assert.equal(answers.find(({ status }) => status === 409)!.body.code, 'replay_running');
  const visual = await client.call('GET', '/v1/simulate/stream?session=2026-monza-race');
  assert.deepEqual([visual.status, visual.body.code], [409, 'replay_running']);
  const runId = answers.find(({ status }) => status === 202)!.body.data.runId;
  await settle(client, runId);
  await settle(client, await start(client));
});

test('replaying a session that is not prepared is 409 not_prepared', async () => {
  const client = await api.client('developer');
  const { status, body } = await client.call('GET', '/v1/simulate/stream?session=2026-unprepared-race&sinks=webhook');
  assert.deepEqual([status, body.code], [409, 'not_prepared']);
});

test('the current season can change while the service runs', async (t) => {
  let season = 2017;
  const other = await withApi(t, { sql: api.sql, season: () => season });
  const client = await api.client('free');
  const prepare = async () => {
    const headers = { authorization: `Bearer ${client.token}` };
    return (await other.call('POST', '/v1/simulate/prepare', { sessionId: '2018-baku-race' }, headers)).status;
  };
  assert.equal(await prepare(), 403);
  season = 2018;
  assert.equal(await prepare(), 202);
});

test('an out-of-season session is 403 on self-serve tiers and available on Custom', async () => {
  for (const plan of ['free', 'developer'] as const) {
    const client = await api.client(plan);
    const streamed = await client.call('GET', '/v1/simulate/stream?session=2018-baku-race&sinks=webhook');
    assert.deepEqual([streamed.status, streamed.body.code], [403, 'out_of_season']);
    assert.equal((await client.call('POST', '/v1/simulate/prepare', { sessionId: '2018-baku-race' })).status, 403);
  }
  const custom = await api.client('custom');
  await settle(custom, await start(custom, 'session=2018-baku-race'));
});

test('the first delivery of a session takes a slot; replaying it again or replaying the demo session takes none', async () => {
  const client = await api.client('free');
  const quota = async () => (await client.call('GET', '/v1/simulate/quota')).body;
  const untouched = { limit: 5, used: 0, remaining: 5, unlocked: [], currentSeasonOnly: true };
  assert.deepEqual(await quota(), untouched);
  const silent = await start(client);
  await settle(client, silent);
  assert.deepEqual(await quota(), untouched);
  for (let times = 0; times < 2; times++) {
    const runId = await start(client);
    control.listener.firstAttempt(runId);
    await settle(client, runId);
  }
  const demo = await start(client, 'session=demo-race');
  control.listener.firstAttempt(demo);
  await settle(client, demo);
  assert.deepEqual(await quota(), { ...untouched, used: 1, remaining: 4, unlocked: ['2026-monza-race'] });
  const { body } = await client.call('GET', '/v1/simulate/sessions');
  const unlocked = body.data.sessions.filter((item: { unlocked: boolean }) => item.unlocked);
  assert.deepEqual(unlocked.map((item: { sessionId: string }) => item.sessionId).sort(), [
    '2026-monza-race',
    'demo-race',
  ]);
});

test('stopping a run does not free its slot', async () => {
  const client = await api.client('free');
  const runId = await start(client);
  control.listener.firstAttempt(runId);
  await client.call('DELETE', `/v1/simulate/stream?runId=${runId}`);
  assert.equal((await client.call('GET', '/v1/simulate/quota')).body.used, 1);
});

test('with no slot left, a new session is 429, while unlocked sessions, the demo session and visual replays still work', async () => {
  const client = await api.client('free');
  for (const session of ['2026-monza-race', 'a', 'b', 'c', 'd']) {
    await api.sql`insert into simulate_slot (account_id, session_id) values (${client.accountId}, ${session})`;
  }
  const { status, body } = await client.call('GET', '/v1/simulate/stream?session=2026-spa-race&sinks=webhook');
  assert.deepEqual([status, body.code], [429, 'simulate_quota_reached']);
  assert.equal((await client.call('GET', '/v1/simulate/quota')).body.remaining, 0);
  await settle(client, await start(client));
  await settle(client, await start(client, 'session=demo-race'));
  const watching = new AbortController();
  const visual = await fetch(`${api.address}/v1/simulate/stream?session=2026-spa-race`, {
    headers: { authorization: `Bearer ${client.token}` },
    signal: watching.signal,
  });
  assert.equal(visual.status, 200);
  watching.abort();
  const runs = async () => (await client.call('GET', '/v1/simulate/runs')).body.data.runs;
  await until(async () => (await runs())[0].endedAt !== null);
});

test('the quota is 10 on Developer and unlimited on Custom', async () => {
  const developer = await api.client('developer');
  assert.deepEqual((await developer.call('GET', '/v1/simulate/quota')).body.limit, 10);
  const custom = await api.client('custom');
  assert.deepEqual((await custom.call('GET', '/v1/simulate/quota')).body, {
    limit: -1,
    used: 0,
    remaining: -1,
    unlocked: [],
    currentSeasonOnly: false,
  });
});

test('DELETE /simulate/stream is 200 when the run stops at once, and 200 again when repeated', async () => {
  const client = await api.client('developer');
  const runId = await start(client);
  const stopped = await client.call('DELETE', `/v1/simulate/stream?runId=${runId}`);
  assert.deepEqual([stopped.status, stopped.body], [200, { data: { runId, state: 'stopped' } }]);
  assert.deepEqual(
    control.stopped.filter((id) => id === runId),
    [runId],
  );
  const again = await client.call('DELETE', `/v1/simulate/stream?runId=${runId}`);
  assert.deepEqual([again.status, again.body.data.state], [200, 'stopped']);
  const run = await runOf(client, runId);
  assert.equal(run.state, 'stopped');
  assert.equal(new Date(run.endedAt).toISOString(), run.endedAt);
});

test('DELETE /simulate/stream is 202 while the stop propagates', async () => {
  const client = await api.client('developer');
  control.settlesOnStop = false;
  const runId = await start(client);
  const stopping = await client.call('DELETE', `/v1/simulate/stream?runId=${runId}`);
  assert.deepEqual([stopping.status, stopping.body], [202, { data: { runId, state: 'stopping' } }]);
  const meanwhile = await client.call('GET', '/v1/simulate/stream?session=2026-monza-race&sinks=webhook');
  assert.equal(meanwhile.body.code, 'replay_running');
  await settle(client, runId);
  assert.equal((await runOf(client, runId)).state, 'stopped');
});

test('a run that belongs to another account or does not exist is 404', async () => {
  const client = await api.client('developer');
  const stranger = await api.client('developer');
  const runId = await start(client);
  for (const id of [runId, 'run_00000000000000000000000000', 'nonsense%00']) {
    assert.equal((await stranger.call('DELETE', `/v1/simulate/stream?runId=${id}`)).status, 404);
    assert.equal((await stranger.call('GET', `/v1/simulate/runs/${id}`)).status, 404);
  }
  assert.equal((await stranger.call('DELETE', '/v1/simulate/stream')).body.code, 'invalid_query');
  assert.equal((await runOf(client, runId)).state, 'running');
  await settle(client, runId);
});

test('I1: a run shows for each endpoint how many updates were matched, delivered, failed and skipped, or are pending', async () => {
  const client = await api.client('developer');
  const webhookId = await client.webhook();
  const runId = await start(client);
  const none = { matched: 0, delivered: 0, failed: 0, skipped: {}, pending: 0, breaker: 'closed', lagMs: 0 };
  const { startedAt, ...fresh } = await runOf(client, runId);
  assert.equal(new Date(startedAt).toISOString(), startedAt);
  assert.deepEqual(fresh, {
    runId,
    kind: 'replay',
    resend: null,
    sessionId: '2026-monza-race',
    speed: 1,
    sinks: 'webhook',
    state: 'running',
    position: 0,
    updateCount: 50,
    endedAt: null,
    activeEndpoints: 1,
    pausedEndpoints: 0,
    endpoints: [{ webhookId, active: true, ...none }],
  });
  await api.sql`
    update run_endpoint set next_position = 30, matched = 20, delivered = 11, failed = 2,
      skipped = '{"breaker_open": 3, "paused": 1}', breaker = 'open', lag_ms = 7
    where run_id = ${runId}`;
  const run = await runOf(client, runId);
  assert.equal(run.position, 30);
  assert.deepEqual(run.endpoints, [
    {
      webhookId,
      active: true,
      matched: 20,
      delivered: 11,
      failed: 2,
      skipped: { breaker_open: 3, paused: 1 },
      pending: 3,
      breaker: 'open',
      lagMs: 7,
    },
  ]);
  await settle(client, runId);
  assert.deepEqual([(await runOf(client, runId)).state, (await runOf(client, runId)).position], ['completed', 50]);
  const { body } = await client.call('GET', '/v1/simulate/runs?limit=1');
  assert.deepEqual([body.data.total, body.data.runs[0].runId], [1, runId]);
});

test('a run that an operator has marked is stopped, at once or after a lost notification', async () => {
  const operators = postgresOperatorRunStore(api.sql);
  const marks = [
    (runId: string) => operators.requestStop(runId),
    async (runId: string) => {
      await api.sql`update run set state = 'stopping' where run_id = ${runId}`;
      await api.sql`
        select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'listen%' and datname = current_database()`;
    },
  ];
  for (const mark of marks) {
    const [client, other] = [await api.client('free'), await api.client('free')];
    const [runId, otherId] = [await start(client), await start(other)];
    await mark(runId);
    await until(async () => (await runOf(client, runId)).state === 'stopped');
    assert.deepEqual([control.stopped.includes(runId), control.stopped.includes(otherId)], [true, false]);
    assert.equal((await runOf(other, otherId)).state, 'running');
    await settle(other, otherId);
    await operators.requestStop(otherId);
    assert.equal((await runOf(other, otherId)).state, 'completed', 'a run that has ended stays as it ended');
  }
});

test('operators see a paused run as paused, as its owner does, and can stop it', async () => {
  const operators = postgresOperatorRunStore(api.sql);
  const client = await api.client('free');
  const runId = await start(client);
  await api.sql`update run set paused_at = now() where run_id = ${runId}`;
  assert.equal((await runOf(client, runId)).state, 'paused');
  const listed = (await operators.inProgress(null)).find((run) => run.runId === runId);
  assert.deepEqual([listed?.state, (await operators.find(runId))?.state], ['paused', 'paused']);
  await operators.requestStop(runId);
  await until(async () => (await operators.find(runId))?.state === 'stopped');
});
