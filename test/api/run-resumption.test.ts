// What becomes of unfinished runs when another process takes them up: after a restart, and on a node that gains their accounts.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ALONE, type Forwarder } from '#api/http/homes.ts';
import { systemClock } from '#engine/base/clock.ts';
import { originOf, until, withApi } from '#test/support/api-harness.ts';
import { steadyTimeline } from '#test/support/timelines.ts';
import { runOf, settleRun, start } from './replay-calls.ts';

const api = await withApi({ after });
const timeline = steadyTimeline(50, 1_000);
await api.session('2026-monza-race', { timeline });
await api.session('2026-spa-race', { timeline });

test('after a restart, detached runs resume where they left off, and visual runs are stopped', async () => {
  const client = await api.client('free');
  const watcher = await api.client('free');
  const webhookId = await client.webhook();
  const runId = await start(client, 'session=2026-monza-race&speed=5');
  await client.webhook();
  await api.sql`update run_endpoint set next_position = 20 where run_id = ${runId}`;
  const visual = 'run_0000000000000000000000visu';
  await api.sql`
    insert into run (run_id, account_id, session_id, speed, sinks, state, update_count)
    values (${visual}, ${watcher.accountId}, '2026-monza-race', 1, 'visual', 'running', 50)`;
  const { app, control: again, listening } = await api.restarted();
  await app.start();
  const resumed = again.started.find(({ run }) => run.runId === runId)!;
  assert.equal(resumed.resumed, true);
  assert.deepEqual(
    resumed.endpoints.map((endpoint) => endpoint.webhookId),
    [webhookId],
    'an endpoint created after the start does not take part',
  );
  const dueAtMs = resumed.run.pacedFromMs + timeline.columns.dueMs[20]! / 5;
  assert.ok(Math.abs(dueAtMs - systemClock.nowMs()) < 10_000, 'the next position is due now');
  const [row] = await api.sql`select state from run where run_id = ${visual}`;
  assert.equal(row!.state, 'stopped');
  again.listener.settled(runId);
  await until(async () => (await runOf(client, runId)).state === 'completed');
  await listening.close();
});

test('after a restart, a run that was stopping is stopped, and so is a run whose session is gone', async () => {
  const client = await api.client('free');
  const other = await api.client('free');
  api.control.settlesOnStop = false;
  await client.webhook();
  const runId = await start(client);
  await client.call('DELETE', `/v1/simulate/stream?runId=${runId}`);
  const lost = 'run_0000000000000000000000gone';
  await api.sql`
    insert into run (run_id, account_id, session_id, speed, sinks, state, update_count)
    values (${lost}, ${other.accountId}, '2026-vanished-race', 1, 'webhook', 'running', 50)`;
  const { app, control: again, listening } = await api.restarted();
  await app.start();
  assert.deepEqual(again.stopped, [runId]);
  await until(async () => (await runOf(client, runId)).state === 'stopped');
  const [row] = await api.sql`select state from run where run_id = ${lost}`;
  assert.equal(row!.state, 'stopped');
  await listening.close();
});

test('after a restart, a run that cannot resume is stopped, and the service still starts', async () => {
  const client = await api.client('free');
  const webhookId = await client.webhook();
  const runId = await start(client);
  await api.sql`update webhook set secret_sealed = 'not sealed' where webhook_id = ${webhookId}`;
  const { app, listening } = await api.restarted();
  await app.start();
  await until(async () => (await runOf(client, runId)).state === 'stopped');
  await listening.close();
});

test('without the database there is no restart, and the next one resumes the runs', async () => {
  const client = await api.client('free');
  const other = await api.client('free');
  await client.webhook();
  const runId = await start(client);
  const beside = await start(other);
  api.library.nextFailure = Object.assign(new Error('terminating connection'), { code: '57P01' });
  const { app, listening } = await api.restarted();
  await assert.rejects(app.start(), /terminating connection/);
  const states = await api.sql`select distinct state from run where run_id in (${runId}, ${beside})`;
  assert.deepEqual(
    states.map(({ state }) => state),
    ['running'],
  );
  await listening.close();
  const next = await api.restarted();
  await next.app.start();
  const resumed = next.control.started.map(({ run }) => run.runId);
  assert.ok(resumed.includes(runId) && resumed.includes(beside));
  for (const settled of [runId, beside]) next.control.listener.settled(settled);
  await until(async () => (await runOf(client, runId)).state === 'completed');
  await next.listening.close();
});

