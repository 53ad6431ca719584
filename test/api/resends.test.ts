// What a customer can have sent again, and what reaches the delivery engine. The test plays the engine: it writes the
// delivery log and settles runs.

import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { systemClock } from '#engine/base/clock.ts';
import { RESEND_IDS_MAX, ROOM_LOOK_MS } from '#engine/base/limits.ts';
import { deliveryId, deliveryIdPrefix } from '#engine/delivery/sign/delivery-headers.ts';
import { type Client, originOf, until, withApi } from '#test/support/api-harness.ts';
import { withDatabase } from '#test/support/database.ts';
import { WrittenTimeline } from '#test/support/live-timelines.ts';
import { smallTimeline, steadyTimeline } from '#test/support/timelines.ts';
import { attempted, DELIVERED, FAILED } from './attempts-made.ts';
import { runOf, settleRun, start } from './replay-calls.ts';

/** Looks for room take no time. */
const clock = {
  ...systemClock,
  sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms === ROOM_LOOK_MS ? 1 : ms, signal),
};
const { sql } = await withDatabase({ after });
/** Holds back the next answer of the database with the settings of this endpoint; null: none. */
let held: { readonly webhookId: string; readonly reached: () => void; readonly opened: Promise<void> } | null = null;
const holding = new Proxy(sql, {
  get(target, key, receiver) {
    if (key !== 'begin') return Reflect.get(target, key, receiver);
    return async (...given: Parameters<typeof sql.begin>) => {
      const rows = (await target.begin(...given)) as
        | { readonly webhookId?: string; readonly secretSealed?: Buffer }[]
        | null;
      const first = rows?.[0];
      if (held === null || first?.secretSealed === undefined || first.webhookId !== held.webhookId) return rows;
      const { reached, opened } = held;
      held = null;
      reached();
      await opened;
      return rows;
    };
  },
});
const api = await withApi({ after }, { clock, sql: holding });
const timeline = smallTimeline(
  Array.from({ length: 50 }, (_, index) => ({
    dueMs: index * 1_000,
    feed: index % 2 === 0 ? 'session.status' : 'track.status',
  })),
);
await api.session('2026-monza-race', { timeline });
const FEEDS = { feedId: undefined, feedIds: ['session.status', 'track.status'] };

/** A replay that has ended; those updates failed, and those were never attempted. */
async function replayWithFailures(
  client: Client,
  failed: readonly number[],
  webhook = FEEDS,
  untried: readonly number[] = [],
) {
  const webhookId = await client.webhook(webhook);
  const runId = await start(client);
  for (let sequence = 1; sequence <= 50; sequence++)
    if (!untried.includes(sequence))
      await attempted(api, runId, webhookId, sequence, failed.includes(sequence) ? FAILED : DELIVERED);
  await settleRun(api, client, runId);
  return { webhookId, runId };
}

const resend = (client: Client, webhookId: string, body: unknown) =>
  client.call('POST', `/v1/webhooks/${webhookId}/resend`, body);

/** The sequences that the engine was told to send. */
function sent(runId: string): number[] {
  const { run } = api.control.started.find(({ run }) => run.runId === runId)!;
  return [...run.resend!.positions].map((position) => position + 1);
}

const idOf = (runId: string, webhookId: string, sequence: number): string =>
  deliveryId(deliveryIdPrefix('replay', runId, webhookId), sequence);

test('what failed of a replay goes out again as a run of its own, which is listed, watched and ended', async () => {
  const client = await api.client('developer');
  const { webhookId, runId } = await replayWithFailures(client, [7, 8, 20, 33]);
  const { status, body } = await resend(client, webhookId, { runId, outcome: 'failed' });
  assert.equal(status, 202, JSON.stringify(body));
  const { runId: again, ...data } = body.data;
  assert.deepEqual(data, { webhookId, sessionId: '2026-monza-race', mode: 'replay', updates: 4 });
  assert.deepEqual(sent(again), [7, 8, 20, 33]);
  const { run, endpoints, resumed } = api.control.started.at(-1)!;
  assert.deepEqual([run.mode, run.resend!.of, resumed], ['replay', { runId, speed: 1 }, false]);
  assert.deepEqual(
    endpoints.map((endpoint) => endpoint.webhookId),
    [webhookId],
  );
  const shown = await runOf(client, again);
  assert.deepEqual(
    [shown.kind, shown.resend, shown.state, shown.sinks, shown.updateCount],
    ['resend', { webhookId, runId, updates: 4 }, 'running', 'webhook', 33],
  );
  const { runs, total } = (await client.call('GET', '/v1/simulate/runs')).body.data;
  assert.deepEqual(
    runs.map(({ runId, kind }: { runId: string; kind: string }) => [runId, kind]),
    [
      [again, 'resend'],
      [runId, 'replay'],
    ],
  );
  assert.equal(total, 2);
  assert.equal(api.library.inUse, 1);
  await settleRun(api, client, again);
  assert.equal((await runOf(client, again)).state, 'completed');
  assert.equal(api.library.inUse, 0, 'its artifact is released');
});

