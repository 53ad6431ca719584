// Which endpoints get a live session, with a real database: accounts and endpoints that are created and deleted,
// restarts after crashes, and an unavailable database.

import assert from 'node:assert/strict';
import { after, beforeEach, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { FeedCatalogue } from '#api/feeds/feed-catalogue.ts';
import { Allowances } from '#api/usage/allowances.ts';
import { postgresUsageStore } from '#api/usage/postgres-usage-store.ts';
import { LiveDeliveries, type LiveDeliveriesParts } from '#api/webhooks/live/live-deliveries.ts';
import { postgresLiveRunStore } from '#api/webhooks/live/postgres-live-run-store.ts';
import { postgresWebhookStore } from '#api/webhooks/postgres-webhook-store.ts';
import { systemClock } from '#engine/base/clock.ts';
import { KeyedMutex } from '#engine/base/keyed-mutex.ts';
import { LIVE_DELIVERY_MS, ROOM_LOOK_MS } from '#engine/base/limits.ts';
import { RecordingsUnreachable } from '#engine/intake/recording/recording-store.ts';
import type { LiveMemory } from '#engine/timeline/live-memory.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import { RecordedControl, ShelfLibrary, until, withApi } from '#test/support/api-harness.ts';
import { silentLog } from '#test/support/database.ts';
import { smallMemory, WrittenTimeline } from '#test/support/live-timelines.ts';
import { steadyTimeline } from '#test/support/timelines.ts';

const api = await withApi({ after });
let sessions = 0;

beforeEach(async () => {
  await api.sql`delete from account`;
});

function session(): { sessionId: string; memory: LiveMemory; live: WrittenTimeline } {
  const sessionId = `2026-live-${++sessions}-race`;
  const memory = smallMemory(64 * 1024, { sessionId, seriesId: 'f1' });
  return { sessionId, memory, live: new WrittenTimeline(memory) };
}

/** The journals of ended sessions, as timelines. */
class ShelfJournals {
  readonly shelf = new Map<string, LiveMemory>();
  readonly removed: string[] = [];
  opened = 0;

  open(sessionId: string): LiveMemory | null {
    this.opened++;
    return this.shelf.get(sessionId) ?? null;
  }

  remove(sessionId: string): void {
    this.removed.push(sessionId);
    this.shelf.delete(sessionId);
  }

  sweep(isNeeded: (sessionId: string) => boolean): void {
    for (const sessionId of this.shelf.keys()) if (!isNeeded(sessionId)) this.remove(sessionId);
  }
}

/** Live delivery of one process. */
function deliveries(t: TestContext, given: Partial<LiveDeliveriesParts> = {}) {
  const { sql, secretBox } = api;
  const control = new RecordedControl();
  const library = new ShelfLibrary();
  const timers: { readonly delayMs: number; readonly callback: () => void }[] = [];
  const allowances = new Allowances(postgresUsageStore(sql), systemClock);
  const journals = new ShelfJournals();
  const live = new LiveDeliveries({
    store: postgresLiveRunStore(sql),
    webhooks: postgresWebhookStore(sql),
    catalogue: new FeedCatalogue(FEEDS),
    control,
    allowances,
    library,
    journals,
    secretBox,
    clock: {
      ...systemClock,
      sleep: () => systemClock.sleep(5),
      // The test runs these callbacks itself.
      schedule(delayMs, callback) {
        const timer = { delayMs, callback };
        timers.push(timer);
        return () => timers.splice(timers.indexOf(timer), 1);
      },
    },
    changes: new KeyedMutex(),
    log: silentLog,
    ...given,
  });
  t.after(() => live.close());
  return { live, control, library, journals, timers, allowances };
}

interface Standing {
  readonly webhookId: string;
  readonly position: number;
  readonly state: string;
}

function standings(sessionId: string): Promise<Standing[]> {
  return api.sql<Standing[]>`
    select webhook_id as "webhookId", next_position as position, state from run join run_endpoint using (run_id)
    where session_id = ${sessionId} and mode = 'live' order by run_no, webhook_id`;
}

const positions = async (sessionId: string, webhookIds: readonly string[]): Promise<(number | undefined)[]> => {
  const all = await standings(sessionId);
  return webhookIds.map((id) => all.find(({ webhookId }) => webhookId === id)?.position);
};

test('J1: a new session goes to every account with endpoints from its first update, and checkpoints are stored before the run starts', async (t) => {
  const [one, two, none] = [await api.client('custom'), await api.client('custom'), await api.client('custom')];
  const ids = [await one.webhook(), await one.webhook(), await two.webhook()];
  const { sessionId, memory, live: written } = session();
  written.publish(7);
  const { live, control } = deliveries(t);
  const kept: number[] = [];
  control.startRun = async function (this: RecordedControl, ...args) {
    kept.push((await standings(sessionId)).length);
    RecordedControl.prototype.startRun.apply(this, args);
  } as typeof control.startRun;
  await live.opened(memory, 'live');
  await until(() => control.started.length === 2);
  assert.deepEqual(kept, [3, 3]);
  assert.deepEqual(
    await positions(sessionId, ids),
    [0, 0, 0],
    'updates published before live delivery opened the session are included',
  );
  const byAccount = new Map(control.started.map(({ run, endpoints }) => [run.accountId, { run, endpoints }]));
  assert.equal(byAccount.get(one.accountId)!.endpoints.length, 2);
  assert.equal(byAccount.has(none.accountId), false);
  const { run } = byAccount.get(two.accountId)!;
  assert.deepEqual([run.mode, run.sessionId, run.allFeeds], ['live', sessionId, false]);
  assert.equal(live.phaseOf(sessionId), 'live');
  live.moved(sessionId, 'finished');
  assert.equal(live.phaseOf(sessionId), 'finished');
});

test('a live run does not block a replay of the same account, and is not listed among the replays', async (t) => {
  const client = await api.client('custom');
  await client.webhook();
  const timeline = steadyTimeline(10, 100);
  await api.session('2026-beside-race', { timeline });
  const { live } = deliveries(t);
  await live.opened(session().memory, 'live');
  const replay = await client.call('GET', '/v1/simulate/stream?session=2026-beside-race&sinks=webhook');
  assert.equal(replay.status, 202, JSON.stringify(replay.body));
  const { runs } = (await client.call('GET', '/v1/simulate/runs')).body.data;
  assert.deepEqual(
    runs.map(({ sessionId }: { sessionId: string }) => sessionId),
    ['2026-beside-race'],
  );
  const [{ runId }] = (await api.sql`select run_id as "runId" from run where mode = 'live'`) as unknown as [
    { runId: string },
  ];
  assert.equal((await client.call('GET', `/v1/simulate/runs/${runId}`)).status, 404);
});

test('a new endpoint joins the session from that moment on; the first endpoint of an account starts its run', async (t) => {
  const [one, two] = [await api.client('custom'), await api.client('custom')];
  await one.webhook();
  const { sessionId, memory, live: written } = session();
  const { live, control } = deliveries(t);
  await live.opened(memory, 'live');
  written.publish(5);
  const joining = await one.webhook();
  await live.endpointCreated(one.accountId, joining);
  assert.equal(control.joined.length, 1);
  assert.deepEqual(
    control.joined[0]!.endpoints.map(({ webhookId }) => webhookId),
    [joining],
  );
  written.publish(3);
  const first = await two.webhook();
  await live.endpointCreated(two.accountId, first);
  assert.equal(control.started.at(-1)!.run.accountId, two.accountId);
  assert.deepEqual(await positions(sessionId, [joining, first]), [5, 8]);
  assert.equal(
    control.started.every(({ resumed }) => resumed),
    true,
    'each endpoint starts at its checkpoint',
  );
});

test('J4: a new endpoint joins alone: its create reads and sends one endpoint, however many the account has', async (t) => {
  const client = await api.client('custom');
  for (let count = 0; count < 20; count++) await client.webhook();
  const { sessionId, memory } = session();
  const store = postgresWebhookStore(api.sql);
  let read = 0;
  const counted = <Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) => {
    return async (...args: Args): Promise<Result> => {
      const result = await work(...args);
      read += Array.isArray(result) ? result.length : 1;
      return result;
    };
  };
  const { live, control } = deliveries(t, {
    webhooks: { ...store, find: counted(store.find), findAll: counted(store.findAll), list: counted(store.list) },
  });
  await live.opened(memory, 'live');
  assert.equal(read, 20);
  for (let count = 1; count <= 3; count++) {
    const webhookId = await client.webhook();
    await live.endpointCreated(client.accountId, webhookId);
    const { endpoints } = control.joined.at(-1)!;
    assert.deepEqual(
      endpoints.map((endpoint) => endpoint.webhookId),
      [webhookId],
    );
    assert.equal(read, 20 + count, 'endpoints read from the database');
  }
  assert.equal((await standings(sessionId)).length, 23);
});

