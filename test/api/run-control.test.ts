import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { RUN_PAUSED_MS_MAX } from '#engine/base/limits.ts';
import { type Client, until, withApi } from '#test/support/api-harness.ts';
import { smallTimeline } from '#test/support/timelines.ts';
import { runOf, settleRun, start } from './replay-calls.ts';

const api = await withApi({ after });
const { control } = api;
/** 200 updates, one a second. */
const timeline = smallTimeline(
  Array.from({ length: 200 }, (_, index) => ({ dueMs: index * 1_000, feed: 'session.status' as const })),
);
await api.session('2026-monza-race', { timeline });

const ask = (client: Client, runId: string, what: string, body?: unknown) =>
  client.call('POST', `/v1/simulate/runs/${runId}/${what}`, body);
const partsOf = (runId: string) => control.started.filter(({ run }) => run.runId === runId);

async function running(): Promise<{ client: Client; runId: string }> {
  const client = await api.client('free');
  await client.webhook();
  return { client, runId: await start(client) };
}

async function reached(runId: string, position: number): Promise<void> {
  await api.sql`update run_endpoint set next_position = ${position} where run_id = ${runId}`;
}

test('RC4: a paused run holds nothing, is still in progress, and continues from its checkpoints', async () => {
  const { client, runId } = await running();
  const inUse = api.library.inUse;
  await reached(runId, 20);
  const paused = await ask(client, runId, 'pause');
  assert.deepEqual([paused.status, paused.body.data], [200, { runId, state: 'paused', position: 20 }]);
  assert.deepEqual([control.parked.includes(runId), api.library.inUse], [true, inUse - 1]);
  assert.equal((await runOf(client, runId)).state, 'paused');
  const second = await client.call('GET', '/v1/simulate/stream?session=2026-monza-race&sinks=webhook');
  assert.deepEqual([second.status, second.body.code], [409, 'replay_running']);
  assert.equal((await ask(client, runId, 'pause')).status, 200, 'again');
  const resumed = await ask(client, runId, 'resume');
  assert.deepEqual([resumed.status, resumed.body.data], [200, { runId, state: 'running', position: 20 }]);
  const [first, part] = partsOf(runId);
  assert.deepEqual([first!.resumed, part!.resumed], [false, true]);
  assert.ok(part!.run.pacedFromMs < first!.run.pacedFromMs - 10_000, 'position 20 is due now');
  const again = await ask(client, runId, 'resume');
  assert.deepEqual([again.status, again.body.code], [409, 'not_paused']);
  await settleRun(api, client, runId);
  for (const what of ['pause', 'resume']) {
    const over = await ask(client, runId, what);
    assert.deepEqual([over.status, over.body.code], [409, 'not_running']);
  }
});

test('RC1: while attempts under way are still ending, a pause is 202, and what follows waits for it', async (t) => {
  const { client, runId } = await running();
  control.parksAtOnce = false;
  t.after(() => {
    control.parksAtOnce = true;
  });
  assert.equal((await ask(client, runId, 'pause')).status, 202);
  assert.equal((await ask(client, runId, 'resume')).status, 202);
  assert.equal(partsOf(runId).length, 1);
  control.listener.parked!(runId);
  await until(() => partsOf(runId).length === 2);
  await settleRun(api, client, runId);
});

test('RC2: a seek moves every endpoint that is not there yet, by sequence, lap, time or seconds', async () => {
  const { client, runId } = await running();
  const positions = async () => {
    const rows = await api.sql<{ position: number }[]>`
      select next_position as position from run_endpoint where run_id = ${runId}`;
    return rows.map(({ position }) => position);
  };
  const startMs = timeline.info.startUtcMs;
  for (const [body, position] of [
    [{ sequence: 31 }, 30],
    [{ seconds: 39.5 }, 40],
    [{ time: new Date(startMs + 50_000).toISOString() }, 50],
  ] as const) {
    const { status, body: answer } = await ask(client, runId, 'seek', body);
    assert.deepEqual([status, answer.data], [200, { runId, state: 'running', position }]);
    assert.deepEqual(await positions(), [position]);
    assert.equal(partsOf(runId).at(-1)!.resumed, true);
  }
  await ask(client, runId, 'pause');
  const paused = await ask(client, runId, 'seek', { sequence: 101 });
  assert.deepEqual(paused.body.data, { runId, state: 'paused', position: 100 });
  for (const [body, text] of [
    [{}, /exactly one of sequence, lap, time and seconds is required, and none of them is given/],
    [{ sequence: 3, lap: 1 }, /only one of .* can name the place, and sequence and lap are given/],
    [{ sequence: 201 }, /sequence must be at most 200/],
    [{ lap: 2 }, /counts no laps/],
    [{ time: 'noon' }, /time must be a time of the session/],
  ] as const) {
    const { status, body: refusal } = await ask(client, runId, 'seek', body);
    assert.deepEqual([status, refusal.code], [400, 'invalid_body']);
    assert.match(refusal.error, text);
  }
  await ask(client, runId, 'resume');
  await settleRun(api, client, runId);
});