test('RE2: what an earlier resend has delivered is not missed any more, and what it failed is', async () => {
  const client = await api.client('developer');
  const { webhookId, runId } = await replayWithFailures(client, [7, 8, 9]);
  const first = (await resend(client, webhookId, { runId })).body.data.runId;
  const second = await resend(client, webhookId, { runId });
  assert.deepEqual([second.status, second.body.code], [409, 'resend_running']);
  await attempted(api, first, webhookId, 7, [500, 200]);
  await attempted(api, first, webhookId, 8, FAILED);
  await settleRun(api, client, first);
  const third = (await resend(client, webhookId, { runId })).body.data.runId;
  assert.deepEqual(sent(third), [8, 9]);
  await attempted(api, third, webhookId, 8, DELIVERED);
  await attempted(api, third, webhookId, 9, DELIVERED);
  await settleRun(api, client, third);
  const none = await resend(client, webhookId, { runId: third });
  assert.deepEqual([none.status, none.body.code], [409, 'nothing_to_resend']);
});

test('what was skipped goes out again, by reason; nothing that was delivered, and no more than matches', async () => {
  const client = await api.client('developer');
  const { webhookId, runId } = await replayWithFailures(client, [7, 41], FEEDS, [10, 11, 13, 21]);
  await api.sql`
    insert into skipped_span (run_id, webhook_id, first_position, last_position, reason)
    values (${runId}, ${webhookId}, 9, 12, 'paused'), (${runId}, ${webhookId}, 20, 20, 'breaker_open')`;
  const asked = async (body: object): Promise<number[]> => {
    const answer = await resend(client, webhookId, { runId, ...body });
    assert.equal(answer.status, 202, JSON.stringify(answer.body));
    await settleRun(api, client, answer.body.data.runId);
    return sent(answer.body.data.runId);
  };
  assert.deepEqual(await asked({ outcome: 'skipped', reasons: ['breaker_open'] }), [21]);
  assert.deepEqual(await asked({ outcome: 'skipped' }), [10, 11, 13, 21], '12 was delivered');
  assert.deepEqual(await asked({ outcome: 'failed' }), [7, 41]);
  assert.deepEqual(await asked({ reasons: ['paused'], feedIds: ['track.status'] }), [10]);
  assert.deepEqual(await asked({}), [7, 10, 11, 13, 21, 41]);
});

test('a span is narrowed by sequence, by time and by feeds, and by the filters of now', async () => {
  const client = await api.client('developer');
  const { webhookId, runId } = await replayWithFailures(client, [3, 4, 5, 30, 31, 32]);
  const narrowed = async (body: object): Promise<number[]> => {
    const answer = await resend(client, webhookId, { runId, ...body });
    assert.equal(answer.status, 202, JSON.stringify(answer.body));
    await settleRun(api, client, answer.body.data.runId);
    return sent(answer.body.data.runId);
  };
  assert.deepEqual(await narrowed({ since: 5 }), [5, 30, 31, 32]);
  const utc = new Date(timeline.info.startUtcMs + 30_000).toISOString();
  assert.deepEqual(await narrowed({ since: utc }), [31, 32]);
  assert.deepEqual(await narrowed({ feedIds: ['session.status'] }), [3, 5, 31]);
  await client.call('PATCH', `/v1/webhooks/${webhookId}/feeds/session.status`, { active: false });
  assert.deepEqual(await narrowed({}), [4, 30, 32]);
});

