// Both ends of the port between operators and live sessions, each tested against a stand-in for the other.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { AdminError } from '#api/admin/admin-error.ts';
import { listenForOperators } from '#api/admin/admin-listener.ts';
import { Ingest } from '#api/admin/ingest.ts';
import { LiveClient } from '#api/admin/live-client.ts';
import { LiveHost } from '#api/admin/live-host.ts';
import type { LiveReply, LiveRequest } from '#api/admin/live-requests.ts';
import { Metrics } from '#api/admin/metrics.ts';
import { RequestMeter } from '#api/http/request-meter.ts';
import { newMeters } from '#engine/delivery/meter/meters.ts';
import { ThreadMeter } from '#engine/delivery/meter/thread-meter.ts';
import { LocalFrameLog } from '#engine/intake/live/frame-log.ts';
import type { LiveSession } from '#engine/intake/live/live-session.ts';
import { SessionProgress } from '#engine/intake/live/session-progress.ts';
import { until } from '#test/support/api-harness.ts';
import { followSessions } from '#test/support/live-sessions.ts';
import { eventually } from '#test/support/patience.ts';
import { PrometheusText } from '#test/support/prometheus-text.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { heartbeat, heartbeats, ndjson } from './operators.ts';

const ID = '2026-club-race';

/** A live thread that replies only when the test does. */
function standIn(t: TestContext, client: LiveClient) {
  const { port1: port, port2 } = new MessageChannel();
  const asked: LiveRequest[] = [];
  port.on('message', (request: LiveRequest) => asked.push(request));
  t.after(() => port.close());
  client.attach(port2);
  const reply = (message: LiveReply): void => port.postMessage(message);
  return { asked, reply, die: () => port.close() };
}

/** Live sessions behind a host that the test sends single messages to. */
function hosted(t: TestContext) {
  const followed = followSessions(temporaryFolder(t));
  const { sessions, catalogue, time, log } = followed;
  const ingest = new Ingest({ sessions, frames: new LocalFrameLog(sessions), catalogue, clock: time });
  const replies: LiveReply[] = [];
  let connected = false;
  const serve = (hostPort: MessagePort): LiveHost => {
    const failed = (error: Error): void => assert.fail(error);
    const host = new LiveHost({ port: hostPort, ingest, sessions, connected: () => connected, log, failed });
    t.after(() => host.close());
    return host;
  };
  const { port1, port2: port } = new MessageChannel();
  port.on('message', (reply: LiveReply) => replies.push(reply));
  const host = serve(port1);
  const ask = (request: LiveRequest): void => port.postMessage(request);
  const part = (request: number, text: string): void =>
    ask({ kind: 'body.part', request, bytes: Uint8Array.from(Buffer.from(text)) });
  const came = (kind: LiveReply['kind'], count = 1): Promise<void> =>
    until(() => replies.filter((reply) => reply.kind === kind).length >= count);
  const connect = (): void => {
    connected = true;
  };
  return { ...followed, port, host, serve, replies, ask, part, came, connect };
}

const isUnavailable = (error: unknown): boolean =>
  error instanceof AdminError && error.statusCode === 503 && error.code === 'unavailable';

test('Q1: without a live thread every request fails with 503 unavailable', async () => {
  const client = new LiveClient();
  await assert.rejects(client.progress(ID), isUnavailable);
  await assert.rejects(client.end(ID), isUnavailable);
  await assert.rejects(client.feed(ID, Readable.from([]), null), isUnavailable);
});

test('Q1: when the live thread dies, pending requests fail; the progress of its sessions stays visible, but not as connected', async (t) => {
  const client = new LiveClient();
  const first = standIn(t, client);
  const progress = new SessionProgress();
  progress.write(3, 2, 1_000);
  first.reply({ kind: 'sessions', sessions: [{ sessionId: ID, progress: progress.memory }], connected: true });
  await until(() => client.connected);
  const body = new Readable({ read() {} });
  const asked = [client.progress(ID), client.end(ID), client.feed(ID, body, null)];
  body.push('half a line');
  await until(() => first.asked.length === 4);
  first.die();
  for (const outcome of await Promise.allSettled(asked))
    assert.ok(outcome.status === 'rejected' && isUnavailable(outcome.reason));
  assert.equal(client.connected, false);
  assert.equal(client.sessions.get(ID)?.frames, 3);
  assert.equal(body.listenerCount('data'), 0);
  const second = standIn(t, client);
  const again = client.progress(ID);
  await until(() => second.asked.length === 1);
  const { request } = second.asked[0]!;
  second.reply({ kind: 'done', request, ingested: { sessionId: ID, accepted: 0, repeated: 0, lastSequence: 3 } });
  assert.equal((await again).lastSequence, 3);
});

