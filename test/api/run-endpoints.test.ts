// Which endpoints a replay delivers to: those that its start chooses, or all of the account.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { REPLAY_ENDPOINTS_CHOSEN_MAX } from '#engine/base/limits.ts';
import { type Client, until, withApi } from '#test/support/api-harness.ts';
import { steadyTimeline } from '#test/support/timelines.ts';
import { runOf, settleRun } from './replay-calls.ts';

const api = await withApi({ after });
const { control } = api;
await api.session('2026-monza-race', { timeline: steadyTimeline(50, 1_000) });
await api.session('2026-spa-race', { timeline: steadyTimeline(50, 1_000) });
await api.session('demo-race', { demo: true, timeline: steadyTimeline(50, 1_000) });

const begin = (client: Client, query: string) =>
  client.call('GET', `/v1/simulate/stream?session=2026-monza-race&${query}`);
const toEndpoints = (client: Client, query = '') => begin(client, `sinks=webhook${query}`);
const pause = (client: Client, webhookId: string) =>
  client.call('PATCH', `/v1/webhooks/${webhookId}`, { active: false });
/** The endpoints that the engine was given, part by part. */
const handed = (runId: string, to = control) =>
  to.started
    .filter(({ run }) => run.runId === runId)
    .map(({ endpoints }) => endpoints.map(({ webhookId }) => webhookId));
const shownIn = async (client: Client, runId: string) =>
  (await runOf(client, runId)).endpoints.map(({ webhookId }: { webhookId: string }) => webhookId);

test('a replay goes to the endpoints that its start names, and to no other, also after a pause and a restart', async () => {
  const client = await api.client('developer');
  const [first, , third] = [await client.webhook(), await client.webhook(), await client.webhook()];
  const { status, body } = await toEndpoints(client, `&webhookIds=${third},%20${first},${first}`);
  assert.equal(status, 202, JSON.stringify(body));
  const { runId, endpoints, activeEndpoints, webhookIds } = body.data;
  assert.deepEqual([endpoints, activeEndpoints, webhookIds], [2, 2, [first, third]]);
  assert.deepEqual(await shownIn(client, runId), [first, third]);
  for (const what of ['pause', 'resume']) await client.call('POST', `/v1/simulate/runs/${runId}/${what}`);
  assert.deepEqual(handed(runId), [
    [first, third],
    [first, third],
  ]);
  const { app, control: again, listening } = await api.restarted();
  await app.start();
  assert.deepEqual(handed(runId, again), [[first, third]]);
  again.listener.settled(runId);
  await until(async () => (await runOf(client, runId)).state === 'completed');
  await listening.close();
});

test('the demo session goes to the chosen endpoints only as well', async () => {
  const client = await api.client('free');
  const [chosen] = [await client.webhook(), await client.webhook()];
  const { body } = await client.call('GET', `/v1/simulate/stream?session=demo-race&sinks=webhook&webhookIds=${chosen}`);
  assert.deepEqual([body.data.endpoints, body.data.expectedDeliveries], [1, 50]);
  assert.deepEqual(handed(body.data.runId), [[chosen]]);
  await settleRun(api, client, body.data.runId);
});

test('an endpoint that is unknown, deleted or of another account is refused by name, and nothing starts (404)', async () => {
  const [client, stranger] = [await api.client('developer'), await api.client('developer')];
  const [own, deleted, foreign] = [await client.webhook(), await client.webhook(), await stranger.webhook()];
  await client.call('DELETE', `/v1/webhooks/${deleted}`);
  const { inUse } = api.library;
  for (const id of [foreign, deleted, 'wh_nothing']) {
    const { status, body } = await toEndpoints(client, `&webhookIds=${own},${id}`);
    assert.deepEqual([status, body.code], [404, 'not_found']);
    assert.equal(
      body.error,
      `webhookIds: this account has no endpoint "${id}" (GET /v1/webhooks lists its endpoints).`,
    );
  }
  assert.equal((await client.call('GET', '/v1/simulate/runs')).body.data.total, 0);
  assert.equal(api.library.inUse, inUse);
});

test('a chosen endpoint that is paused, or that the plan does not cover, is refused with the next step (409)', async () => {
  const client = await api.client('developer');
  const ids = [];
  for (let count = 0; count < 4; count++) ids.push(await client.webhook());
  await pause(client, ids[1]!);
  const paused = await toEndpoints(client, `&webhookIds=${ids[0]},${ids[1]}`);
  assert.deepEqual([paused.status, paused.body.code], [409, 'endpoint_inactive']);
  assert.match(paused.body.error, new RegExp(`^webhookIds: ${ids[1]} is paused: .*PATCH /v1/webhooks/${ids[1]}`));
  await api.sql`update account set plan = 'free' where account_id = ${client.accountId}`;
  await until(async () => (await client.call('GET', '/v1/simulate/quota')).body.limit === 5);
  const uncovered = await toEndpoints(client, `&webhookIds=${ids[3]}`);
  assert.deepEqual([uncovered.status, uncovered.body.code], [409, 'endpoint_inactive']);
  assert.match(uncovered.body.error, new RegExp(`^webhookIds: ${ids[3]} is beyond the 3 endpoints of this plan`));
});