test('deliveries are named by their ids, whatever became of them; all of one run', async () => {
  const client = await api.client('developer');
  const { webhookId, runId } = await replayWithFailures(client, [7]);
  const ids = [12, 7].map((sequence) => idOf(runId, webhookId, sequence));
  const many = (await resend(client, webhookId, { deliveryIds: ids })).body.data;
  assert.equal(many.updates, 2);
  assert.deepEqual(sent(many.runId), [7, 12]);
  await settleRun(api, client, many.runId);
  const one = (await resend(client, webhookId, { deliveryId: ids[0] })).body.data;
  assert.deepEqual(sent(one.runId), [12]);
  await settleRun(api, client, one.runId);
  const other = await start(client);
  await settleRun(api, client, other);
  const refusals = [
    [{ deliveryIds: [ids[0], idOf(other, webhookId, 3)] }, 400, 'invalid_body'],
    [{ deliveryId: idOf('run_unknown', webhookId, 3) }, 404, 'not_found'],
    [{ deliveryId: 'evt_1' }, 404, 'not_found'],
    [{ deliveryId: idOf(runId, webhookId, 51) }, 409, 'nothing_to_resend'],
  ] as const;
  for (const [body, status, code] of refusals) {
    const answer = await resend(client, webhookId, body);
    assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(answer.body));
  }
});

test('a body that asks for nothing clear is refused, and says why', async () => {
  const client = await api.client('developer');
  const webhookId = await client.webhook();
  const evt = idOf('run_1', webhookId, 1);
  const refusals: [object, RegExp][] = [
    [{}, /exactly one of deliveryId, deliveryIds, sessionId and runId/],
    [{ runId: 'run_1', sessionId: 's' }, /exactly one/],
    [{ deliveryId: evt, outcome: 'failed' }, /outcome goes with sessionId or runId/],
    [{ deliveryIds: Array(RESEND_IDS_MAX + 1).fill(evt) }, /1001 ids; at most 1000/],
    [{ runId: 'run_1', reasons: ['tired'] }, /reasons: "tired" is not one of paused, deleted/],
    [{ runId: 'run_1', outcome: 'failed', reasons: ['paused'] }, /a failed update has none/],
    [{ runId: 'run_1', since: 'yesterday' }, /since must be a sequence from 1, or a time/],
    [{ runId: 'run_1', since: 0 }, /since must be a sequence from 1/],
    [{ runId: 'run_1', feedIds: ['nope'] }, /there is no feed "nope"/],
    [{ runId: 'run_1', outcome: 'delivered' }, /outcome must be one of failed, skipped/],
  ];
  for (const [body, text] of refusals) {
    const answer = await resend(client, webhookId, body);
    assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_body'], JSON.stringify(body));
    assert.match(answer.body.error, text);
  }
});

test('unknown endpoints, runs and sessions are 404, a paused endpoint is 409, and so are updates that are gone', async () => {
  const client = await api.client('developer');
  const stranger = await api.client('developer');
  const { webhookId, runId } = await replayWithFailures(client, [7]);
  const refused = async (who: Client, endpoint: string, body: object) => {
    const answer = await resend(who, endpoint, body);
    return [answer.status, answer.body.code];
  };
  assert.deepEqual(await refused(stranger, webhookId, { runId }), [404, 'not_found']);
  assert.deepEqual(await refused(client, 'wh_none', { runId }), [404, 'not_found']);
  assert.deepEqual(await refused(client, webhookId, { runId: 'run_none' }), [404, 'not_found']);
  assert.deepEqual(await refused(client, webhookId, { sessionId: '2026-monza-race' }), [404, 'not_found']);
  const late = await client.webhook(FEEDS);
  assert.deepEqual(await refused(client, late, { runId }), [404, 'not_found'], 'it took no part in that run');
  await client.call('PATCH', `/v1/webhooks/${webhookId}`, { active: false });
  assert.deepEqual(await refused(client, webhookId, { runId }), [409, 'endpoint_inactive']);
  await client.call('PATCH', `/v1/webhooks/${webhookId}`, { active: true });
  const kept = api.library.shelf.get('2026-monza-race')!;
  api.library.shelf.set('2026-monza-race', steadyTimeline(50, 1_000, 'session.status'));
  assert.deepEqual(await refused(client, webhookId, { runId }), [409, 'updates_gone']);
  api.library.shelf.delete('2026-monza-race');
  assert.deepEqual(await refused(client, webhookId, { runId }), [409, 'not_prepared']);
  api.library.older.set(originOf(kept), kept);
  assert.deepEqual((await resend(client, webhookId, { runId })).status, 202, 'its own artifact is still there');
  api.library.shelf.set('2026-monza-race', kept);
  assert.equal(api.library.inUse, 1, 'the refused ones hold nothing');
});

