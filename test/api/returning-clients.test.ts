// Event streams as browsers read them: an EventSource opens a stream that ended again, with the last id that it has seen.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Agent, EventSource } from 'undici';
import { type Client, until, withApi } from '#test/support/api-harness.ts';
import { steadyTimeline } from '#test/support/timelines.ts';

const api = await withApi({ after });
const { control } = api;
await api.session('2026-short-race', { timeline: steadyTimeline(40, 20, 'session.status') });
await api.session('2026-long-race', { timeline: steadyTimeline(1_000, 200, 'session.status') });

interface Seen {
  readonly type: string;
  readonly id: string;
  readonly sequence: number | undefined;
  readonly state: string | undefined;
  readonly runId: string | undefined;
}

/** An EventSource whose requests carry the client's token. Collects its events, and the statuses of its requests. */
function eventSource(client: Client, query: string, address = api.address) {
  const statuses: number[] = [];
  const dispatcher = new Agent().compose((dispatch) => (options, handler) => {
    const { onResponseStart } = handler;
    handler.onResponseStart = (controller, status, headers, text) => {
      statuses.push(status);
      return onResponseStart?.call(handler, controller, status, headers, text);
    };
    const headers = { ...(options.headers as Record<string, string>), authorization: `Bearer ${client.token}` };
    return dispatch({ ...options, headers }, handler);
  });
  const source = new EventSource(`${address}/v1/simulate/stream?${query}`, {
    node: { dispatcher, reconnectionTime: 20 },
  });
  const events: Seen[] = [];
  for (const type of ['run', 'session.status', 'message'])
    source.addEventListener(type, (event) => {
      const { data, lastEventId } = event as unknown as { readonly data: string; readonly lastEventId: string };
      const { sequence, state, runId } = JSON.parse(data);
      events.push({ type, id: lastEventId, sequence, state, runId });
    });
  after(() => source.close());
  return { source, events, statuses, dispatcher };
}

