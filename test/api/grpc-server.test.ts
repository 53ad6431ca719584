// The gRPC listener by itself: TLS, bounds of connections, and what it does while the main thread is silent.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type ClientHttp2Stream, connect as connectHttp2, constants } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { credentials, status } from '@grpc/grpc-js';
import { GrpcConnections } from '#api/grpc/grpc-connections.ts';
import type { FromGrpc } from '#api/grpc/grpc-messages.ts';
import { type GrpcServerParts, listenForGrpc } from '#api/grpc/grpc-server.ts';
import { authorityCertificate, LOCALHOST_CERTIFICATE } from '#bench/receivers/localhost-certificate.ts';
import { systemClock } from '#engine/base/clock.ts';
import {
  GRPC_ADDRESS_CONNECTIONS_MAX,
  GRPC_CHECK_MS,
  GRPC_FIRST_CALL_MS,
  GRPC_MESSAGES_MAX,
  GRPC_REVOKED_UNREAD_MS,
  GRPC_UNREAD_MS,
} from '#engine/base/limits.ts';
import { STREAM_CELLS, StreamMeter } from '#engine/delivery/meter/stream-meter.ts';
import { allowanceCell } from '#engine/delivery/usage/allowance.ts';
import { grpcClient } from '#test/support/grpc-client.ts';
import { WrittenTimeline } from '#test/support/live-timelines.ts';
import { eventually } from '#test/support/patience.ts';
import { ALL_TIMING, NO_DELIVERIES } from '#test/support/stream-stage.ts';

interface Scope {
  after(end: () => unknown): void;
}

async function listening(scope: Scope, parts: Partial<GrpcServerParts> = {}) {
  const posted: FromGrpc[] = [];
  const listener = await listenForGrpc({
    host: '127.0.0.1',
    port: 0,
    tls: null,
    post: (message) => posted.push(message),
    groupOf: (address) => address,
    clock: systemClock,
    meter: new StreamMeter(new Float64Array(STREAM_CELLS)),
    watch: () => () => {},
    later: setImmediate,
    hold: () => {},
    deliveries: NO_DELIVERIES,
    ...parts,
  });
  scope.after(() => listener.close());
  return { listener, posted, address: `127.0.0.1:${listener.port}` };
}

function tcp(scope: Scope, port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {}).resume();
  scope.after(() => socket.destroy());
  return socket;
}

test('over TLS a call comes in with its token, and is answered', async (t) => {
  const { cert_file_name, key_file_name } = LOCALHOST_CERTIFICATE;
  const [cert, key] = [readFileSync(cert_file_name, 'utf8'), readFileSync(key_file_name, 'utf8')];
  const { listener, posted } = await listening(t, { tls: { cert, key } });
  const tls = credentials.createSsl(authorityCertificate());
  const client = grpcClient(`localhost:${listener.port}`, 'some-token', { tls });
  t.after(() => client.close());
  const answer = client.ask('Sessions', { limit: 1 });
  const call = await eventually('the call', () => posted.find((message) => message.kind === 'call'));
  assert.deepEqual(call, {
    kind: 'call',
    call: 1,
    wish: { method: 'Sessions', request: { limit: 1 } },
    authorization: 'Bearer some-token',
    forwardedFor: '',
    peer: '127.0.0.1',
  });
  listener.receive({ kind: 'answered', call: 1, answer: { sessions: [], total: 3 } });
  assert.equal((await answer).total, 3);
  assert.deepEqual(posted.at(-1), { kind: 'left', call: 1 });
});

test('a client that leaves before it is answered is reported, and an answer after that changes nothing', async (t) => {
  const { listener, posted, address } = await listening(t);
  const client = grpcClient(address, 'some-token');
  t.after(() => client.close());
  const stream = client.subscribe({ session: 'live' });
  await eventually('the call', () => posted.length === 1);
  stream.leave();
  await eventually('that it has left', () => posted.length === 2);
  assert.deepEqual(posted[1], { kind: 'left', call: 1 });
  listener.receive({ kind: 'end', call: 1, code: 'stopping' });
  listener.receive({
    kind: 'opened',
    call: 1,
    feeds: { filters: {}, subscriptions: [] },
    endless: true,
    awaited: [],
    lanes: [],
  });
  assert.equal(posted.length, 2);
});

test('a listener that closes ends its streams with UNAVAILABLE, and a stream that has not been opened too', async (t) => {
  const { listener, posted, address } = await listening(t);
  const client = grpcClient(address, 'some-token');
  t.after(() => client.close());
  const [open, asked] = [client.subscribe({ session: 'live' }), client.subscribe({ session: 'live' })];
  await eventually('both calls', () => posted.length === 2);
  listener.receive({
    kind: 'opened',
    call: 1,
    feeds: { filters: {}, subscriptions: [] },
    endless: true,
    awaited: [],
    lanes: [],
  });
  await eventually('the first cursor', () => open.firstCursor() === 'none');
  await listener.close();
  for (const stream of [open, asked]) {
    assert.equal((await stream.ended()).code, status.UNAVAILABLE);
    assert.equal(stream.code(), 'stopping');
  }
});

