// GET /sessions/:sessionId/state: what the updates of a session, live or recorded, leave behind.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import { BRIEF_SESSION, importBothSessions, OTHER_SESSION } from '#test/support/brief-session.ts';
import { type ContractClient, contractService } from '#test/support/contract-service.ts';
import { byFeed, receive, unordered } from '#test/support/documented-state.ts';
import { OwnSource } from '#test/support/own-source.ts';
import { eventually } from '#test/support/patience.ts';
import { startWebhookReceiver } from '#test/support/webhook-receiver.ts';
import { IN_SEASON, prepare } from './short-session.ts';

const DEMO = 'demo-race';
const service = await contractService(
  { after },
  { ...IN_SEASON, ADMIN_PORT: '0', LIVE_TO_LOCALHOST: 'on' },
  importBothSessions,
);

const state = (client: ContractClient, sessionId: string, query = '') =>
  client.call('GET', `/sessions/${sessionId}/state${query}`);
const feedsOf = ({ states }: { readonly states: readonly { readonly feed: string }[] }): string[] =>
  states.map(({ feed }) => feed);

before(async () => {
  const client = await service.client('custom');
  for (const sessionId of [BRIEF_SESSION, DEMO]) await prepare(client, sessionId);
});

test('a recorded session: the states of the feeds of the plan, after its last update', async () => {
  const seen = [];
  for (const plan of ['free', 'developer', 'custom'] as const) {
    const { status, body } = await state(await service.client(plan), BRIEF_SESSION);
    assert.equal(status, 200);
    const { sessionId, seriesId, live, sequence, updateCount } = body.data;
    assert.deepEqual([sessionId, seriesId, live, sequence], [BRIEF_SESSION, 'f1', false, updateCount]);
    seen.push(feedsOf(body.data));
  }
  const [free, developer, custom] = seen;
  assert.deepEqual(free, ['session.info', 'session.status', 'lap.count']);
  assert.deepEqual(developer, [...free, 'timing.data', 'timing.driver-info', 'tire.stints']);
  assert.ok(custom!.some((feed) => feed.startsWith('analytics.')));
  assert.ok(seen.flat().every((feed) => feed !== 'events.race' && feed !== 'race-control.messages'));
});

test('sequence: the states after that update, and none of a later one; out of range is 400', async () => {
  const client = await service.client('custom');
  const { updateCount } = (await state(client, BRIEF_SESSION)).body.data;
  const { data } = (await state(client, BRIEF_SESSION, '?sequence=60')).body;
  assert.deepEqual([data.sequence, data.updateCount], [60, updateCount]);
  assert.ok(data.states.every(({ sequence }: { sequence: number }) => sequence <= 60));
  const [first] = (await state(client, BRIEF_SESSION, '?sequence=1')).body.data.states;
  assert.equal(first.sequence, 1);
  for (const [sequence, text] of [
    [updateCount + 1, `sequence must be at most ${updateCount}: the session has no update ${updateCount + 1}`],
    [0, 'sequence must be at least 1'],
    ['last', 'sequence must be a whole number'],
  ]) {
    const { status, body } = await state(client, BRIEF_SESSION, `?sequence=${sequence}`);
    assert.deepEqual([status, body.code, body.error], [400, 'invalid_query', text]);
  }
});