test('RC3: a run that delivers does not move back (409)', async () => {
  const { client, runId } = await running();
  await reached(runId, 20);
  const { status, body } = await ask(client, runId, 'seek', { sequence: 20 });
  assert.deepEqual([status, body.code], [409, 'seek_back']);
  assert.ok(body.error.includes(`DELETE /v1/simulate/stream?runId=${runId}`), body.error);
  const next = /GET (\/v1\/simulate\/stream\?\S+)\.$/.exec(body.error)![1]!;
  await client.call('DELETE', `/v1/simulate/stream?runId=${runId}`);
  const again = await client.call('GET', next);
  assert.equal(again.status, 202, `the next step works: ${next}`);
  assert.equal((await runOf(client, again.body.data.runId)).position, 19);
  await settleRun(api, client, again.body.data.runId);
});

async function restarted() {
  const { app, control, listening } = await api.restarted();
  await app.start();
  const headers = (client: Client) => ({ authorization: `Bearer ${client.token}` });
  return {
    control,
    listening,
    ask: (client: Client, runId: string, what: string) =>
      fetch(`http://127.0.0.1:${listening.port}/v1/simulate/runs/${runId}/${what}`, {
        method: 'POST',
        headers: headers(client),
      }),
  };
}

/** Where the endpoints of a run stand. */
async function positionsOf(runId: string): Promise<number[]> {
  const rows = await api.sql<{ position: number }[]>`
    select next_position as position from run_endpoint where run_id = ${runId} order by webhook_id`;
  return rows.map(({ position }) => position);
}

test('a seek that was answered with 202 is carried out by the next process, if this one dies before it', async (t) => {
  const { client, runId } = await running();
  const other = await running();
  control.parksAtOnce = false;
  t.after(() => {
    control.parksAtOnce = true;
  });
  await reached(runId, 20);
  assert.equal((await ask(other.client, other.runId, 'pause')).status, 202);
  for (const one of [{ client, runId }, other]) {
    const { status, body } = await ask(one.client, one.runId, 'seek', { sequence: 101 });
    assert.deepEqual([status, body.data.position < 100], [202, true]);
    assert.ok((await positionsOf(one.runId))[0]! < 100, 'it has not been carried out');
  }
  const back = await ask(client, runId, 'seek', { sequence: 91 });
  assert.deepEqual([back.status, back.body.code], [409, 'seek_back'], 'not before what was accepted');
  const again = await restarted();
  const parts = () => again.control.started.filter(({ run }) => run.runId === runId);
  assert.deepEqual([await positionsOf(runId), parts().map(({ resumed }) => resumed)], [[100], [true]]);
  assert.ok(parts()[0]!.run.pacedFromMs < partsOf(runId)[0]!.run.pacedFromMs - 50_000, 'position 100 is due now');
  assert.deepEqual(await positionsOf(other.runId), [100]);
  assert.equal((await runOf(other.client, other.runId)).state, 'paused');
  await again.ask(other.client, other.runId, 'resume');
  for (const one of [{ client, runId }, other]) {
    again.control.listener.settled(one.runId);
    await until(async () => (await runOf(one.client, one.runId)).state === 'completed');
  }
  await again.listening.close();
});