const sequencesOf = (events: readonly Seen[]) => events.flatMap(({ sequence }) => sequence ?? []);
const runsOf = async (client: Client) => (await client.call('GET', '/v1/simulate/runs')).body.data;
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** Opens a stream as an EventSource that comes back does. */
function comeBack(client: Client, query: string, id: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${api.address}/v1/simulate/stream?${query}`, {
    headers: { authorization: `Bearer ${client.token}`, 'last-event-id': id },
    ...(signal !== undefined && { signal }),
  });
}

test('an EventSource gets a replay once: when it comes back after the end, it gets 204', async () => {
  const client = await api.client('free');
  const { source, events, statuses } = eventSource(client, 'session=2026-short-race&speed=10');
  await until(() => source.readyState === EventSource.CLOSED);
  assert.deepEqual(statuses, [200, 204]);
  assert.deepEqual(sequencesOf(events), upTo(40));
  assert.deepEqual(
    events.filter(({ type }) => type === 'run').map(({ state }) => state),
    ['running', 'completed'],
  );
  assert.equal((await runsOf(client)).total, 1);
});

test('an EventSource whose connection was lost continues its run behind the last update that it has seen', async () => {
  const client = await api.client('free');
  const { events, source, dispatcher } = eventSource(client, 'session=2026-long-race&speed=10');
  await until(() => events.length > 5);
  await dispatcher.destroy();
  await until(async () => (await runsOf(client)).runs[0].state === 'stopped');
  source.close();
  const last = events.at(-1)!;
  const again = await comeBack(client, 'session=2026-long-race&speed=10', last.id);
  assert.equal(again.status, 200);
  let text = '';
  for await (const bytes of again.body!) {
    text += Buffer.from(bytes as Uint8Array);
    if (text.includes('event: session.status')) break;
  }
  assert.match(text, new RegExp(`^id: ${last.sequence! + 1}\nevent: session.status$`, 'm'));
  const { total, runs } = await runsOf(client);
  assert.deepEqual([total, runs[0].runId], [1, events[0]!.runId]);
});

test('a client that lost its connection before the first update gets its run from the beginning, not another one', async () => {
  const client = await api.client('free');
  const leave = new AbortController();
  const query = 'session=2026-long-race&speed=10';
  const first = await comeBack(client, query, '', leave.signal);
  const { value } = await first.body!.getReader().read();
  const id = /^id: (.*)$/m.exec(Buffer.from(value!).toString())![1]!;
  leave.abort();
  // Until the service has noticed, its run is still being watched.
  await until(async () => (await runsOf(client)).runs[0].state !== 'running');
  assert.equal((await comeBack(client, query, id)).status, 200);
  assert.equal((await runsOf(client)).total, 1);
});

test('a run that was stopped on request is over for a client that comes back', async () => {
  const client = await api.client('free');
  const { source, events, statuses } = eventSource(client, 'session=2026-long-race');
  await until(() => events.length > 0);
  const { runId } = events[0]!;
  const leave = new AbortController();
  await client.call('DELETE', `/v1/simulate/stream?runId=${runId}`);
  await until(() => source.readyState === EventSource.CLOSED);
  assert.deepEqual(statuses, [200, 204]);
  // Also for one that has missed the last event.
  assert.equal((await comeBack(client, 'session=2026-long-race', '1', leave.signal)).status, 204);
  assert.equal((await runsOf(client)).total, 1);
});

test('a second connection takes the stream over: the first one ends and does not come back', async () => {
  const client = await api.client('free');
  const leave = new AbortController();
  const { source, events, statuses } = eventSource(client, 'session=2026-long-race&speed=10');
  await until(() => events.length > 2);
  const second = await comeBack(client, 'session=2026-long-race&speed=10', '1', leave.signal);
  assert.equal(second.status, 200);
  await until(() => source.readyState === EventSource.CLOSED);
  assert.deepEqual(statuses, [200, 204]);
  assert.equal((await runsOf(client)).runs[0].state, 'running');
  leave.abort();
});

test('a visual run plays at the speed with which its client comes back, as the same run, also while it is paused', async () => {
  const client = await api.client('free');
  const query = 'session=2026-long-race&speed=0.5';
  const first = new AbortController();
  const slow = await comeBack(client, query, '', first.signal);
  await slow.body!.getReader().read();
  const { runId } = (await runsOf(client)).runs[0];

  // The stream is taken over.
  const second = new AbortController();
  const quick = (await comeBack(client, 'session=2026-long-race&speed=2', '100', second.signal)).body!.getReader();
  const begin = Buffer.from((await quick.read()).value!).toString();
  assert.match(begin, /"speed":2,.*"state":"running"/);
  await until(async () => (await runsOf(client)).runs[0].speed === 2);
  await client.call('POST', `/v1/simulate/runs/${runId}/pause`, {});
  const third = new AbortController();
  const paused = (await comeBack(client, 'session=2026-long-race&speed=5', '100', third.signal)).body!.getReader();
  assert.match(Buffer.from((await paused.read()).value!).toString(), /"speed":5,.*"state":"paused"/);

  // The stream was left.
  third.abort();
  await until(async () => (await runsOf(client)).runs[0].state === 'stopped');
  const rest = await (await comeBack(client, 'session=2026-long-race&speed=10', '900')).text();
  assert.match(rest, /"speed":10,.*id: 901\n.*id: 1000\n.*"state":"completed"/s);
  const { runs, total } = await runsOf(client);
  assert.deepEqual([total, runs[0].runId, runs[0].speed], [1, runId, 10]);
});

test('a run that delivers keeps its speed', async () => {
  const client = await api.client('developer');
  await client.webhook();
  const query = 'session=2026-long-race&sinks=both';
  const first = new AbortController();
  await (await comeBack(client, `${query}&speed=5`, '', first.signal)).body!.getReader().read();
  const again = (await comeBack(client, `${query}&speed=10`, '1', first.signal)).body!.getReader();
  assert.match(Buffer.from((await again.read()).value!).toString(), /"speed":5,/);
  first.abort();
});

test('with both sinks, the deliveries of a run that its client has left continue with the client', async () => {
  const client = await api.client('developer');
  await client.webhook();
  const query = 'session=2026-long-race&speed=10&sinks=both';
  const first = new AbortController();
  const response = await comeBack(client, query, '', first.signal);
  await response.body!.getReader().read();
  const { runId } = (await runsOf(client)).runs[0];
  first.abort();
  await until(() => control.stopped.includes(runId));
  await until(async () => (await runsOf(client)).runs[0].state === 'stopped');
  await api.sql`update run_endpoint set next_position = 17 where run_id = ${runId}`;
  const second = new AbortController();
  assert.equal((await comeBack(client, query, '15', second.signal)).status, 200);
  const parts = control.started.filter(({ run }) => run.runId === runId);
  assert.deepEqual(
    parts.map(({ resumed }) => resumed),
    [false, true],
  );
  assert.equal((await runsOf(client)).runs[0].state, 'running');
  second.abort();
});

test('a client that comes back while its run is just ending is asked to come again', async (t) => {
  const client = await api.client('developer');
  await client.webhook();
  control.settlesOnStop = false;
  t.after(() => {
    control.settlesOnStop = true;
  });
  const query = 'session=2026-long-race&sinks=both';
  const leave = new AbortController();
  const first = await comeBack(client, query, '', leave.signal);
  await first.body!.getReader().read();
  const { runId } = (await runsOf(client)).runs[0];
  leave.abort();
  await until(() => control.stopped.includes(runId));
  const again = await comeBack(client, query, '1');
  assert.deepEqual([again.status, await again.text()], [200, 'retry: 2000\n\n']);
  control.listener.settled(runId);
});

test('a run that its client has left cannot continue beside another one (409)', async () => {
  const client = await api.client('developer');
  const leave = new AbortController();
  const first = await comeBack(client, 'session=2026-long-race', '', leave.signal);
  await first.body!.getReader().read();
  leave.abort();
  await until(async () => (await runsOf(client)).runs[0].state === 'stopped');
  await client.webhook();
  await client.call('GET', '/v1/simulate/stream?session=2026-short-race&speed=1&sinks=webhook');
  const again = await comeBack(client, 'session=2026-long-race', '1');
  assert.equal(again.status, 409);
});

test('a client whose run is not known any more gets a new one from its id on; an id that is not ours is 400', async () => {
  const client = await api.client('free');
  const text = await (await comeBack(client, 'session=2026-short-race&speed=10', '30')).text();
  assert.equal(text.match(/^event: session.status$/gm)!.length, 10);
  const wrong = await comeBack(client, 'session=2026-short-race', 'abc');
  assert.equal(wrong.status, 400);
  assert.match(((await wrong.json()) as { error: string }).error, /Last-Event-ID/);
});

test('after a restart, a client that comes back continues its visual run', async () => {
  const client = await api.client('free');
  const { listening } = await api.restarted();
  const query = 'session=2026-long-race&speed=10';
  const { events, source } = eventSource(client, query, `http://127.0.0.1:${listening.port}`);
  await until(() => events.length > 3);
  source.close();
  await listening.close();
  await until(async () => (await runsOf(client)).runs[0].state === 'stopped');
  const again = await comeBack(client, query, '2');
  assert.equal(again.status, 200);
  assert.deepEqual([(await runsOf(client)).total, (await runsOf(client)).runs[0].state], [1, 'running']);
});