test('an endpoint that was deleted before it could join a session stays out of it', async (t) => {
  const client = await api.client('custom');
  await client.webhook();
  const { sessionId, memory } = session();
  const { live, control } = deliveries(t);
  await live.opened(memory, 'live');
  const webhookId = await client.webhook();
  await client.call('DELETE', `/v1/webhooks/${webhookId}`);
  await live.endpointCreated(client.accountId, webhookId);
  assert.deepEqual(await positions(sessionId, [webhookId]), [undefined]);
  assert.deepEqual(control.joined, []);
});

test('POST /v1/webhooks during a session returns once the checkpoint of the endpoint is stored', async (t) => {
  const client = await api.client('custom');
  const { sessionId, memory, live: written } = session();
  await api.app.live.opened(memory, 'live');
  t.after(() => api.app.live.ended(sessionId));
  written.publish(4);
  const webhookId = await client.webhook();
  assert.deepEqual(await positions(sessionId, [webhookId]), [4]);
  assert.equal(api.control.started.at(-1)!.run.accountId, client.accountId);
});

test('an endpoint created while a session is still opening does not cost other endpoints any updates', async (t) => {
  const [one, two] = [await api.client('custom'), await api.client('custom')];
  const early = await one.webhook();
  const store = postgresLiveRunStore(api.sql);
  let isAway = true;
  const { sessionId, memory, live: written } = session();
  const { live, control } = deliveries(t, {
    store: {
      ...store,
      enter: (...args) => (isAway ? Promise.reject(new Error('away')) : store.enter(...args)),
    },
  });
  written.publish(4);
  const opened = live.opened(memory, 'live');
  written.publish(9);
  const created = await two.webhook();
  const joined = live.endpointCreated(two.accountId, created);
  await pause(30);
  isAway = false;
  await Promise.all([opened, joined]);
  assert.deepEqual(
    await positions(sessionId, [early]),
    [0],
    'it starts at the first update, unaffected by the new endpoint',
  );
  assert.equal((await standings(sessionId)).filter(({ webhookId }) => webhookId === created).length, 1);
  assert.equal(new Set(control.started.map(({ run }) => run.accountId)).size, 2);
});