test('a pause and a resume that were answered with 202 hold for the next process, also behind another change', async (t) => {
  const [holds, plays] = [await running(), await running()];
  control.parksAtOnce = false;
  t.after(() => {
    control.parksAtOnce = true;
  });
  for (const [one, ...changes] of [
    [holds, 'seek', 'pause'],
    [plays, 'pause', 'resume', 'pause', 'resume'],
  ] as const)
    for (const what of changes)
      assert.equal(
        (await ask(one.client, one.runId, what, what === 'seek' ? { sequence: 31 } : undefined)).status,
        202,
      );
  const states = async () => [
    (await runOf(holds.client, holds.runId)).state,
    (await runOf(plays.client, plays.runId)).state,
  ];
  assert.deepEqual(await states(), ['paused', 'running']);
  const again = await restarted();
  assert.deepEqual(
    again.control.started.map(({ run }) => run.runId).filter((id) => [holds.runId, plays.runId].includes(id)),
    [plays.runId],
  );
  // In this process, too, the last request counts, and the engine gets the run once.
  for (const { runId } of [holds, plays]) control.listener.parked!(runId);
  await until(() => partsOf(plays.runId).length === 2);
  assert.deepEqual([partsOf(holds.runId).length, await states()], [1, ['paused', 'running']]);
  await again.ask(holds.client, holds.runId, 'resume');
  for (const one of [holds, plays]) {
    again.control.listener.settled(one.runId);
    await until(async () => (await runOf(one.client, one.runId)).state === 'completed');
  }
  await again.listening.close();
});

test('a seek that was accepted is forgotten when the run ends, and carried out once', async (t) => {
  const { client, runId } = await running();
  const wished = async () => (await api.sql`select seek_position from run where run_id = ${runId}`)[0]!.seek_position;
  await ask(client, runId, 'seek', { sequence: 31 });
  assert.deepEqual([await wished(), await positionsOf(runId)], [null, [30]]);
  control.parksAtOnce = false;
  t.after(() => {
    control.parksAtOnce = true;
  });
  await ask(client, runId, 'seek', { sequence: 41 });
  assert.equal(await wished(), 40);
  await client.call('DELETE', `/v1/simulate/stream?runId=${runId}`);
  await until(async () => (await runOf(client, runId)).state === 'stopped');
  assert.deepEqual([await wished(), await positionsOf(runId)], [null, [30]]);
});

/** Lets no endpoint be moved until this is called, or the test ends. */
async function refuseJumps(t: { after(end: () => unknown): void }): Promise<() => Promise<unknown>> {
  const allow = async () => api.sql`drop function if exists refuse_jump cascade`;
  t.after(allow);
  await api.sql`
    create function refuse_jump() returns trigger language plpgsql as $$ begin raise exception 'away'; end $$`;
  await api.sql`create trigger refused before update on run_endpoint for each row execute function refuse_jump()`;
  return allow;
}

test('a run that is stopped while a seek is under way is handed to the engine once, to be stopped', async (t) => {
  const { client, runId } = await running();
  const allow = await refuseJumps(t);
  assert.equal((await ask(client, runId, 'seek', { sequence: 31 })).status, 202);
  const stopped = await client.call('DELETE', `/v1/simulate/stream?runId=${runId}`);
  assert.equal(stopped.body.data.state, 'stopped');
  await allow();
  await until(async () => (await positionsOf(runId))[0] === 30);
  // What follows a seek has been done when a later one of another run has.
  const other = await running();
  assert.equal((await ask(other.client, other.runId, 'seek', { sequence: 31 })).status, 200);
  await settleRun(api, other.client, other.runId);
  assert.equal(partsOf(runId).length, 2);
  assert.equal((await runOf(client, runId)).state, 'stopped');
});

test('a seek whose statement fails is carried out when the database is back', async (t) => {
  const { client, runId } = await running();
  const allow = await refuseJumps(t);
  assert.equal((await ask(client, runId, 'seek', { sequence: 31 })).status, 202);
  assert.deepEqual(await positionsOf(runId), [0]);
  await allow();
  await until(() => partsOf(runId).length === 2);
  assert.deepEqual(await positionsOf(runId), [30]);
  await settleRun(api, client, runId);
});

test('a paused run that is stopped skips what its checkpoints hold, and counts no update that was not due', async () => {
  const { client, runId } = await running();
  await reached(runId, 20);
  await ask(client, runId, 'pause');
  const { body } = await client.call('DELETE', `/v1/simulate/stream?runId=${runId}`);
  assert.equal(body.data.state, 'stopped');
  assert.deepEqual([partsOf(runId).length, control.stopped.includes(runId)], [2, true]);
  const [first, stopping] = partsOf(runId);
  assert.deepEqual([first!.run.end, stopping!.run.end], [undefined, 20]);
});

