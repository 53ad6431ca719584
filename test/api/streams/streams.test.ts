// Who may open a stream, what it shows, and what it waits for.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '#engine/base/clock.ts';
import { STREAM_RESUME_MS } from '#engine/base/limits.ts';
import { DERIVER_VERSION } from '#engine/racing/derive/deriver-version.ts';
import { type EventStream, openStream } from '#test/contract/event-stream.ts';
import { type Client, until, withApi } from '#test/support/api-harness.ts';
import { written } from '#test/support/stream-stage.ts';
import { steadyTimeline } from '#test/support/timelines.ts';

/** How much later it is than on the machine's clock. */
let laterMs = 0;
const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + laterMs };
const api = await withApi({ after }, { clock });
const { library, sql } = api;
const COUNT = 40;
const upTo = (last: number, first = 1): number[] => Array.from({ length: last - first + 1 }, (_, i) => first + i);

const open = (client: Client, query: string, lastEventId = ''): Promise<EventStream> =>
  openStream(api.address, client.token, query, lastEventId);

async function refused(client: Client, query: string, lastEventId = ''): Promise<unknown[]> {
  const stream = await open(client, query, lastEventId);
  stream.leave();
  return [stream.status, stream.refusal?.code];
}

async function unlocked(client: Client): Promise<string[]> {
  return (await client.call('GET', '/v1/simulate/quota')).body.unlocked;
}

/** A recorded session that is prepared. */
async function recorded(sessionId: string): Promise<string> {
  await api.session(sessionId, { timeline: steadyTimeline(COUNT, 100, 'session.status', sessionId) });
  return sessionId;
}

/** Its recording is there, and it has ended this long ago. */
async function becomeRecorded(sessionId: string, agoMs: number, count = COUNT): Promise<void> {
  await api.session(sessionId, {});
  await sql`update session set start_at = ${new Date(Date.now() - agoMs)}, duration_ms = 0 where session_id = ${sessionId}`;
  library.shelf.set(sessionId, steadyTimeline(count, 100, 'session.status', sessionId));
}

async function followed(sessionId: string) {
  const live = written(sessionId);
  await api.app.live.opened(live.memory, 'live');
  return {
    publish: (count: number) =>
      live.publish(Array.from({ length: count }, () => ({ feed: 'session.status' as const }))),
    end(): void {
      live.seal();
      api.app.live.ended(sessionId);
    },
  };
}

const HOUR_MS = 3_600_000;
const idOf = (sessionId: string, sequence: number, version = DERIVER_VERSION): string =>
  `${sessionId}:${sequence}~${version}`;

test('SM1: a stream that is refused leaves its place to the next, and one that ends does', async () => {
  const client = await api.client('free');
  const sessionId = await recorded('2026-places-race');
  for (let i = 0; i < 3; i++) {
    assert.deepEqual(await refused(client, `session=${sessionId}&feeds=nonsense`), [400, 'invalid_query']);
    assert.deepEqual(await refused(client, 'session=2026-nobody-race'), [404, 'not_found']);
  }
  const stream = await open(client, 'session=live');
  assert.deepEqual(await refused(client, `session=${sessionId}`), [429, 'stream_limit_reached']);
  stream.leave();
  await until(async () => (await refused(client, `session=${sessionId}`))[0] === 200);
});

test('SM1: of streams that are opened at the same moment, as many open as the plan allows', async () => {
  const client = await api.client('developer');
  const streams = await Promise.all(Array.from({ length: 12 }, () => open(client, 'session=live')));
  assert.equal(streams.filter(({ status }) => status === 200).length, 5);
  assert.equal(streams.filter(({ status }) => status === 429).length, 7);
  for (const stream of streams) stream.leave();
  assert.equal((await client.call('GET', '/v1/usage')).body.data.streamedCount, 0);
});

test('SM2: streams end when the plan changes, and when a token is revoked', async () => {
  const client = await api.client('developer');
  const first = await open(client, 'session=live');
  await sql`update account set plan = 'custom' where account_id = ${client.accountId}`;
  await first.ended();
  assert.equal(first.end()?.code, 'plan_changed');
  const second = await open(client, 'session=live');
  assert.equal(second.status, 200);
  await sql`delete from access_token where account_id = ${client.accountId}`;
  await second.ended();
  assert.equal(second.end()?.code, 'unauthorized');
});

test('SM2: streams of an account that is deleted end', async () => {
  const client = await api.client('free');
  const stream = await open(client, 'session=live');
  const startedMs = performance.now();
  await sql`delete from account where account_id = ${client.accountId}`;
  await stream.ended();
  assert.equal(stream.end()?.code, 'unauthorized');
  assert.ok(performance.now() - startedMs < 1_000);
});