test('Q1: pending requests also fail if the live thread is replaced before its death is noticed', async (t) => {
  const client = new LiveClient();
  const first = standIn(t, client);
  const asked = client.progress(ID);
  await until(() => first.asked.length === 1);
  standIn(t, client);
  await assert.rejects(asked, isUnavailable);
});

test('Q2: at most one part of a body is under way', async (t) => {
  const client = new LiveClient();
  const thread = standIn(t, client);
  const body = new Readable({ read() {} });
  const fed = client.feed(ID, body, 'karting');
  body.push('one\n');
  await until(() => thread.asked.length === 2);
  const { request } = thread.asked[0]!;
  assert.deepEqual(thread.asked[0], { kind: 'feed', request, sessionId: ID, seriesId: 'karting' });
  for (const text of ['two\n', 'three\n']) body.push(text);
  body.push(null);
  await pause(20);
  assert.equal(thread.asked.length, 2);
  thread.reply({ kind: 'taken', request });
  await until(() => thread.asked.length === 3);
  thread.reply({ kind: 'taken', request });
  await until(() => thread.asked.length === 4);
  const texts = thread.asked.slice(1).map((asked) => (asked.kind === 'body.part' ? `${Buffer.from(asked.bytes)}` : ''));
  assert.deepEqual(texts, ['one\n', 'two\nthree\n', '']);
  assert.deepEqual(thread.asked[3], { kind: 'body.end', request });
  thread.reply({ kind: 'refused', request, statusCode: 409, code: 'session_over', message: 'Over.' });
  await assert.rejects(fed, (error) => error instanceof AdminError && error.code === 'session_over');
});

test('a live thread that never replies does not block metrics: they show that it hangs, and how far its sessions got', async (t) => {
  const client = new LiveClient();
  const thread = standIn(t, client);
  const progress = new SessionProgress();
  progress.write(7, 5, 1_000);
  thread.reply({ kind: 'sessions', sessions: [{ sessionId: ID, progress: progress.memory }], connected: true });
  const time = new SimulatedTime();
  const meters = newMeters(1);
  const { figures } = new ThreadMeter(new Float64Array(meters.live));
  figures.add('starts');
  figures.set('seenAtMs', 1_000);
  time.spend(31_000);
  const metrics = new Metrics({
    live: client,
    hasTiming: true,
    meters,
    requests: RequestMeter.of([]).counts,
    clock: time,
    dataDir: temporaryFolder(t),
    databaseConnections: async () => 1,
    journalBacklog: async () => ({ rows: 0, attempts: 0, ageMs: 0 }),
    version: '0.0.0',
  });
  const log = { info() {}, warn() {}, error() {} };
  const listener = await listenForOperators({
    host: '127.0.0.1',
    port: 0,
    token: null,
    ingest: client,
    metrics,
    page: null,
    log,
  });
  t.after(() => listener.close());
  const origin = `http://127.0.0.1:${listener.port}`;
  const waiting = new AbortController();
  const waits = fetch(`${origin}/v1/ingest/${ID}`, { signal: waiting.signal });
  waits.catch(() => {});
  await until(() => thread.asked.length === 1);
  const answer = await fetch(`${origin}/metrics`, { signal: AbortSignal.timeout(1_000) });
  const read = new PrometheusText(await answer.text());
  assert.equal(read.sum('slipstream_thread_silent_seconds', { thread: 'live' }), 30);
  assert.equal(read.sum('slipstream_live_frames', { session: ID }), 7);
  assert.equal(read.sum('slipstream_live_updates', { session: ID }), 5);
  assert.equal(read.sum('slipstream_live_silent_seconds', { session: ID }), 30);
  waiting.abort();
});