test('an endpoint created while the database is unavailable joins at its position of creation once the database is back', async (t) => {
  const client = await api.client('custom');
  await client.webhook();
  const store = postgresLiveRunStore(api.sql);
  let failures = 3;
  const { sessionId, memory, live: written } = session();
  const { live } = deliveries(t, {
    store: {
      ...store,
      enterEndpoint: (...args) => (failures-- > 0 ? Promise.reject(new Error('away')) : store.enterEndpoint(...args)),
    },
  });
  await live.opened(memory, 'live');
  written.publish(2);
  const webhookId = await client.webhook();
  const joined = live.endpointCreated(client.accountId, webhookId);
  written.publish(6);
  await joined;
  const [position] = await positions(sessionId, [webhookId]);
  assert.ok(position === 2 || position === 8, `${position}`);
});

test('an endpoint deleted before a session is left out; one deleted during it is reported to the engine after a restart', async (t) => {
  const client = await api.client('custom');
  const [gone, stays] = [await client.webhook(), await client.webhook()];
  await client.call('DELETE', `/v1/webhooks/${gone}`);
  const { sessionId, memory } = session();
  const { live, control } = deliveries(t);
  await live.opened(memory, 'live');
  assert.deepEqual(
    (await standings(sessionId)).map(({ webhookId }) => webhookId),
    [stays],
  );
  await client.call('DELETE', `/v1/webhooks/${stays}`);
  const next = deliveries(t);
  await next.live.opened(memory, 'live');
  assert.deepEqual(next.control.deleted, [stays], 'after a restart too, so its remaining deliveries are counted');
  assert.deepEqual(control.deleted, []);
});