test('a resend is stopped with the DELETE of replays; it cannot be paused or moved, which says so and not that it has ended', async () => {
  const client = await api.client('developer');
  const { webhookId, runId } = await replayWithFailures(client, [7]);
  const again = (await resend(client, webhookId, { runId })).body.data.runId;
  for (const [change, body] of [['pause'], ['resume'], ['seek', { sequence: 3 }]] as const) {
    const refused = await client.call('POST', `/v1/simulate/runs/${again}/${change}`, body);
    assert.deepEqual([refused.status, refused.body.code], [409, 'not_a_replay'], change);
  }
  const stopped = await client.call('DELETE', `/v1/simulate/stream?runId=${again}`);
  assert.deepEqual([stopped.status, stopped.body.data], [200, { runId: again, state: 'stopped' }]);
  assert.ok(api.control.stopped.includes(again));
});

test('a resend that is stopped while it is being resumed is stopped, and the endpoint has one at a time', async (t) => {
  const client = await api.client('developer');
  const { webhookId, runId } = await replayWithFailures(client, [7]);
  const again = (await resend(client, webhookId, { runId })).body.data.runId;
  const prepared = () => api.library.shelf.set('2026-monza-race', timeline);
  t.after(prepared);
  api.library.shelf.delete('2026-monza-race');
  api.library.older.clear();
  const { app, control, listening } = await api.restarted();
  const gained = app.gain(() => true);
  await until(() => api.library.states.get('2026-monza-race')?.status === 'preparing');
  const stopped = await fetch(`http://127.0.0.1:${listening.port}/v1/simulate/stream?runId=${again}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${client.token}` },
  });
  assert.deepEqual([stopped.status, (await runOf(client, again)).state], [202, 'stopping']);
  prepared();
  const second = await resend(client, webhookId, { runId });
  assert.deepEqual([second.status, second.body.code], [409, 'resend_running']);
  await gained;
  assert.equal(control.started.filter(({ run }) => run.runId === again).length, 1, 'the engine skips what is left');
  assert.ok(control.stopped.includes(again));
  await until(async () => (await runOf(client, again)).state === 'stopped');
  await listening.close();
});

test('RE1: after a restart a resend continues with the same updates, also when more has failed meanwhile', async () => {
  const client = await api.client('developer');
  const { webhookId, runId } = await replayWithFailures(client, [7, 8]);
  const again = (await resend(client, webhookId, { runId })).body.data.runId;
  await attempted(api, runId, webhookId, 40, FAILED);
  const { app, control, listening } = await api.restarted();
  await app.start();
  const { run, resumed } = control.started.find(({ run }) => run.runId === again)!;
  assert.deepEqual([[...run.resend!.positions], run.resend!.of, resumed], [[6, 7], { runId, speed: 1 }, true]);
  control.listener.settled(again);
  await until(async () => (await runOf(client, again)).state === 'completed');
  await listening.close();
});