test('what only deliveries have is refused with sinks=visual (400), in one error that names it and the sinks', async () => {
  const client = await api.client('developer');
  const id = await client.webhook();
  for (const [query, names] of [
    ['ordered=true', ['ordered=true']],
    ['sinks=visual&ordered=true', ['ordered=true']],
    [`webhookIds=${id}`, ['webhookIds']],
    [`sinks=visual&ordered=true&webhookIds=${id}`, ['webhookIds', 'ordered=true']],
  ] as const) {
    const { status, body } = await begin(client, query);
    assert.deepEqual([status, body.code], [400, 'invalid_query'], query);
    const text = 'goes with sinks=webhook or sinks=both: with sinks=visual nothing is delivered';
    assert.equal(body.error, names.map((name) => `${name} ${text}`).join('; '));
  }
  const leave = new AbortController();
  const { status } = await fetch(`${api.address}/v1/simulate/stream?session=2026-monza-race&ordered=false`, {
    headers: { authorization: `Bearer ${client.token}` },
    signal: leave.signal,
  });
  assert.equal(status, 200, 'ordered=false asks for nothing');
  leave.abort();
});

test('a choice that cannot be meant is 400 and names webhookIds', async () => {
  const client = await api.client('developer');
  const id = await client.webhook();
  const many = Array.from({ length: REPLAY_ENDPOINTS_CHOSEN_MAX + 1 }, () => 'wh_1').join(',');
  for (const [query, text] of [
    ['sinks=webhook&webhookIds=', /^webhookIds has an empty id/],
    [`sinks=both&webhookIds=${id},`, /^webhookIds has an empty id/],
    [`sinks=webhook&webhookIds=${many}`, /^webhookIds names 101 endpoints; at most 100 are allowed/],
  ] as const) {
    const { status, body } = await begin(client, query);
    assert.deepEqual([status, body.code], [400, 'invalid_query'], query);
    assert.match(body.error, text);
  }
});

test('a replay that no active endpoint would get is 409 with the next step; watching one needs no endpoint', async () => {
  const client = await api.client('developer');
  const { inUse } = api.library;
  const refused = async (query = '') => {
    const { status, body } = await toEndpoints(client, query);
    assert.deepEqual([status, body.code], [409, 'no_active_endpoint']);
    assert.match(body.error, /POST \/v1\/webhooks.*PATCH \/v1\/webhooks.*sinks=visual/);
  };
  await refused();
  const id = await client.webhook();
  await pause(client, id);
  await refused();
  const both = await begin(client, 'sinks=both');
  assert.deepEqual([both.status, both.body.code], [409, 'no_active_endpoint']);
  const demo = await client.call('GET', '/v1/simulate/stream?session=demo-race&sinks=webhook');
  assert.deepEqual([demo.status, demo.body.code], [409, 'no_active_endpoint']);
  assert.deepEqual([api.library.inUse, (await client.call('GET', '/v1/simulate/runs')).body.data.total], [inUse, 0]);
  const leave = new AbortController();
  const visual = await fetch(`${api.address}/v1/simulate/stream?session=2026-monza-race`, {
    headers: { authorization: `Bearer ${client.token}` },
    signal: leave.signal,
  });
  assert.equal(visual.status, 200);
  const running = await toEndpoints(client);
  assert.equal(running.body.code, 'replay_running', 'what the interface promises comes first');
  leave.abort();
  await until(async () => (await client.call('GET', '/v1/simulate/runs')).body.data.runs[0].endedAt !== null);
  for (const session of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'])
    await api.sql`insert into simulate_slot (account_id, session_id) values (${client.accountId}, ${session})`;
  assert.equal((await toEndpoints(client)).status, 429);
});

test('an endpoint that only a higher plan covers is no active one', async () => {
  const client = await api.client('developer');
  const ids = [];
  for (let count = 0; count < 4; count++) ids.push(await client.webhook());
  for (const id of ids.slice(0, 3)) await pause(client, id);
  await api.sql`update account set plan = 'free' where account_id = ${client.accountId}`;
  await until(async () => (await client.call('GET', '/v1/simulate/quota')).body.limit === 5);
  assert.equal((await toEndpoints(client)).body.code, 'no_active_endpoint');
});

test('a run, and the list of runs, tell its active endpoints from the others, as they are now', async () => {
  const client = await api.client('developer');
  const [active, paused, deleted] = [await client.webhook(), await client.webhook(), await client.webhook()];
  await pause(client, paused);
  const { runId } = (await toEndpoints(client)).body.data;
  const counts = async () => {
    const shown = await runOf(client, runId);
    const listed = (await client.call('GET', '/v1/simulate/runs')).body.data.runs[0];
    assert.deepEqual(listed, shown);
    const states = shown.endpoints.map((one: { webhookId: string; active: boolean }) => [one.webhookId, one.active]);
    return [shown.activeEndpoints, shown.pausedEndpoints, Object.fromEntries(states)];
  };
  assert.deepEqual(await counts(), [2, 1, { [active]: true, [paused]: false, [deleted]: true }]);
  await client.call('DELETE', `/v1/webhooks/${deleted}`);
  assert.deepEqual(await counts(), [1, 2, { [active]: true, [paused]: false, [deleted]: false }]);
  await settleRun(api, client, runId);
  await api.sql`update account set plan = 'free' where account_id = ${client.accountId}`;
  assert.deepEqual(await counts(), [1, 2, { [active]: true, [paused]: false, [deleted]: false }]);
});
