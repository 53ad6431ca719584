import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '#engine/base/clock.ts';
import { SSE_REVOKED_UNREAD_MS } from '#engine/base/limits.ts';
import { type Client, until, withApi } from '#test/support/api-harness.ts';
import { smallTimeline, steadyTimeline } from '#test/support/timelines.ts';

const api = await withApi({ after });
const { control } = api;
const mixed = smallTimeline(
  Array.from({ length: 40 }, (_, index) => ({
    dueMs: index * 20,
    feed: index % 4 === 0 ? ('session.status' as const) : ('timing.data' as const),
  })),
);
const endless = steadyTimeline(1_000, 60_000);
/** About 8 MB at once: more than the socket buffers between service and client hold. */
const flood = steadyTimeline(60_000, 0, 'session.status');
await api.session('2026-short-race', { timeline: mixed });
await api.session('2026-endless-race', { timeline: endless });
await api.session('2026-flood-race', { timeline: flood });
await api.session('demo-race', { demo: true, timeline: mixed });

interface SentEvent {
  readonly id: string | null;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: the tests inspect untyped data
  readonly data: any;
}

function eventsOf(text: string): SentEvent[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '' && !block.startsWith(':'))
    .map((block) => {
      const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]));
      return { id: fields.get('id') ?? null, event: fields.get('event')!, data: JSON.parse(fields.get('data')!) };
    });
}

function open(client: Client, query: string, signal?: AbortSignal, lastId = ''): Promise<Response> {
  return fetch(`${api.address}/v1/simulate/stream?${query}`, {
    headers: { authorization: `Bearer ${client.token}`, 'last-event-id': lastId },
    ...(signal === undefined ? {} : { signal }),
  });
}

/** Reads until `enough` accepts the text. */
async function readUntil(response: Response, enough: (text: string) => boolean): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of response.body!) {
    text += decoder.decode(bytes as Uint8Array, { stream: true });
    if (enough(text)) break;
  }
  return text;
}

/** Where the run is when nothing more can be sent to its client. */
async function blockedAt(client: Client, runId: string): Promise<number> {
  for (let before = -1; ; ) {
    const { position } = (await client.call('GET', `/v1/simulate/runs/${runId}`)).body.data;
    if (position === before) return position;
    before = position;
    await pause(100);
  }
}

async function lastRun(client: Client) {
  return (await client.call('GET', '/v1/simulate/runs')).body.data.runs[0];
}

test('a visual replay streams every update of the tier in order, between two run events', async () => {
  const client = await api.client('developer');
  const response = await open(client, 'session=2026-short-race&speed=10');
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  assert.equal(response.headers.get('cache-control'), 'no-store');
  assert.ok(response.headers.get('x-request-id'));
  const events = eventsOf(await response.text());
  const { runId } = events[0]!.data;
  const run = { runId, sessionId: '2026-short-race', speed: 10, updateCount: 40 };
  assert.deepEqual(events[0], { id: null, event: 'run', data: { ...run, state: 'running' } });
  assert.deepEqual(events.at(-1), { id: null, event: 'run', data: { ...run, state: 'completed' } });
  const updates = events.slice(1, -1);
  assert.deepEqual(
    updates.map(({ id }) => Number(id)),
    Array.from({ length: 40 }, (_, index) => index + 1),
  );
  for (const [index, { id, event, data }] of updates.entries()) {
    assert.deepEqual(data, JSON.parse(Buffer.from(mixed.body(index)).toString()));
    assert.deepEqual([data.feed, data.sequence], [event, Number(id)]);
  }
  await until(async () => (await lastRun(client)).state === 'completed');
  assert.deepEqual([(await lastRun(client)).position, (await lastRun(client)).endpoints], [40, []]);
  assert.ok(!control.started.some((started) => started.run.runId === runId), 'nothing is delivered');
});

test('a visual replay shows only the feeds of the tier, and every feed of the demo session', async () => {
  const client = await api.client('free');
  const own = eventsOf(await (await open(client, 'session=2026-short-race&speed=10')).text()).slice(1, -1);
  assert.equal(own.length, 10);
  assert.ok(own.every(({ event }) => event === 'session.status'));
  await until(async () => (await lastRun(client)).endedAt !== null);
  const demo = eventsOf(await (await open(client, 'session=demo-race&speed=10')).text());
  assert.equal(demo.length, 42);
});

test('a visual replay takes no slot', async () => {
  const client = await api.client('free');
  await (await open(client, 'session=2026-short-race&speed=10')).text();
  assert.equal((await client.call('GET', '/v1/simulate/quota')).body.used, 0);
});

test('a visual run ends when the client disconnects', async () => {
  const client = await api.client('developer');
  const watching = new AbortController();
  const response = await open(client, 'session=2026-endless-race', watching.signal);
  assert.equal(response.status, 200);
  assert.equal((await lastRun(client)).state, 'running');
  watching.abort();
  await until(async () => (await lastRun(client)).state === 'stopped');
  assert.equal((await lastRun(client)).position, 1);
});

test('both sinks share one start time, and the deliveries stop when the client disconnects', async () => {
  const client = await api.client('developer');
  await client.webhook();
  const watching = new AbortController();
  const response = await open(client, 'session=2026-endless-race&sinks=both', watching.signal);
  const events = eventsOf(await readUntil(response, (text) => text.includes('"running"') && text.endsWith('\n\n')));
  const { runId } = events[0]!.data;
  const started = control.started.find(({ run }) => run.runId === runId)!;
  assert.equal(started.endpoints.length, 1);
  const elapsedMs = systemClock.nowMs() - started.run.pacedFromMs;
  const shownMs = Date.now() - Date.parse((await lastRun(client)).startedAt);
  assert.ok(elapsedMs <= shownMs + 1, 'it is paced from the start that is shown');
  watching.abort();
  await until(() => control.stopped.includes(runId));
  await until(async () => (await lastRun(client)).state === 'stopped');
});

