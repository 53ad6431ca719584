// Streams of replays: they show what a run plays, as it plays it.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { DERIVER_VERSION } from '#engine/racing/derive/deriver-version.ts';
import { type EventStream, openStream } from '#test/contract/event-stream.ts';
import { type Client, until, withApi } from '#test/support/api-harness.ts';
import { steadyTimeline } from '#test/support/timelines.ts';
import { runOf, settleRun, start } from '../replay-calls.ts';

const api = await withApi({ after });
const SESSION = '2026-monza-race';
const COUNT = 200;
/** At a speed of 1 there are 50 updates a second. */
const timeline = steadyTimeline(COUNT, 20, 'session.status', SESSION);
await api.session(SESSION, { timeline });

const upTo = (last: number, first = 1): number[] => Array.from({ length: last - first + 1 }, (_, i) => first + i);
const open = (client: Client, query: string, lastEventId = ''): Promise<EventStream> =>
  openStream(api.address, client.token, query, lastEventId);
const ask = (client: Client, runId: string, what: string, body?: unknown) =>
  client.call('POST', `/v1/simulate/runs/${runId}/${what}`, body);

async function reached(runId: string, position: number): Promise<void> {
  await api.sql`update run_endpoint set next_position = ${position} where run_id = ${runId}`;
}

/** Waits until nothing comes any more. */
async function still(stream: EventStream): Promise<number> {
  for (let before = -1; ; await pause(100)) {
    const count = stream.sequences().length;
    if (count === before) return count;
    before = count;
  }
}

test('a stream keeps step with a replay that is paused, moved, resumed and stopped', async () => {
  const client = await api.client('developer');
  const runId = await start(client);
  const whole = await open(client, `run=${runId}&after=0`);
  await whole.updates(10);
  await ask(client, runId, 'pause');
  const paused = await still(whole);
  assert.deepEqual(whole.sequences(), upTo(paused));
  await ask(client, runId, 'seek', { sequence: 101 });
  const joined = await open(client, `run=${runId}`);
  assert.equal(await still(whole), paused, 'a move while it is paused sends nothing');
  await ask(client, runId, 'resume');
  for (const stream of [whole, joined]) await stream.updates(stream.sequences().length + 5);
  await client.call('DELETE', `/v1/simulate/stream?runId=${runId}`);
  for (const stream of [whole, joined]) {
    await stream.ended();
    assert.equal(stream.end()?.code, 'completed');
  }
  const last = whole.sequences().at(-1)!;
  assert.ok(last < COUNT);
  assert.deepEqual(whole.sequences(), [...upTo(paused), ...upTo(last, 101)]);
  assert.deepEqual(joined.sequences(), upTo(joined.sequences().at(-1)!, 101));
});

test('a run that was completed comes whole and at once, one that was stopped up to where it was', async () => {
  const client = await api.client('developer');
  const completed = await start(client);
  await settleRun(api, client, completed);
  const whole = await open(client, `run=${completed}`);
  await whole.ended();
  assert.deepEqual(whole.sequences(), upTo(COUNT));
  const end = await open(client, `run=${completed}&after=${COUNT - 3}`);
  await end.ended();
  assert.deepEqual(end.sequences(), upTo(COUNT, COUNT - 2));
  const stopped = await start(client);
  await reached(stopped, 30);
  await client.call('DELETE', `/v1/simulate/stream?runId=${stopped}`);
  await until(async () => (await runOf(client, stopped)).endedAt !== null);
  const part = await open(client, `run=${stopped}`);
  await part.ended();
  assert.deepEqual([part.sequences(), part.end()?.code], [upTo(30), 'completed']);
  assert.equal((await open(client, `run=${stopped}`, part.lastId())).status, 204);
});

test("a stream of a replay continues exactly after the service's restart", async () => {
  const client = await api.client('developer');
  const runId = await start(client);
  const before = await open(client, `run=${runId}&after=0`);
  await before.updates(12);
  before.leave();
  const got = before.sequences();
  await reached(runId, 15);
  const second = await api.restarted();
  await second.app.start();
  const address = `http://127.0.0.1:${second.listening.port}`;
  const rest = await openStream(address, client.token, `run=${runId}`, before.lastId());
  await rest.updates(20);
  second.control.listener.settled(runId);
  await rest.ended();
  assert.deepEqual([...got, ...rest.sequences()], upTo(COUNT), 'what is left of a run that is completed comes at once');
  await settleRun(api, client, runId);
});

test('only the runs of the account can be streamed, and only places of their session continue', async () => {
  const [client, stranger] = [await api.client('developer'), await api.client('custom')];
  const runId = await start(client);
  const foreign = await open(stranger, `run=${runId}`);
  assert.deepEqual([foreign.status, foreign.refusal?.code], [404, 'not_found']);
  const other = await open(client, `run=${runId}`, `another-race:3~${DERIVER_VERSION}`);
  assert.deepEqual([other.status, other.refusal?.code], [400, 'invalid_query']);
  const ahead = await open(client, `run=${runId}`, `${SESSION}:${COUNT + 50}~${DERIVER_VERSION}`);
  await ahead.ended();
  assert.deepEqual([ahead.sequences(), ahead.end()?.code], [[], 'completed'], 'a place beyond the end has seen all');
  await settleRun(api, client, runId);
  assert.equal(api.library.inUse, 0);
});

test('SM3: the stream of a replay that is only watched takes the slot of its session', async () => {
  const client = await api.client('free');
  const leaving = new AbortController();
  const watching = await fetch(`${api.address}/v1/simulate/stream?session=${SESSION}`, {
    headers: { authorization: `Bearer ${client.token}` },
    signal: leaving.signal,
  });
  assert.equal(watching.status, 200);
  const { runs } = (await client.call('GET', '/v1/simulate/runs')).body.data;
  assert.deepEqual((await client.call('GET', '/v1/simulate/quota')).body.unlocked, []);
  const stream = await open(client, `run=${runs[0].runId}`);
  await stream.updates(3);
  leaving.abort();
  await stream.ended();
  assert.equal(stream.end()?.code, 'completed', 'it ends with its run');
  assert.ok(stream.sequences().length < COUNT);
  assert.deepEqual((await client.call('GET', '/v1/simulate/quota')).body.unlocked, [SESSION]);
});