test('SM3: a stream that is refused takes no slot; the first one that opens takes it, and further ones none', async () => {
  const client = await api.client('free');
  const sessionId = await recorded('2026-slots-race');
  await api.session('2026-unprepared-race');
  await api.session('2025-old-race', {
    season: 2025,
    timeline: steadyTimeline(1, 1, 'session.status', '2025-old-race'),
  });
  for (const [query, id, status, code] of [
    ['session=2026-unprepared-race', '', 409, 'not_prepared'],
    ['session=2025-old-race', '', 403, 'out_of_season'],
    ['session=2025-old-race', idOf('2025-old-race', 0), 403, 'out_of_season'],
    [`session=${sessionId}&after=${COUNT + 1}`, '', 400, 'invalid_query'],
    [`session=${sessionId}&feeds=analytics.strategy`, '', 403, 'insufficient_tier'],
    [`session=${sessionId}&drivers=x`, '', 400, 'invalid_filters'],
    [`session=${sessionId}`, idOf('another-race', 3), 400, 'invalid_query'],
  ] as const) {
    assert.deepEqual(await refused(client, query, id), [status, code], `${query} ${id}`);
  }
  const spent = await api.client('free');
  await sql`insert into usage (account_id, month, feed_id, streamed)
    values (${spent.accountId}, date_trunc('month', now() at time zone 'utc'), 'session.status', 5000)`;
  assert.deepEqual(await refused(spent, `session=${sessionId}`), [402, 'plan_limit_reached']);
  for (const one of [client, spent]) assert.deepEqual(await unlocked(one), []);
  for (let i = 0; i < 2; i++) {
    const stream = await open(client, `session=${sessionId}`);
    await stream.ended();
    assert.deepEqual(stream.sequences(), upTo(COUNT));
    assert.deepEqual(await unlocked(client), [sessionId]);
  }
  for (let i = 0; i < 4; i++) {
    const stream = await open(client, `session=${await recorded(`2026-slot-${i}`)}`);
    assert.equal(stream.refusal, null);
    await stream.ended();
  }
  const sixth = await recorded('2026-slot-6');
  assert.deepEqual(await refused(client, `session=${sixth}`), [429, 'simulate_quota_reached']);
  assert.deepEqual(await refused(client, `session=${sixth}`, idOf(sixth, 3)), [429, 'simulate_quota_reached']);
  assert.equal((await unlocked(client)).length, 5);
});

test('SM3: the rest of a session that was followed live takes no slot; one of another day does', async () => {
  const client = await api.client('developer');
  const sessionId = '2026-just-race';
  const live = await followed(sessionId);
  const stream = await open(client, `session=${sessionId}&after=0`);
  live.publish(10);
  await stream.updates(10);
  stream.leave();
  live.publish(10);
  live.end();
  await becomeRecorded(sessionId, HOUR_MS, 20);
  const rest = await open(client, `session=${sessionId}`, stream.lastId());
  await rest.ended();
  assert.deepEqual(rest.sequences(), upTo(20, 11));
  const anywhere = await open(client, 'session=live', stream.lastId());
  await anywhere.updates(10);
  anywhere.leave();
  assert.deepEqual(anywhere.sequences(), upTo(20, 11));
  assert.deepEqual(await unlocked(client), []);
  const older = '2026-older-race';
  await becomeRecorded(older, 48 * HOUR_MS);
  const later = await open(client, 'session=live', idOf(older, COUNT - 10));
  await later.updates(10);
  later.leave();
  assert.deepEqual(await unlocked(client), [older]);
});

test('SM4: a stream continues in a session that the service follows again later', async () => {
  const client = await api.client('developer');
  const sessionId = '2026-restart-race';
  const one = await open(client, 'session=live', idOf(sessionId, 7));
  const two = await open(client, `session=${sessionId}`, idOf(sessionId, 7));
  const live = written(sessionId).publish(Array.from({ length: 10 }, () => ({ feed: 'session.status' as const })));
  await api.app.live.opened(live.memory, 'live');
  for (const stream of [one, two]) {
    await stream.updates(3);
    live.publish([{ feed: 'session.status' }]);
  }
  for (const stream of [one, two]) {
    await stream.updates(5);
    assert.deepEqual(stream.sequences(), [8, 9, 10, 11, 12]);
    stream.leave();
  }
  live.seal();
  api.app.live.ended(sessionId);
});