test('with both sinks, a run whose deliveries settle first keeps streaming to its client and can be stopped', async () => {
  const client = await api.client('developer');
  await client.webhook();
  const response = await open(client, 'session=2026-endless-race&sinks=both');
  const { runId } = await lastRun(client);
  control.listener.settled(runId);
  const second = await open(client, 'session=2026-short-race&sinks=both');
  assert.equal(second.status, 409);
  await second.body!.cancel();
  assert.equal((await lastRun(client)).state, 'running');
  const stopped = await client.call('DELETE', `/v1/simulate/stream?runId=${runId}`);
  assert.deepEqual([stopped.status, stopped.body.data.state], [200, 'stopped']);
  assert.equal(eventsOf(await response.text()).at(-1)!.data.state, 'stopped');
});

test('with both sinks, the stream stays open until the deliveries have settled, and its last event has the final state', async () => {
  const client = await api.client('developer');
  await client.webhook();
  const response = await open(client, 'session=2026-short-race&speed=10&sinks=both');
  const { runId } = await lastRun(client);
  await until(async () => (await lastRun(client)).position === 40);
  assert.equal((await lastRun(client)).state, 'running');
  assert.ok(!control.stopped.includes(runId), 'the end of the session is not a disconnect');
  control.listener.settled(runId);
  assert.equal(eventsOf(await response.text()).at(-1)!.data.state, 'completed');
  await until(async () => (await lastRun(client)).state === 'completed');
});

test('stopping a run ends its stream with a final run event', async () => {
  const client = await api.client('developer');
  const response = await open(client, 'session=2026-endless-race');
  const { runId } = await lastRun(client);
  const stopped = await client.call('DELETE', `/v1/simulate/stream?runId=${runId}`);
  assert.deepEqual([stopped.status, stopped.body.data.state], [200, 'stopped']);
  const events = eventsOf(await response.text());
  assert.equal(events.at(-1)!.data.state, 'stopped');
});

test('VS3: a stream ends at once when its token is revoked or the plan changes, and its run continues with its client', async () => {
  for (const sinks of ['visual', 'both']) {
    const client = await api.client('developer');
    await client.webhook();
    const first = await open(client, `session=2026-endless-race&sinks=${sinks}`);
    const { runId } = await lastRun(client);
    await api.sql`update account set plan = 'custom' where account_id = ${client.accountId}`;
    const { event, data } = eventsOf(await first.text()).at(-1)!;
    assert.deepEqual([event, data.state, data.code], ['stream', 'ended', 'plan_changed']);
    await until(async () => (await lastRun(client)).state !== 'running');
    if (sinks === 'both') control.listener.settled(runId);
    await until(async () => (await lastRun(client)).state === 'stopped');
    const second = await open(client, `session=2026-endless-race&sinks=${sinks}`, undefined, '0');
    assert.equal(second.status, 200);
    assert.deepEqual([(await lastRun(client)).runId, (await lastRun(client)).state], [runId, 'running']);
    await api.sql`delete from access_token where account_id = ${client.accountId}`;
    assert.equal(eventsOf(await second.text()).at(-1)!.data.code, 'unauthorized');
    assert.equal((await open(client, `session=2026-endless-race&sinks=${sinks}`, undefined, '0')).status, 401);
  }
});

test('VS3: a stream whose token is revoked while its client reads nothing is cut within a second', async () => {
  const client = await api.client('developer');
  const response = await open(client, 'session=2026-flood-race');
  const { runId } = await lastRun(client);
  await blockedAt(client, runId);
  await api.sql`delete from access_token where account_id = ${client.accountId}`;
  await pause(SSE_REVOKED_UNREAD_MS + 1_500);
  await assert.rejects(response.text(), 'the connection had gone before it was read');
});

test('I2: the service waits for a client that reads slowly, and the client misses nothing', async () => {
  const client = await api.client('developer');
  const response = await open(client, 'session=2026-flood-race');
  const { runId } = await lastRun(client);
  // The client reads nothing, so the service stops sending long before the end.
  const position = await blockedAt(client, runId);
  assert.ok(position > 0 && position < flood.length, `stopped at ${position}`);
  const updates = eventsOf(await response.text()).slice(1, -1);
  assert.equal(updates.length, flood.length);
  assert.ok(updates.every(({ id }, index) => Number(id) === index + 1));
  await until(async () => (await lastRun(client)).state === 'completed');
});

test('closing the service ends streams with a final run event and leaves unfinished deliveries to the next start', async () => {
  const visual = await api.client('developer');
  const both = await api.client('developer');
  await both.webhook();
  const { listening, control: own } = await api.restarted();
  const address = `http://127.0.0.1:${listening.port}`;
  const watch = async (client: Client, sinks: string) => {
    const headers = { authorization: `Bearer ${client.token}` };
    return fetch(`${address}/v1/simulate/stream?session=2026-endless-race&sinks=${sinks}`, { headers });
  };
  const streams = [await watch(visual, 'visual'), await watch(both, 'both')];
  await listening.close();
  const ends = await Promise.all(streams.map(async (stream) => eventsOf(await stream.text()).at(-1)!.data.state));
  assert.deepEqual(ends, ['stopped', 'running']);
  assert.equal((await lastRun(visual)).state, 'stopped');
  assert.equal((await lastRun(both)).state, 'running');
  assert.equal(own.stopped.length, 0);
});