test('what could not be resumed on a node, because the database was away, is resumed when it tries again, once', async () => {
  const client = await api.client('free');
  const other = await api.client('free');
  const runs = [await start(client), await start(other)];
  api.library.nextFailure = Object.assign(new Error('no primary'), { code: 'NO_PRIMARY' });
  const { app, control: again, listening } = await api.restarted();
  await assert.rejects(
    app.gain(() => true),
    /no primary/,
  );
  await app.gain(() => true);
  const resumed = again.started.map(({ run }) => run.runId).filter((runId) => runs.includes(runId));
  assert.deepEqual(resumed.toSorted(), runs.toSorted());
  for (const runId of runs) again.listener.settled(runId);
  await until(async () => (await runOf(client, runs[0]!)).state === 'completed');
  await listening.close();
});

test('a run that is stopped just before it is resumed is not resumed', async () => {
  const client = await api.client('free');
  const runId = await start(client);
  const { app, control: again, listening } = await api.restarted();
  const locked = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  // The run has been read, and its session is looked for.
  const held = api.sql.begin(async (transaction) => {
    await transaction`lock table session in access exclusive mode`;
    locked.resolve();
    await stopped.promise;
  });
  await locked.promise;
  const gained = app.gain(() => true);
  await until(async () => {
    const [row] = await api.sql`select from pg_locks where not granted and relation = 'session'::regclass`;
    return row !== undefined;
  });
  const response = await fetch(`http://127.0.0.1:${listening.port}/v1/simulate/stream?runId=${runId}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${client.token}` },
  });
  assert.deepEqual([response.status, (await runOf(client, runId)).state], [200, 'stopped']);
  stopped.resolve();
  await held;
  await gained;
  assert.equal(
    again.started.some(({ run }) => run.runId === runId),
    false,
  );
  await settleRun(api, client, await start(client));
  await listening.close();
});