test('RC6: a run for which there is no room stays paused (503): it can be resumed, moved and stopped', async (t) => {
  const fill = (full: boolean) => {
    api.library.full = full;
  };
  t.after(() => fill(false));
  for (const what of ['resume', 'seek', 'stop'] as const) {
    const { client, runId } = await running();
    await ask(client, runId, 'pause');
    fill(true);
    const refused = await ask(client, runId, 'resume');
    assert.deepEqual([refused.status, refused.body.code], [503, 'unavailable']);
    assert.equal((await runOf(client, runId)).state, 'paused');
    if (what === 'stop') {
      const { status, body } = await client.call('DELETE', `/v1/simulate/stream?runId=${runId}`);
      assert.deepEqual([status, body.data.state], [200, 'stopped']);
      fill(false);
      continue;
    }
    fill(false);
    if (what === 'seek') assert.equal((await ask(client, runId, 'seek', { sequence: 31 })).status, 200);
    assert.equal((await ask(client, runId, 'resume')).status, 200);
    assert.equal(partsOf(runId).length, 2);
    await settleRun(api, client, runId);
  }
});

test('RC6: a run whose endpoints cannot be read is paused, holds nothing, and goes on once they can', async (t) => {
  const { client, runId } = await running();
  await ask(client, runId, 'pause');
  const inUse = api.library.inUse;
  const name = async (from: string, to: string) => {
    await api.sql`alter table ${api.sql(from)} rename to ${api.sql(to)}`;
  };
  await name('webhook', 'webhook_away');
  let isAway = true;
  const back = async () => {
    if (isAway) await name('webhook_away', 'webhook');
    isAway = false;
  };
  t.after(back);
  assert.equal((await ask(client, runId, 'resume')).status, 500);
  await back();
  assert.equal((await runOf(client, runId)).state, 'paused');
  assert.equal(api.library.inUse, inUse);
  assert.equal((await ask(client, runId, 'resume')).status, 200);
  assert.equal(partsOf(runId).length, 2);
  await settleRun(api, client, runId);
});

test('RC6: a run that loses its room during a seek is paused, and goes on when there is room', async (t) => {
  const { client, runId } = await running();
  control.parksAtOnce = false;
  t.after(() => {
    control.parksAtOnce = true;
    api.library.full = false;
  });
  assert.equal((await ask(client, runId, 'seek', { sequence: 31 })).status, 202);
  api.library.full = true;
  control.listener.parked!(runId);
  await until(async () => (await runOf(client, runId)).state === 'paused');
  api.library.full = false;
  const resumed = await ask(client, runId, 'resume');
  assert.deepEqual([resumed.status, resumed.body.data.position], [200, 30]);
  await settleRun(api, client, runId);
});

test('a run that a node is still resuming is paused all the same, and the engine gets it once', async () => {
  const [holds, plays] = [await running(), await running()];
  api.library.shelf.delete('2026-monza-race');
  const again = await api.restarted();
  const gained = again.app.gain(() => true);
  await until(() => api.library.states.get('2026-monza-race')?.status === 'preparing');
  const there = (one: { client: Client; runId: string }, what: string) =>
    fetch(`http://127.0.0.1:${again.listening.port}/v1/simulate/runs/${one.runId}/${what}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${one.client.token}` },
    });
  for (const [one, what] of [
    [holds, 'pause'],
    [plays, 'pause'],
    [plays, 'resume'],
  ] as const)
    assert.equal((await there(one, what)).status, 202, 'it is not done yet');
  api.library.shelf.set('2026-monza-race', timeline);
  await gained;
  await until(() => again.control.parked.includes(holds.runId));
  const handed = again.control.started.map(({ run }) => run.runId);
  assert.deepEqual(
    [holds, plays].map((one) => handed.filter((runId) => runId === one.runId).length),
    [1, 1],
  );
  // What follows a change has been done when a later one has.
  assert.equal((await there(plays, 'pause')).status, 200);
  assert.deepEqual(again.control.parked.toSorted(), [holds.runId, plays.runId].toSorted());
  assert.equal((await there(plays, 'resume')).status, 200);
  await there(holds, 'resume');
  for (const one of [holds, plays]) {
    again.control.listener.settled(one.runId);
    await until(async () => (await runOf(one.client, one.runId)).state === 'completed');
  }
  await again.listening.close();
});