/** A listener whose patience with calls that are not read ends when the test says so, and a connection that reads little. */
async function unread(scope: Scope, patienceMs = GRPC_UNREAD_MS) {
  const patience: (() => void)[] = [];
  const schedule = (delayMs: number, callback: () => void): (() => void) => {
    if (delayMs !== patienceMs) return systemClock.schedule(delayMs, callback);
    patience.push(callback);
    return () => patience.splice(patience.indexOf(callback), 1);
  };
  const stage = await listening(scope, { clock: { ...systemClock, schedule } });
  const session = connectHttp2(`http://${stage.address}`, { settings: { initialWindowSize: 512 } });
  scope.after(() => session.destroy());
  const open = (path: string): ClientHttp2Stream => {
    const head = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' };
    return session.request(head).on('error', () => {});
  };
  const call = (method: string): ClientHttp2Stream => {
    const stream = open(`/slipstream.v1.Updates/${method}`);
    stream.end(Buffer.alloc(5));
    return stream;
  };
  /** What other calls of the connection get. */
  const another = async (): Promise<number> => {
    const before = stage.posted.length;
    const stream = call('Sessions');
    const { call: no } = await eventually('another call', () =>
      stage.posted.slice(before).find((message) => message.kind === 'call'),
    );
    const head = new Promise<number>((resolve) => stream.once('response', (headers) => resolve(headers[':status']!)));
    stage.listener.receive({ kind: 'answered', call: no, answer: { sessions: [], total: 0 } });
    return head;
  };
  return { ...stage, patience, open, call, another };
}

/** A stream whose client reads none of its updates. */
async function unreadStream(scope: Scope, patienceMs = GRPC_UNREAD_MS) {
  const stage = await unread(scope, patienceMs);
  const { listener, posted } = stage;
  const stream = stage.call('Subscribe');
  await eventually('the call', () => posted.length === 1);
  const { memory } = new WrittenTimeline().publish(100);
  const lane = { key: 'one', shared: memory, sessionId: 'small-race', from: 0, isDemo: false } as const;
  listener.receive({
    kind: 'opened',
    call: 1,
    feeds: ALL_TIMING,
    endless: true,
    awaited: [],
    lanes: [{ ...lane, pace: { kind: 'live' }, allowance: allowanceCell() }],
  });
  await eventually('its first bytes', () => stream.readableLength > 0);
  return { ...stage, stream };
}

test('a stream that has ended waits for its client to read, then is reset; its connection stays', async (t) => {
  const { listener, stream, patience, another } = await unreadStream(t);
  listener.receive({ kind: 'end', call: 1, code: 'stream_behind' });
  assert.equal(await another(), 200);
  const [giveUp] = patience;
  assert.ok(giveUp !== undefined, 'it waits still');
  giveUp();
  await eventually('the end of the stream', () => stream.destroyed);
  assert.equal(stream.rstCode, constants.NGHTTP2_CANCEL);
  assert.equal(await another(), 200);
});

test('a stream whose token was revoked is reset within a second if its client reads nothing', async (t) => {
  assert.ok(GRPC_REVOKED_UNREAD_MS < 1_000);
  const { listener, stream, patience } = await unreadStream(t, GRPC_REVOKED_UNREAD_MS);
  listener.receive({ kind: 'end', call: 1, code: 'unauthorized' });
  const [giveUp] = patience;
  assert.ok(giveUp !== undefined, 'it waits a moment');
  giveUp();
  await eventually('the end of the stream', () => stream.destroyed);
  assert.equal(stream.rstCode, constants.NGHTTP2_CANCEL);
});

test('an answer waits for its client to read, then its call is reset; one that is read is not waited for', async (t) => {
  const { listener, posted, patience, call } = await unread(t);
  const [unwilling, willing] = [call('Snapshot'), call('Snapshot')];
  await eventually('both calls', () => posted.length === 2);
  const state = { feed: 'timing.data', sequence: 1, utc: { seconds: 0, nanos: 0 }, json: Buffer.alloc(10_000) };
  const head = { session_id: 'small-race', series_id: 'f1', live: true, sequence: 1, update_count: 1 };
  for (const no of [1, 2]) listener.receive({ kind: 'answered', call: no, answer: { ...head, states: [state] } });
  await eventually('both answers', () => patience.length === 2);
  willing.resume();
  await eventually('the end of the one', () => willing.destroyed && patience.length === 1);
  assert.equal(willing.rstCode, constants.NGHTTP2_NO_ERROR);
  assert.ok(!unwilling.destroyed);
  patience[0]!();
  await eventually('the end of the other', () => unwilling.destroyed);
  assert.equal(unwilling.rstCode, constants.NGHTTP2_CANCEL);
});