test('J1: after a restart during a session each endpoint resumes where it left off; one created meanwhile starts now', async (t) => {
  const client = await api.client('custom');
  const known = await client.webhook();
  const { sessionId, memory, live: written } = session();
  await deliveries(t).live.opened(memory, 'live');
  await api.sql`update run_endpoint set next_position = 3 where webhook_id = ${known}`;
  const meanwhile = await client.webhook();
  written.publish(10);
  const { live, control } = deliveries(t);
  await live.opened(memory, 'live');
  assert.deepEqual(await positions(sessionId, [known, meanwhile]), [3, 10]);
  assert.equal(control.started.length, 1);
  assert.equal(control.started[0]!.resumed, true);
  assert.equal((await api.sql`select from run where session_id = ${sessionId}`).length, 1, 'in the same run');
});

test('when the live thread restarts, a known session only changes its phase', async (t) => {
  const client = await api.client('custom');
  await client.webhook();
  const { sessionId, memory } = session();
  const { live, control } = deliveries(t);
  await live.opened(memory, 'upcoming');
  await live.opened(memory, 'live');
  assert.equal(control.started.length, 1);
  assert.equal(live.phaseOf(sessionId), 'live');
});

test('a settled run is completed and releases its allowance, and the session is dropped once it has ended', async (t) => {
  const client = await api.client('custom');
  await client.webhook();
  const { sessionId, memory } = session();
  const { live, control, allowances } = deliveries(t);
  await live.opened(memory, 'live');
  assert.ok(allowances.isHeld(client.accountId));
  live.ended(sessionId);
  assert.equal(live.phaseOf(sessionId), 'finished', 'the session stays known while its deliveries run');
  control.listener.settled(control.started[0]!.run.runId);
  await until(async () => (await standings(sessionId))[0]!.state === 'completed');
  await until(() => !allowances.isHeld(client.accountId));
  assert.equal(live.phaseOf(sessionId), null);
  const late = await client.webhook();
  await live.endpointCreated(client.accountId, late);
  assert.deepEqual(await positions(sessionId, [late]), [undefined]);
});

test('J3: only the runs still unsettled an hour after the end of the session are stopped', async (t) => {
  const [slow, quick] = [await api.client('custom'), await api.client('custom')];
  await slow.webhook();
  await quick.webhook();
  const { sessionId, memory } = session();
  const { live, control, timers } = deliveries(t);
  const stopped: unknown[] = [];
  control.stopRun = (...args: unknown[]) => void stopped.push(args);
  await live.opened(memory, 'live');
  const runOf = (accountId: string) => control.started.find(({ run }) => run.accountId === accountId)!.run.runId;
  control.listener.settled(runOf(quick.accountId));
  live.ended(sessionId);
  assert.deepEqual(stopped, []);
  const expiry = timers.find(({ delayMs }) => delayMs === LIVE_DELIVERY_MS);
  assert.ok(expiry);
  expiry.callback();
  assert.deepEqual(stopped, [[runOf(slow.accountId), 'expired']]);
});