test('the host reports a part as taken once its lines are in the session', async (t) => {
  const live = hosted(t);
  live.ask({ kind: 'feed', request: 1, sessionId: ID, seriesId: null });
  live.part(1, ndjson(heartbeats(3)));
  await live.came('taken');
  assert.equal(live.sessions.get(ID)?.frames, 3);
  live.part(1, ndjson([heartbeat(4)]));
  live.ask({ kind: 'body.end', request: 1 });
  await live.came('done');
  const ingested = { sessionId: ID, accepted: 4, repeated: 0, lastSequence: 4 };
  assert.deepEqual(live.replies.at(-1), { kind: 'done', request: 1, ingested });
});

test('the host reports live sessions and the connection before it replies, and again only when they change', async (t) => {
  const live = hosted(t);
  await live.came('sessions');
  assert.deepEqual(live.replies, [{ kind: 'sessions', sessions: [], connected: false }]);
  const feed = async (request: number, sequence: number): Promise<void> => {
    live.ask({ kind: 'feed', request, sessionId: ID, seriesId: null });
    live.part(request, ndjson([heartbeat(sequence)]));
    live.ask({ kind: 'body.end', request });
    await live.came('done', request);
  };
  await feed(1, 1);
  await feed(2, 2);
  assert.deepEqual(
    live.replies.map(({ kind }) => kind),
    ['sessions', 'taken', 'sessions', 'done', 'taken', 'done'],
  );
  const { progress } = live.sessions.get(ID)!;
  assert.deepEqual(live.replies[2], {
    kind: 'sessions',
    sessions: [{ sessionId: ID, progress: progress.memory }],
    connected: false,
  });
  live.connect();
  live.host.report();
  live.host.report();
  live.ask({ kind: 'end', request: 3, sessionId: ID });
  await live.came('done', 3);
  assert.deepEqual(
    live.replies.slice(6).map((reply) => (reply.kind === 'sessions' ? [reply.sessions.length, reply.connected] : [])),
    [[1, true], [0, true], []],
  );
  const begin = (sessionId: string) => live.sessions.begin({ sessionId, seriesId: 'f1', origin: 'test' }, 0);
  const one = begin('2026-one-race') as LiveSession;
  live.host.report();
  await live.sessions.end(one);
  begin('2026-other-race');
  live.host.report();
  await live.came('sessions', 6);
  const last = live.replies.at(-1)!;
  assert.deepEqual(last.kind === 'sessions' && last.sessions.map(({ sessionId }) => sessionId), ['2026-other-race']);
});

test('a sender that is cut off frees its session, even if the whole operators thread is gone', async (t) => {
  const live = hosted(t);
  live.ask({ kind: 'feed', request: 1, sessionId: ID, seriesId: null });
  live.part(1, `${ndjson([heartbeat(1)])}{"half`);
  await live.came('taken');
  live.ask({ kind: 'body.cut', request: 1 });
  live.ask({ kind: 'feed', request: 2, sessionId: ID, seriesId: null });
  live.part(2, ndjson([heartbeat(2)]));
  await live.came('taken', 2);
  const gone = once(live.port, 'close');
  live.port.close();
  await gone;
  const next = new LiveClient();
  const { port1, port2 } = new MessageChannel();
  live.serve(port1);
  next.attach(port2);
  const line = Buffer.from(ndjson([heartbeat(3)]));
  // The other side notices a moment later that a port has closed.
  const fed = () => next.feed(ID, Readable.from([line]), null).catch(() => null);
  assert.equal((await eventually('the session is free', fed)).lastSequence, 3);
  assert.deepEqual(live.log.errors, [], 'a client that disconnects is not logged as an error');
  assert.ok(live.replies.every(({ kind }) => kind === 'sessions' || kind === 'taken'));
});

test('a closed host processes no more messages that have already arrived', async (t) => {
  const live = hosted(t);
  const asked = Promise.withResolvers<void>();
  const found = Promise.withResolvers<null>();
  live.catalogue.find = () => {
    asked.resolve();
    return found.promise;
  };
  live.ask({ kind: 'feed', request: 1, sessionId: ID, seriesId: null });
  live.part(1, ndjson([heartbeat(1)]));
  await asked.promise;
  await pause(20);
  live.host.close();
  found.resolve(null);
  await pause(20);
  assert.equal(live.sessions.get(ID), null);
  assert.deepEqual(live.log.errors, []);
});