test('after a restart a paused run is still paused, continues on request, and is stopped when its time is over', async () => {
  const { client, runId } = await running();
  const other = await running();
  await reached(runId, 20);
  for (const one of [{ client, runId }, other]) await ask(one.client, one.runId, 'pause');
  await api.sql`
    update run set paused_at = now() - ${RUN_PAUSED_MS_MAX - 300}::float8 * interval '1 millisecond'
    where run_id = ${other.runId}`;
  const {
    app,
    control: again,
    listening,
    address,
  } = await api.restarted().then((restarted) => ({
    ...restarted,
    address: `http://127.0.0.1:${restarted.listening.port}`,
  }));
  await app.start();
  assert.equal(again.started.length, 0);
  assert.equal((await runOf(client, runId)).state, 'paused');
  const response = await fetch(`${address}/v1/simulate/runs/${runId}/resume`, {
    method: 'POST',
    headers: { authorization: `Bearer ${client.token}` },
  });
  assert.equal(response.status, 200);
  assert.deepEqual(
    again.started.filter(({ run }) => run.runId === runId).map(({ resumed }) => resumed),
    [true],
  );
  await until(() => again.stopped.includes(other.runId));
  again.listener.settled(runId);
  await until(async () => (await runOf(client, runId)).state === 'completed');
  await listening.close();
});

test('a visual run is paused, moved in both directions and continued while its client watches', async () => {
  const client = await api.client('free');
  const response = await fetch(`${api.address}/v1/simulate/stream?session=2026-monza-race&speed=10`, {
    headers: { authorization: `Bearer ${client.token}` },
  });
  let text = '';
  const reading = (async () => {
    for await (const bytes of response.body!) text += Buffer.from(bytes as Uint8Array);
  })();
  await until(() => text.includes('id: 3\n'));
  const { runId } = (await client.call('GET', '/v1/simulate/runs')).body.data.runs[0];
  assert.equal((await ask(client, runId, 'pause')).body.data.state, 'paused');
  const before = text.split('event: session.status').length;
  await ask(client, runId, 'seek', { sequence: 198 });
  assert.equal((await ask(client, runId, 'seek', { sequence: 2 })).body.data.position, 1);
  assert.equal(text.split('event: session.status').length, before, 'nothing while it is paused');
  await ask(client, runId, 'resume');
  await until(() => text.match(/^id: 2$/gm)!.length === 2);
  await ask(client, runId, 'seek', { sequence: 199 });
  await reading;
  assert.match(text, /"state":"paused".*"state":"running".*id: 199\n.*id: 200\n.*"state":"completed"/s);
});

test('a replay begins where its start says: every endpoint of it at that position', async () => {
  const client = await api.client('free');
  await client.webhook();
  const { status, body } = await client.call(
    'GET',
    '/v1/simulate/stream?session=2026-monza-race&sinks=webhook&seconds=150',
  );
  assert.deepEqual([status, body.data.expectedDeliveries], [202, 50]);
  const { runId } = body.data;
  const [part] = partsOf(runId);
  assert.equal(part!.resumed, true, 'from its checkpoints');
  assert.equal((await runOf(client, runId)).position, 150);
  await settleRun(api, client, runId);
  const wrong = await client.call('GET', '/v1/simulate/stream?session=2026-monza-race&sequence=1&lap=1');
  assert.deepEqual([wrong.status, wrong.body.code], [400, 'invalid_query']);
});

test('a replay with ordered=true is ordered, also when it continues', async () => {
  const client = await api.client('free');
  await client.webhook();
  const runId = await start(client, 'session=2026-monza-race&ordered=true');
  await ask(client, runId, 'pause');
  await ask(client, runId, 'resume');
  assert.deepEqual(
    partsOf(runId).map(({ run }) => run.ordered),
    [true, true],
  );
  assert.equal((await runOf(client, runId)).ordered, true);
  await settleRun(api, client, runId);
});

test('GET /simulate/runs: by state, session and sinks', async () => {
  const { client, runId } = await running();
  const count = async (query: string) => (await client.call('GET', `/v1/simulate/runs?${query}`)).body.data;
  assert.deepEqual([(await count('state=running')).total, (await count('state=paused')).total], [1, 0]);
  await ask(client, runId, 'pause');
  assert.deepEqual([(await count('state=running')).total, (await count('state=paused')).total], [0, 1]);
  assert.equal((await count('state=paused&sinks=webhook&session=2026-monza-race')).runs[0].runId, runId);
  assert.deepEqual([(await count('sinks=both')).total, (await count('session=demo-race')).runs], [0, []]);
  assert.equal((await client.call('GET', '/v1/simulate/runs?state=gone')).status, 400);
  await ask(client, runId, 'resume');
  await settleRun(api, client, runId);
});

test('the runs of others do not exist (404)', async () => {
  const { client, runId } = await running();
  const stranger = await api.client('free');
  assert.equal((await ask(stranger, runId, 'pause')).status, 404);
  assert.equal((await ask(stranger, 'nothing', 'seek', { sequence: 1 })).status, 404);
  await settleRun(api, client, runId);
});