test('SM4: a stream continues in a recording that is still being prepared, or that has no room yet', async () => {
  const client = await api.client('developer');
  const sessionId = '2026-prepared-race';
  await becomeRecorded(sessionId, HOUR_MS);
  const timeline = library.shelf.get(sessionId)!;
  library.shelf.delete(sessionId);
  const stream = await open(client, `session=${sessionId}`, idOf(sessionId, 30));
  await until(async () => (await library.status(sessionId)).status === 'preparing');
  assert.deepEqual(stream.sequences(), []);
  library.full = true;
  library.shelf.set(sessionId, timeline);
  await new Promise((resolve) => setTimeout(resolve, 600));
  assert.equal(stream.end(), null);
  library.full = false;
  await stream.ended();
  assert.deepEqual([stream.sequences(), stream.end()?.code], [upTo(COUNT, 31), 'completed']);
  assert.equal(library.inUse, 0);
});

test('SM4: a place whose updates are gone ends the stream: another deriver, a failed preparation, too far, unknown', async (t) => {
  const client = await api.client('developer');
  const sessionId = await recorded('2026-gone-race');
  for (const id of [idOf(sessionId, 3, DERIVER_VERSION - 1), idOf(sessionId, COUNT + 1)]) {
    const stream = await open(client, `session=${sessionId}`, id);
    await stream.ended();
    assert.equal(stream.end()?.code, 'updates_gone', id);
    assert.equal(stream.lastId(), '', 'whoever comes back by itself begins anew');
  }
  await api.session('2026-broken-race');
  const broken = await open(client, 'session=2026-broken-race', idOf('2026-broken-race', 3));
  await until(async () => (await library.status('2026-broken-race')).status === 'preparing');
  library.states.set('2026-broken-race', { status: 'failed', reason: 'the test wants it' });
  await broken.ended();
  assert.equal(broken.end()?.code, 'updates_gone');
  const unknown = await open(client, 'session=live', idOf('2026-unknown-race', 3));
  t.after(() => {
    laterMs = 0;
  });
  laterMs = STREAM_RESUME_MS;
  await unknown.ended();
  assert.equal(unknown.end()?.code, 'updates_gone');
  assert.equal(library.inUse, 0);
});

test('a place that is awaited keeps its version, and the stream of one session names only that one', async () => {
  const client = await api.client('developer');
  const sessionId = '2026-beside-race';
  const live = await followed(sessionId);
  const other = idOf('2026-away-race', 5, DERIVER_VERSION + 1);
  const both = `${idOf(sessionId, 0)},${other}`;
  const [any, one] = [await open(client, 'session=live', both), await open(client, `session=${sessionId}`, both)];
  live.publish(1);
  for (const stream of [any, one]) await stream.updates(1);
  assert.equal(any.lastId(), `${idOf(sessionId, 1)},${other}`);
  assert.equal(one.lastId(), idOf(sessionId, 1));
  for (const stream of [any, one]) stream.leave();
  live.end();
});

test('a session that begins while a client is away comes whole; one that begins beside others does too', async () => {
  const client = await api.client('developer');
  const first = await open(client, 'session=live');
  await until(() => first.lastId() !== '');
  assert.equal(first.lastId(), 'none');
  first.leave();
  const race = await followed('2026-away-race');
  race.publish(3);
  const back = await open(client, 'session=live', first.lastId());
  await back.updates(3);
  const sprint = await followed('2026-away-sprint');
  sprint.publish(2);
  await back.updates(5);
  assert.deepEqual(back.sequences(), [1, 2, 3, 1, 2]);
  const fresh = await open(client, 'session=live');
  sprint.publish(1);
  await fresh.updates(1);
  assert.deepEqual(fresh.sequences(), [3]);
  for (const stream of [back, fresh]) stream.leave();
  race.end();
  sprint.end();
});

test('usage is there after the stream, and nothing stays held', async () => {
  const client = await api.client('free');
  const sessionId = await recorded('2026-usage-race');
  const stream = await open(client, `session=${sessionId}`);
  await stream.ended();
  await until(async () => (await client.call('GET', '/v1/usage')).body.data.streamedCount === COUNT);
  const { byFeed } = (await client.call('GET', '/v1/usage/by-feed')).body.data;
  const date = new Date().toISOString().slice(0, 10);
  const counts = { deliveryCount: 0, streamedCount: COUNT };
  assert.deepEqual(byFeed, [{ feedId: 'session.status', ...counts, byDay: [{ date, ...counts }] }]);
  assert.equal(library.inUse, 0);
});