test('a change of an endpoint while its resend is being resumed reaches the engine behind it', async () => {
  const client = await api.client('developer');
  const { webhookId, runId } = await replayWithFailures(client, [7]);
  const again = (await resend(client, webhookId, { runId })).body.data.runId;
  const { app, control, listening } = await api.restarted();
  const [reached, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  held = { webhookId, reached: reached.resolve, opened: opened.promise };
  const started = app.start();
  await reached.promise;
  const paused = fetch(`http://127.0.0.1:${listening.port}/v1/webhooks/${webhookId}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${client.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ active: false }),
  });
  await Promise.race([paused, systemClock.sleep(200)]);
  assert.equal(control.changed.length, 0, 'the change waits');
  opened.resolve();
  assert.deepEqual([(await paused).status, await started], [200, undefined]);
  assert.ok(control.started.some(({ run }) => run.runId === again));
  assert.deepEqual(
    control.changed.map((changed) => [changed.webhookId, changed.active]),
    [[webhookId, false]],
  );
  control.listener.settled(again);
  await until(async () => (await runOf(client, again)).state === 'completed');
  await listening.close();
});

test('RE1: a resend that cannot be resumed because the database is away is left to the next start', async () => {
  const client = await api.client('developer');
  const { webhookId, runId } = await replayWithFailures(client, [7, 8]);
  const again = (await resend(client, webhookId, { runId })).body.data.runId;
  api.library.nextFailure = Object.assign(new Error('terminating connection'), { code: '57P01' });
  const { app, listening } = await api.restarted();
  await assert.rejects(app.start(), /terminating connection/);
  assert.equal((await runOf(client, again)).state, 'running');
  await listening.close();
  const next = await api.restarted();
  await next.app.start();
  const { run } = next.control.started.find(({ run }) => run.runId === again)!;
  assert.deepEqual([...run.resend!.positions], [6, 7]);
  next.control.listener.settled(again);
  await until(async () => (await runOf(client, again)).state === 'completed');
  await next.listening.close();
});

/** A resend of those that failed, and a restart that has no room for it. */
async function resendWithoutRoom(t: TestContext, failed: readonly number[]) {
  const client = await api.client('developer');
  const { webhookId, runId } = await replayWithFailures(client, failed);
  const again = (await resend(client, webhookId, { runId })).body.data.runId;
  const { inUse } = api.library;
  api.library.full = true;
  t.after(() => {
    api.library.full = false;
  });
  const { app, control, listening } = await api.restarted();
  await app.start();
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`http://127.0.0.1:${listening.port}${path}`, {
      method,
      headers: { authorization: `Bearer ${client.token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  const startOf = (id: string) => control.started.find(({ run }) => run.runId === id);
  return { client, webhookId, runId, again, inUse, app, control, listening, call, startOf };
}

test('RE4: a resend for which a restart has no room holds nothing, and goes on when there is room', async (t) => {
  const { client, again, inUse, control, listening, startOf } = await resendWithoutRoom(t, [7, 8]);
  assert.equal((await runOf(client, again)).state, 'running');
  assert.equal(startOf(again), undefined);
  assert.equal(api.library.inUse, inUse);
  api.library.full = false;
  await until(() => startOf(again) !== undefined);
  const { run, resumed } = startOf(again)!;
  assert.deepEqual([[...run.resend!.positions], resumed], [[6, 7], true]);
  control.listener.settled(again);
  await until(async () => (await runOf(client, again)).state === 'completed');
  await listening.close();
});

test('RE4: a resend that waits for room is stopped at once, and what it has not sent is sent by the next one', async (t) => {
  const { client, webhookId, runId, again, call, control, listening, startOf } = await resendWithoutRoom(t, [7, 8, 9]);
  await attempted(api, again, webhookId, 7, DELIVERED);
  // The last process had begun with it.
  await api.sql`update run_endpoint set pending = '7:1:0' where run_id = ${again}`;
  const stopped = await call('DELETE', `/v1/simulate/stream?runId=${again}`);
  assert.deepEqual([stopped.status, stopped.body.data], [200, { runId: again, state: 'stopped' }]);
  assert.equal(startOf(again), undefined);
  api.library.full = false;
  const next = await call('POST', `/v1/webhooks/${webhookId}/resend`, { runId });
  assert.equal(next.status, 202, JSON.stringify(next.body));
  const { run } = startOf(next.body.data.runId)!;
  assert.deepEqual([...run.resend!.positions], [7, 8]);
  control.listener.settled(run.runId);
  await until(async () => (await runOf(client, run.runId)).endedAt !== null);
  await listening.close();
});

test('RE4: a resend that waits for room is let go of for another node, and goes on there', async (t) => {
  const { client, again, app, control, listening, startOf } = await resendWithoutRoom(t, [7]);
  const isTheirs = (accountId: string) => accountId === client.accountId;
  assert.ok(await app.letGo(isTheirs));
  assert.equal((await runOf(client, again)).state, 'running');
  api.library.full = false;
  const other = await api.restarted();
  await other.app.gain(isTheirs);
  assert.ok(other.control.started.some(({ run }) => run.runId === again));
  assert.equal(startOf(again), undefined);
  assert.deepEqual(control.parked, []);
  other.control.listener.settled(again);
  await until(async () => (await runOf(client, again)).state === 'completed');
  await listening.close();
  await other.listening.close();
});

test('RE4: a resend that waits for room when the service stops is left to the next start', async (t) => {
  const { client, again, listening } = await resendWithoutRoom(t, [7]);
  await listening.close();
  api.library.full = false;
  const next = await api.restarted();
  await next.app.start();
  assert.ok(next.control.started.some(({ run }) => run.runId === again));
  next.control.listener.settled(again);
  await until(async () => (await runOf(client, again)).state === 'completed');
  await next.listening.close();
});

test('a resend that is stopped while it is still being resumed is stopped by the engine', async (t) => {
  const client = await api.client('developer');
  const { webhookId, runId } = await replayWithFailures(client, [7]);
  const again = (await resend(client, webhookId, { runId })).body.data.runId;
  const opens = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const { openOrigin } = api.library;
  t.mock.method(api.library, 'openOrigin', async (...args: Parameters<typeof openOrigin>) => {
    asked.resolve();
    await opens.promise;
    return openOrigin.apply(api.library, args);
  });
  const { app, control, listening } = await api.restarted();
  const gained = app.gain((accountId) => accountId === client.accountId);
  await asked.promise;
  const url = `http://127.0.0.1:${listening.port}/v1/simulate/stream?runId=${again}`;
  const response = await fetch(url, { method: 'DELETE', headers: { authorization: `Bearer ${client.token}` } });
  assert.equal(JSON.parse(await response.text()).data.state, 'stopping');
  opens.resolve();
  await gained;
  assert.deepEqual(control.stopped, [again]);
  await until(async () => (await runOf(client, again)).state === 'stopped');
  await listening.close();
});

test('RE3: of a live session: from its memory while it is delivered, then from what the same deriver makes of its recording', async () => {
  const client = await api.client('developer');
  const webhookId = await client.webhook(FEEDS);
  const sessionId = '2026-live-race';
  const live = new WrittenTimeline();
  const memory = { ...live.memory, head: { sessionId, seriesId: 'f1' } };
  live.publish(Array.from({ length: 20 }, () => ({ feed: 'session.status' as const })));
  await api.app.live.opened(memory, 'live');
  await until(() => api.control.started.some(({ run }) => run.accountId === client.accountId));
  const { run: liveRun } = api.control.started.find(({ run }) => run.accountId === client.accountId)!;
  for (const sequence of [2, 3, 11]) await attempted(api, liveRun.runId, webhookId, sequence, FAILED);
  const during = (await resend(client, webhookId, { sessionId, outcome: 'failed' })).body.data;
  assert.deepEqual([during.mode, during.updates], ['live', 3]);
  const { run, timeline: shared } = api.control.started.at(-1)!;
  assert.deepEqual([run.mode, run.resend!.of, shared], ['live', null, memory]);
  await settleRun(api, client, during.runId);

  live.seal();
  api.app.live.ended(sessionId);
  for (const { run } of api.control.started)
    if (run.sessionId === sessionId && run.resend === undefined) api.control.listener.settled(run.runId);
  await until(async () => {
    const [row] = await api.sql`select state, update_count from run where run_id = ${liveRun.runId}`;
    return row!.state === 'completed' && row!.update_count === 20;
  });
  const recorded = steadyTimeline(20, 1, 'session.status');
  await api.session(sessionId, { timeline: recorded });
  const setVersion = (version: number) =>
    api.sql`update run set deriver_version = ${version} where run_id = ${liveRun.runId} and deriver_version is not null`;
  const made = Number(originOf(recorded).split('-')[0]);
  await setVersion(made + 1);
  const refused = await resend(client, webhookId, { sessionId });
  assert.deepEqual([refused.status, refused.body.code], [409, 'updates_gone'], 'another deriver made this artifact');
  await setVersion(made);
  const later = (await resend(client, webhookId, { sessionId, since: 3 })).body.data;
  assert.deepEqual([later.mode, sent(later.runId)], ['live', [3, 11]]);
});

test('a resend that could not be handed over has ended, and the next one starts', async () => {
  const client = await api.client('developer');
  const { webhookId, runId } = await replayWithFailures(client, [7]);
  const { startRun } = api.control;
  api.control.startRun = () => {
    throw new Error('the test wants it');
  };
  try {
    assert.equal((await resend(client, webhookId, { runId })).status, 500);
  } finally {
    api.control.startRun = startRun;
  }
  const { status, body } = await resend(client, webhookId, { runId });
  assert.equal(status, 202, JSON.stringify(body));
  assert.deepEqual(sent(body.data.runId), [7]);
});