test('J2: without a journal, deliveries left of an ended session come from its recording, and expire too', async (t) => {
  const client = await api.client('custom');
  const webhookId = await client.webhook();
  const { sessionId, memory } = session();
  await deliveries(t).live.opened(memory, 'live');
  await api.sql`update run_endpoint set next_position = 6 where webhook_id = ${webhookId}`;
  const { live, control, library, timers } = deliveries(t);
  library.shelf.set(sessionId, steadyTimeline(20, 10));
  await live.resume();
  const [{ run, endpoints, resumed }] = control.started as [(typeof control.started)[0]];
  assert.deepEqual([run.mode, run.sessionId, run.speed, resumed], ['live', sessionId, Number.POSITIVE_INFINITY, true]);
  assert.deepEqual(
    endpoints.map((endpoint) => endpoint.webhookId),
    [webhookId],
  );
  assert.ok(timers.some(({ delayMs }) => delayMs === LIVE_DELIVERY_MS));
  control.listener.settled(run.runId);
  await until(async () => (await standings(sessionId))[0]!.state === 'completed');
});

test('a run that is resumed already is not resumed again, when a node of a cluster gains its account', async (t) => {
  const client = await api.client('custom');
  await client.webhook();
  const { sessionId, memory } = session();
  await deliveries(t).live.opened(memory, 'live');
  const { live, control, library } = deliveries(t);
  library.shelf.set(sessionId, steadyTimeline(20, 10));
  const own = (): number => control.started.filter(({ run }) => run.sessionId === sessionId).length;
  await live.resume();
  assert.equal(own(), 1);
  await live.resume(() => true);
  assert.equal(own(), 1);
  for (const { run } of control.started) control.listener.settled(run.runId);
  await until(async () => (await standings(sessionId))[0]!.state === 'completed');
});

test('J2, J5: deliveries left of an ended session come from its journal, which stays until all of them have ended', async (t) => {
  const [one, other] = [await api.client('custom'), await api.client('custom')];
  for (const client of [one, other]) await client.webhook();
  const [left, over] = [session(), session()];
  await deliveries(t).live.opened(left.memory, 'live');
  const { live, control, library, journals, timers } = deliveries(t);
  library.shelf.set(left.sessionId, steadyTimeline(20, 10));
  for (const { sessionId, memory } of [left, over]) journals.shelf.set(sessionId, memory);
  await live.resume();
  assert.deepEqual(journals.removed, [over.sessionId], 'nothing is left of the other session');
  assert.deepEqual(
    control.started.map(({ timeline }) => timeline),
    [left.memory, left.memory],
  );
  assert.equal(journals.opened, 1, 'one copy for all accounts');
  assert.equal(library.inUse, 0);
  assert.equal(timers.filter(({ delayMs }) => delayMs === LIVE_DELIVERY_MS).length, 2);
  const [first, second] = control.started.map(({ run }) => run.runId) as [string, string];
  control.listener.settled(first);
  await until(async () => (await standings(left.sessionId)).some(({ state }) => state === 'completed'));
  assert.equal(journals.removed.length, 1);
  control.listener.settled(second);
  await until(() => journals.removed.includes(left.sessionId));
});

test('J5: the journal of a session that ends goes when its last run has ended, and at once if there is none', async (t) => {
  const client = await api.client('custom');
  const [empty, busy] = [session(), session()];
  const { live, control, journals } = deliveries(t);
  await live.opened(empty.memory, 'live');
  await client.webhook();
  await live.opened(busy.memory, 'live');
  live.ended(empty.sessionId);
  assert.deepEqual(journals.removed, [empty.sessionId]);
  const { runId } = control.started[0]!.run;
  live.ended(busy.sessionId);
  assert.equal(journals.removed.length, 1, 'deliveries are left');
  control.listener.settled(runId);
  await until(() => journals.removed.length === 2);
  assert.deepEqual(
    (await standings(busy.sessionId)).map(({ state }) => state),
    ['completed'],
  );
});