test('RC6: a run for which a restart has no room is paused, and goes on when there is room', async (t) => {
  const client = await api.client('free');
  await client.webhook();
  const runId = await start(client);
  t.after(() => {
    api.library.full = false;
  });
  api.library.full = true;
  const { app, control: again, listening } = await api.restarted();
  await app.start();
  assert.equal((await runOf(client, runId)).state, 'paused');
  const resume = async () => {
    const url = `http://127.0.0.1:${listening.port}/v1/simulate/runs/${runId}/resume`;
    const response = await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${client.token}` } });
    await response.arrayBuffer();
    return response.status;
  };
  assert.equal(await resume(), 503);
  assert.equal((await runOf(client, runId)).state, 'paused');
  api.library.full = false;
  assert.equal(await resume(), 200);
  assert.ok(again.started.some(({ run }) => run.runId === runId));
  again.listener.settled(runId);
  await until(async () => (await runOf(client, runId)).state === 'completed');
  await listening.close();
});

test('a run that ended because the engine failed stays ended when the engine settles it later', async () => {
  const client = await api.client('free');
  const runId = await start(client);
  await api.sql`update run set state = 'stopping' where run_id = ${runId}`;
  const { app, control: again, listening } = await api.restarted();
  again.stopRun = () => {
    queueMicrotask(() => again.listener.settled(runId));
    throw new Error('the engine failed');
  };
  await app.start();
  await until(async () => (await runOf(client, runId)).state === 'stopped');
  await listening.close();
});

test('after a restart, a run plays the updates that it began with, though its session has others by now', async (t) => {
  const client = await api.client('free');
  await client.webhook();
  const runId = await start(client);
  const changed = steadyTimeline(50, 1_000, 'lap.count');
  api.library.older.set(originOf(timeline), timeline);
  api.library.shelf.set('2026-monza-race', changed);
  t.after(() => {
    api.library.older.clear();
    api.library.shelf.set('2026-monza-race', timeline);
  });
  const opened: string[] = [];
  const openOrigin = api.library.openOrigin.bind(api.library);
  t.mock.method(api.library, 'openOrigin', async (sessionId: string, origin: string) => {
    opened.push(origin);
    return openOrigin(sessionId, origin);
  });
  const { app, control: again, listening } = await api.restarted();
  const sweeps = api.library.sweeps;
  await app.start();
  assert.deepEqual(opened, [originOf(timeline)]);
  assert.equal(api.library.sweeps, sweeps + 1, 'what no run needs is removed once all have resumed');
  assert.ok(again.started.some(({ run }) => run.runId === runId));
  again.listener.settled(runId);
  await until(async () => (await runOf(client, runId)).state === 'completed');
  await listening.close();
});

test('a node of a cluster removes artifacts that no run needs when it starts, and not when it gains accounts', async (t) => {
  const forwarder: Forwarder = { pass: async () => ({ kind: 'unreachable' }), accountChanged() {} };
  const cluster = { homes: ALONE, forwarder, owns: () => false, isKeeper: () => false };
  const { app } = await withApi(t, { sql: api.sql, library: api.library, cluster });
  const sweeps = api.library.sweeps;
  await app.start();
  assert.equal(api.library.sweeps, sweeps + 1);
  await app.gain(() => false);
  assert.equal(api.library.sweeps, sweeps + 1);
});

test('after a restart, a run whose updates are gone is stopped, also when its session now has as many others', async (t) => {
  const client = await api.client('free');
  const runId = await start(client);
  api.library.shelf.set('2026-monza-race', steadyTimeline(50, 1_000, 'lap.count'));
  t.after(() => api.library.shelf.set('2026-monza-race', timeline));
  const { app, control: again, listening } = await api.restarted();
  await app.start();
  await until(async () => (await runOf(client, runId)).state === 'stopped');
  assert.ok(!again.started.some(({ run }) => run.runId === runId));
  await listening.close();
});

test('a run from before origins were stored resumes if its session has as many updates, and is stopped otherwise', async () => {
  const [same, other] = [await api.client('free'), await api.client('free')];
  const [resumes, stops] = [await start(same), await start(other)];
  await api.sql`update run set timeline_origin = null where run_id in (${resumes}, ${stops})`;
  await api.sql`update run set update_count = update_count + 1 where run_id = ${stops}`;
  const { app, control: again, listening } = await api.restarted();
  await app.start();
  await until(async () => (await runOf(other, stops)).state === 'stopped');
  const started = again.started.map(({ run }) => run.runId);
  assert.deepEqual([started.includes(resumes), started.includes(stops)], [true, false]);
  again.listener.settled(resumes);
  await until(async () => (await runOf(same, resumes)).state === 'completed');
  await listening.close();
});

test('after a restart, a run waits until its session is prepared again', async () => {
  const client = await api.client('free');
  const runId = await start(client, 'session=2026-spa-race');
  api.library.shelf.delete('2026-spa-race');
  const { app, control: again, listening } = await api.restarted();
  const resuming = app.start();
  await until(() => api.library.states.get('2026-spa-race')?.status === 'preparing');
  assert.equal(again.started.length, 0);
  api.library.shelf.set('2026-spa-race', timeline);
  await resuming;
  assert.equal(
    again.started.some(({ run }) => run.runId === runId),
    true,
  );
  again.listener.settled(runId);
  await until(async () => (await runOf(client, runId)).state === 'completed');
  await listening.close();
});

test('a simulate slot that could not be taken because the database was away at the stop is taken at the next start', async () => {
  const client = await api.client('free');
  await client.webhook();
  const runId = await start(client, 'session=2026-monza-race&speed=5');
  const slots = async () => (await api.sql`select from simulate_slot where account_id = ${client.accountId}`).length;
  assert.equal(await slots(), 0, 'nothing was delivered yet');
  await api.sql`update run_endpoint set next_position = 50, matched = 1, failed = 1 where run_id = ${runId}`;
  const { app, control: again, listening } = await api.restarted();
  await app.start();
  await until(async () => (await slots()) === 1);
  again.listener.settled(runId);
  await until(async () => (await runOf(client, runId)).state === 'completed');
  await listening.close();
});