test('feed and feeds: one, several or groups, in the order of the catalogue, within the plan', async () => {
  const client = await service.client('developer');
  const chosen = async (query: string) => feedsOf((await state(client, BRIEF_SESSION, query)).body.data);
  assert.deepEqual(await chosen('?feed=timing.data'), ['timing.data']);
  assert.deepEqual(await chosen('?feeds=tire.stints,%20lap.count'), ['lap.count', 'tire.stints']);
  assert.deepEqual(await chosen('?feeds=tire.*,session.*'), ['session.info', 'session.status', 'tire.stints']);
  assert.deepEqual(await chosen('?feeds=*'), await chosen(''));
  for (const [query, status, code, text] of [
    [
      '?feed=timing.data&feeds=lap.count',
      400,
      'invalid_query',
      'feed and feeds exclude each other: name all feeds in feeds',
    ],
    [
      '?feeds=timing.dat,karting.*',
      400,
      'invalid_query',
      'this session has no feed "timing.dat" (GET /v1/feeds lists them); this session has no feed "karting.*" (GET /v1/feeds lists them)',
    ],
    ['?feed=events.race', 400, 'invalid_query', 'events.race has no state: each of its updates is complete'],
    [
      '?feed=analytics.strategy',
      402,
      'tier_required',
      'analytics.strategy needs Custom; this account is on Developer.',
    ],
  ] as const) {
    const { body, ...answer } = await state(client, BRIEF_SESSION, query);
    assert.deepEqual([answer.status, body.code, body.error], [status, code, text]);
  }
  const free = await state(await service.client('free'), BRIEF_SESSION, '?feeds=analytics.*');
  assert.deepEqual([free.status, free.body.code], [403, 'insufficient_tier']);
});

test('the demo session shows all its feeds on every plan, as its replay does, and takes no slot', async () => {
  const client = await service.client('free');
  const { data } = (await state(client, DEMO)).body;
  const inOrder = FEEDS.map(({ feedId }) => feedId as string).filter((feed) => feedsOf(data).includes(feed));
  assert.deepEqual(feedsOf(data), inOrder);
  for (const feed of ['timing.data', 'analytics.race-odds', 'lap.count']) assert.ok(feedsOf(data).includes(feed), feed);
  assert.equal((await client.call('GET', '/simulate/quota')).body.used, 0);
});

test('an unknown session is 404, one that is not prepared 409, one of another season 403 on self-serve plans', async () => {
  const [free, custom] = [await service.client('free'), await service.client('custom')];
  const unknown = await state(free, 'nobody-knows');
  assert.deepEqual([unknown.status, unknown.body.code], [404, 'not_found']);
  const early = await state(free, OTHER_SESSION);
  assert.deepEqual([early.status, early.body.code], [409, 'not_prepared']);
  await service.sql`update session set season = 2018 where session_id = ${OTHER_SESSION}`;
  const old = await state(free, OTHER_SESSION);
  assert.deepEqual([old.status, old.body.code], [403, 'out_of_season']);
  assert.equal((await state(custom, OTHER_SESSION)).status, 409);
});

test('a live session: an endpoint that joins in the middle and takes the state has what those have that were there from the start', async (t) => {
  const [client, receiver] = [await service.client('custom'), await startWebhookReceiver()];
  t.after(() => receiver.close());
  const source = new OwnSource(service, '2026-state-race');
  await source.upTo(9_500);
  await eventually('the session is live', async () => (await state(client, source.sessionId)).status === 200);
  const webhookId = await client.webhook({ webhookUrl: receiver.url, feedIds: ['*'] });
  const base = (await state(client, source.sessionId)).body.data;
  assert.deepEqual([base.live, base.sequence], [true, base.updateCount]);
  const future = await state(client, source.sessionId, `?sequence=${base.updateCount + 1}`);
  assert.deepEqual([future.status, future.body.code], [400, 'invalid_query']);

  await source.upTo();
  const last = (await state(client, source.sessionId)).body.data;
  assert.ok(last.sequence > base.sequence + 50);
  const missed = () => receiver.received.filter(({ sequence }) => sequence > base.sequence);
  await eventually(
    'every update since',
    () => new Set(missed().map(({ sequence }) => sequence)).size === last.sequence - base.sequence,
  );
  const inOrder = missed().toSorted((a, b) => a.sequence - b.sequence);
  const late = receive(
    byFeed(base.states),
    inOrder.map(({ body }) => JSON.parse(body)),
  );
  assert.deepEqual(unordered(late), unordered(byFeed(last.states)));
  const again = (await state(client, source.sessionId, `?sequence=${base.sequence}`)).body.data;
  assert.deepEqual(again.states, base.states, 'at a position a state never changes');

  await client.call('DELETE', `/webhooks/${webhookId}`);
  await source.end();
  await prepare(client, source.sessionId);
  const recorded = (await state(client, source.sessionId)).body.data;
  assert.deepEqual(recorded.states, last.states, 'the recording has the same states');
});