test('J2: a run waits while its recording is compiled; a missing recording ends only its own run', async (t) => {
  const client = await api.client('custom');
  await client.webhook();
  const [gone, slow] = [session(), session()];
  const first = deliveries(t);
  for (const { memory } of [gone, slow]) await first.live.opened(memory, 'live');
  const { live, control, library } = deliveries(t);
  library.prepare = async (sessionId) =>
    library.states.get(sessionId) ?? { status: 'failed', reason: 'there is no recording of this session' };
  library.states.set(slow.sessionId, { status: 'preparing', progress: 0.5 });
  const resumed = live.resume();
  await pause(50);
  assert.equal(control.started.length, 0);
  library.shelf.set(slow.sessionId, steadyTimeline(5, 10));
  await resumed;
  assert.deepEqual(
    control.started.map(({ run }) => run.sessionId),
    [slow.sessionId],
  );
  assert.equal((await standings(gone.sessionId))[0]!.state, 'stopped');
});

test('J2: a run whose recording is missing ends also if the database is away in that moment, unless it has moved', async (t) => {
  const client = await api.client('custom');
  await client.webhook();
  const store = postgresLiveRunStore(api.sql);
  for (const moves of [false, true]) {
    const { sessionId, memory } = session();
    await deliveries(t).live.opened(memory, 'live');
    let failures = 3;
    const { live, library } = deliveries(t, {
      store: { ...store, end: (...args) => (failures-- > 0 ? Promise.reject(new Error('away')) : store.end(...args)) },
      owns: () => !(moves && failures < 3),
    });
    let silences = 2;
    const status = library.status.bind(library);
    library.status = async (id) => {
      if (silences-- > 0) throw new RecordingsUnreachable(new Error('away'));
      return status(id);
    };
    library.prepare = async () => ({ status: 'failed', reason: 'there is no recording of this session' });
    await live.resume();
    assert.equal((await standings(sessionId))[0]!.state, moves ? 'running' : 'stopped');
    await api.sql`update run set state = 'stopped', ended_at = now() where session_id = ${sessionId} and state = 'running'`;
  }
});

test('J2: if a recording cannot be compiled now, a later start delivers it', async (t) => {
  const client = await api.client('custom');
  await client.webhook();
  const { sessionId, memory } = session();
  await deliveries(t).live.opened(memory, 'live');
  const failing = deliveries(t);
  failing.library.states.set(sessionId, { status: 'failed', reason: 'no space left on the disk' });
  failing.library.prepare = failing.library.status;
  await failing.live.resume();
  assert.equal(failing.control.started.length, 0);
  assert.equal((await standings(sessionId))[0]!.state, 'running');
  const next = deliveries(t);
  next.library.shelf.set(sessionId, steadyTimeline(5, 10));
  await next.live.resume();
  assert.equal(next.control.started.length, 1);
});

test('J2: what is left of a session for whose updates there is no room is delivered once there is', async (t) => {
  const [client, other] = [await api.client('custom'), await api.client('custom')];
  await client.webhook();
  await other.webhook();
  const { sessionId, memory } = session();
  await deliveries(t).live.opened(memory, 'live');
  const moved = new Set<string>();
  const { live, control, library, timers } = deliveries(t, { owns: (accountId) => !moved.has(accountId) });
  library.shelf.set(sessionId, steadyTimeline(5, 10));
  library.full = true;
  await live.resume();
  const look = async () => {
    const waiting = timers.filter(({ delayMs }) => delayMs === ROOM_LOOK_MS);
    for (const timer of waiting) {
      timers.splice(timers.indexOf(timer), 1);
      timer.callback();
    }
    assert.equal(waiting.length, 2);
    await pause(50);
  };
  await look();
  assert.equal(control.started.length, 0);
  library.full = false;
  // Another node is its home by now.
  moved.add(other.accountId);
  await look();
  await until(() => control.started.length === 1);
  assert.equal(control.started[0]!.run.accountId, client.accountId);
  assert.deepEqual(
    timers.map(({ delayMs }) => delayMs),
    [LIVE_DELIVERY_MS],
  );
  moved.clear();
  await live.gain((accountId) => accountId === other.accountId);
  await until(() => control.started.length === 2);
});