const REFLECTION = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';

/** A framed request for the file of a symbol. */
function reflectionRequest(): Buffer {
  const symbol = Buffer.from('slipstream.v1.Updates');
  return Buffer.concat([Buffer.from([0, 0, 0, 0, symbol.length + 2, 0x22, symbol.length]), symbol]);
}

test('who asks without end and reads no answer is reset, with all that waits for it', async (t) => {
  const { patience, open } = await unread(t);
  const endless = open(REFLECTION);
  for (let i = 0; i <= GRPC_MESSAGES_MAX; i++) endless.write(reflectionRequest());
  const [giveUp] = await eventually('its refusal', () => patience.length === 1 && patience);
  giveUp!();
  await eventually('the end of the call', () => endless.destroyed);
  assert.equal(endless.rstCode, constants.NGHTTP2_CANCEL);
  assert.equal(patience.length, 0);
});

test('as many questions as a call may have are answered; answers that nobody reads are not waited for', async (t) => {
  const { patience, open } = await unread(t);
  const [willing, unwilling] = [open(REFLECTION), open(REFLECTION)];
  let bytes = 0;
  const ended = new Promise<unknown>((resolve) => willing.once('trailers', (head) => resolve(head['grpc-status'])));
  willing.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  for (const call of [willing, unwilling]) {
    for (let i = 0; i < GRPC_MESSAGES_MAX; i++) call.write(reflectionRequest());
    call.end();
  }
  assert.equal(await ended, String(status.OK));
  assert.ok(bytes > GRPC_MESSAGES_MAX * 500, `${bytes} bytes of answers`);
  const [giveUp] = await eventually('one that is waited for', () => patience.length === 1 && patience);
  giveUp!();
  await eventually('its end', () => unwilling.destroyed);
});

test('GC1: an address has a bounded number of connections, a trusted proxy has not', async (t) => {
  const counted = await listening(t);
  const sockets = Array.from({ length: GRPC_ADDRESS_CONNECTIONS_MAX + 1 }, () => tcp(t, counted.listener.port));
  await eventually('the end of one', () => sockets.some(({ destroyed }) => destroyed));
  assert.equal(sockets.filter(({ destroyed }) => destroyed).length, 1);
  for (const socket of sockets) socket.destroy();
  const trusted = await listening(t, { groupOf: () => null });
  const proxied = Array.from({ length: GRPC_ADDRESS_CONNECTIONS_MAX + 1 }, () => tcp(t, trusted.listener.port));
  await Promise.all(proxied.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
  await pause(100);
  assert.ok(proxied.every(({ destroyed }) => !destroyed));
});

test('GC2: connections of one client port to two addresses of the listener are two, and one that brings no call is closed', async (t) => {
  const sockets: Socket[] = [];
  let nowMs = 0;
  const checks: (() => Promise<void>)[] = [];
  const every = (_: number, check: () => Promise<void>): (() => void) => {
    checks.push(check);
    return () => {};
  };
  const connections = new GrpcConnections({
    clock: { ...systemClock, nowMs: () => nowMs, every },
    take: (socket) => sockets.push(socket),
    groupOf: (address) => address,
  });
  const port = await connections.listen('0.0.0.0', 0);
  t.after(() => {
    connections.close();
    connections.end();
  });
  const dial = async (host: string, localPort?: number): Promise<Socket> => {
    const socket = connect({ host, port, localAddress: '127.0.0.1', ...(localPort !== undefined && { localPort }) });
    t.after(() => socket.destroy());
    await once(socket, 'connect');
    return socket;
  };
  const first = await dial('127.0.0.1');
  const second = await dial('127.0.0.2', first.localPort);
  await eventually('both', () => sockets.length === 2);
  assert.equal(second.localPort, first.localPort);
  assert.equal(connections.size, 2);
  connections.called(sockets.find(({ localAddress }) => localAddress === '127.0.0.2')!);
  nowMs = GRPC_FIRST_CALL_MS + 1;
  const ended = once(first, 'close');
  await checks[0]!();
  await ended;
  await eventually('that one has left', () => connections.size === 1);
  const cut = once(second, 'close');
  connections.end();
  await cut;
});

test('GC3: a connection that keeps sending more than a client has to say is closed', async (t) => {
  const { listener } = await listening(t);
  const socket = tcp(t, listener.port);
  socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  socket.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]));
  const ping = Buffer.from([0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
  const burst = Buffer.concat(Array.from({ length: 400 }, () => ping));
  const startedMs = performance.now();
  while (!socket.destroyed && performance.now() - startedMs < 4 * GRPC_CHECK_MS) {
    socket.write(burst);
    await pause(10);
  }
  assert.ok(socket.destroyed);
  assert.ok(performance.now() - startedMs > 200, 'not by the library');
});