test('what is left of a session is not delivered here if its account moves while its updates are opened', async (t) => {
  const client = await api.client('custom');
  await client.webhook();
  const { sessionId, memory } = session();
  await deliveries(t).live.opened(memory, 'live');
  let isHere = true;
  const { live, control, library } = deliveries(t, { owns: () => isHere });
  library.shelf.set(sessionId, steadyTimeline(5, 10));
  const { open } = library;
  t.mock.method(library, 'open', (id: string) => {
    isHere = false;
    return open.call(library, id);
  });
  await live.resume();
  assert.equal(control.started.length, 0);
  assert.equal(library.inUse, 0);
});

test('J2: what waits for room when the service stops is left to the next start', async (t) => {
  const client = await api.client('custom');
  await client.webhook();
  const { sessionId, memory } = session();
  await deliveries(t).live.opened(memory, 'live');
  const first = deliveries(t);
  first.library.full = true;
  await first.live.resume();
  first.live.close();
  assert.deepEqual(first.timers, []);
  const next = deliveries(t);
  next.library.shelf.set(sessionId, steadyTimeline(5, 10));
  await next.live.resume();
  assert.equal(next.control.started.length, 1);
});

test('a live session is not also resumed from a recording', async (t) => {
  const client = await api.client('custom');
  await client.webhook();
  const { sessionId, memory } = session();
  const { live, control, library } = deliveries(t);
  library.shelf.set(sessionId, steadyTimeline(5, 10));
  await live.opened(memory, 'live');
  await live.resume();
  assert.equal(control.started.length, 1);
});

test('a run that cannot start while the database is unavailable starts once it is back', async (t) => {
  const client = await api.client('custom');
  await client.webhook();
  const webhooks = postgresWebhookStore(api.sql);
  let failures = 4;
  const { memory } = session();
  const { live, control } = deliveries(t, {
    webhooks: {
      ...webhooks,
      findAll: (ids) => (failures-- > 0 ? Promise.reject(new Error('away')) : webhooks.findAll(ids)),
    },
  });
  await live.opened(memory, 'live');
  assert.equal(control.started.length, 1);
});

test('closing does not wait for an unavailable database, and the next start resumes the run', async (t) => {
  const client = await api.client('custom');
  await client.webhook();
  const store = postgresLiveRunStore(api.sql);
  const { sessionId, memory } = session();
  const { live, control } = deliveries(t, { store: { ...store, end: () => Promise.reject(new Error('away')) } });
  await live.opened(memory, 'live');
  live.ended(sessionId);
  control.listener.settled(control.started[0]!.run.runId);
  live.close();
  await pause(30);
  assert.equal((await standings(sessionId))[0]!.state, 'running');
  const next = deliveries(t);
  next.library.shelf.set(sessionId, steadyTimeline(5, 10));
  await next.live.resume();
  assert.equal(next.control.started.length, 1);
});

test('with many accounts at once each gets one run, even if endpoints are created meanwhile', async (t) => {
  const clients = await Promise.all(Array.from({ length: 12 }, () => api.client('custom')));
  await Promise.all(clients.map((client) => client.webhook()));
  const { sessionId, memory } = session();
  const { live, control } = deliveries(t);
  await Promise.all([
    live.opened(memory, 'live'),
    ...clients.map(async (client) => {
      await live.endpointCreated(client.accountId, await client.webhook());
    }),
  ]);
  const kept = await standings(sessionId);
  assert.equal(kept.length, 24);
  const known = new Set([
    ...control.started.flatMap(({ endpoints }) => endpoints.map(({ webhookId }) => webhookId)),
    ...control.joined.flatMap(({ endpoints }) => endpoints.map(({ webhookId }) => webhookId)),
  ]);
  assert.equal(known.size, 24, 'the engine knows every endpoint');
  assert.equal(control.started.length, 12, 'one run for each account');
});
