// Who may use the operators' listener, and that no request can break it.

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ShardMeter, START_BOUNDS_MS } from '#engine/delivery/meter/shard-meter.ts';
import { until } from '#test/support/api-harness.ts';
import { heartbeat, heartbeats, NDJSON, ndjson, withOperators } from './operators.ts';

const ID = '2026-club-race';
const TOKEN = 'the-token-of-the-operators';

/** Sends the text unchanged and returns everything received until the connection closes. */
function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.end(text));
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(answer));
  });
}

test('if a token is configured, every request needs it, and any Host header is allowed', async (t) => {
  const operators = await withOperators(t, { token: TOKEN });
  for (const authorization of [
    undefined,
    '',
    'Bearer',
    'Bearer ',
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.slice(1)}`,
    TOKEN,
    `Basic ${TOKEN}`,
  ]) {
    const headers = { ...NDJSON, ...(authorization !== undefined && { authorization }) };
    for (const [method, path] of [
      ['POST', `/v1/ingest/${ID}`],
      ['POST', `/v1/ingest/${ID}/end`],
      ['GET', '/metrics'],
      ['GET', '/nothing'],
    ] as const) {
      const { status, body } = await operators.call(method, path, undefined, headers);
      assert.deepEqual([status, body.code], [401, 'unauthorized'], `${authorization} ${path}`);
    }
  }
  assert.deepEqual([...operators.sessions.all()], []);
  const headers = { ...NDJSON, authorization: `bearer ${TOKEN}`, host: 'operators.example.com' };
  assert.equal((await operators.call('POST', `/v1/ingest/${ID}`, ndjson([heartbeat(1)]), headers)).status, 200);
});

test('without a token the listener accepts only local Host headers, and no requests from web pages', async (t) => {
  const operators = await withOperators(t);
  for (const host of ['evil.example.com', 'localhost.evil.example', '127.0.0.1.nip.io', '10.0.0.1', 'localhost@evil']) {
    const { status } = await operators.call('GET', '/metrics', undefined, { host });
    assert.equal(status, 403, host);
  }
  for (const host of ['localhost', 'localhost:9100', '127.0.0.1:1', '[::1]:9100']) {
    assert.equal((await operators.call('GET', '/metrics', undefined, { host })).status, 200, host);
  }
  await operators.feed(ID, [heartbeat(1)]);
  for (const origin of ['https://evil.example.com', 'http://localhost:3000', 'null']) {
    const { status } = await operators.call('POST', `/v1/ingest/${ID}/end`, '', {
      origin,
      'content-type': 'text/plain',
    });
    assert.equal(status, 403, `a page of ${origin} must not end a session`);
  }
  assert.ok(operators.sessions.get(ID));
});

test('a body of another content type gets 415', async (t) => {
  const operators = await withOperators(t);
  for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded', undefined]) {
    const headers = type === undefined ? {} : { 'content-type': type };
    const { status, body } = await operators.call('POST', `/v1/ingest/${ID}`, ndjson([heartbeat(1)]), headers);
    assert.deepEqual([status, body.code], [415, 'unsupported_type'], type);
  }
  const spelled = { 'content-type': 'Application/X-NDJSON; charset=utf-8' };
  assert.equal((await operators.call('POST', `/v1/ingest/${ID}`, ndjson([heartbeat(1)]), spelled)).status, 200);
});

test('an unknown path or method gets an error response and ends no session', async (t) => {
  const operators = await withOperators(t);
  await operators.feed(ID, [heartbeat(1)]);
  for (const path of [
    '//',
    '///',
    '//[',
    '/\\',
    '/v1/ingest',
    '/v1/ingest/',
    `/v1/ingest/${ID}/end/`,
    '/v1//ingest/x',
    '/metrics/',
    '*',
  ]) {
    const answer = await raw(operators.port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 40[04] /, path);
  }
  const absolute = await raw(
    operators.port,
    'GET http://[bad/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
  );
  assert.match(absolute, /^HTTP\/1\.1 40[04] /);
  for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    for (const path of [`/v1/ingest/${ID}`, `/v1/ingest/${ID}/end`, '/metrics']) {
      assert.equal((await operators.call(method, path)).status, 405, `${method} ${path}`);
    }
  }
  assert.equal((await operators.call('POST', '/metrics')).status, 405);
  assert.deepEqual(operators.failures, [], 'no request counts as a failure of the live thread');
});

test('malformed HTTP and oversized headers do not affect other requests', async (t) => {
  const operators = await withOperators(t);
  await raw(operators.port, '\x16\x03\x01 this is TLS\r\n\r\n');
  await raw(operators.port, `GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: ${'y'.repeat(100_000)}\r\n\r\n`);
  await raw(
    operators.port,
    `POST /v1/ingest/${ID} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  );
  assert.equal((await operators.feed(ID, [heartbeat(1)])).status, 200);
  assert.deepEqual(operators.failures, []);
});

test('a sender that disconnects in the middle of its bodies does not block the sessions', async (t) => {
  const operators = await withOperators(t);
  const streams = Array.from({ length: 20 }, (_, n) => operators.stream(`session-${n % 10}`));
  for (const stream of streams) stream.write(ndjson([heartbeat(1)]));
  await until(() => [...operators.sessions.all()].length === 10);
  for (const stream of streams) stream.abort();
  await until(async () => (await operators.feed('session-0', heartbeats(2))).status === 200);
  assert.deepEqual(operators.failures, []);
});

test('closing ends requests in the middle of their bodies; complete lines are accepted', async (t) => {
  const operators = await withOperators(t);
  const stream = operators.stream(ID);
  stream.write(`${ndjson(heartbeats(2))}{"half`);
  await until(() => operators.sessions.get(ID)?.frames === 2);
  await operators.close();
  await assert.rejects(stream.answer);
  await pause(20);
  assert.equal(operators.sessions.get(ID)!.frames, 2);
  assert.deepEqual(operators.failures, []);
});

test('metrics show sessions, the connection, memory, and the lags of all threads as one histogram', async (t) => {
  const operators = await withOperators(t);
  await operators.feed(ID, heartbeats(3));
  const histogram = new ShardMeter(operators.meters.shards[0]).liveStartMs;
  for (const lagMs of [0.05, 0.1, 4, 70_000]) histogram.record(lagMs);
  const { status, text } = await operators.call('GET', '/metrics');
  assert.equal(status, 200);
  const value = (name: string): number => {
    const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
    assert.ok(line, `${name} in\n${text}`);
    return Number(line.split(' ').at(-1));
  };
  assert.equal(value(`slipstream_live_frames{session="${ID}"}`), 3);
  assert.equal(value(`slipstream_live_updates{session="${ID}"}`), operators.sessions.get(ID)!.updates);
  assert.equal(value('slipstream_live_connected'), 1);
  assert.ok(value('process_resident_memory_bytes') > 1_000_000);
  const bucket = (le: string): number => value(`slipstream_live_start_seconds_bucket{le="${le}"}`);
  assert.deepEqual([bucket('0.0001'), bucket('0.005'), bucket('60'), bucket('+Inf')], [2, 3, 3, 4]);
  assert.equal(value('slipstream_live_start_seconds_count'), 4);
  assert.ok(Math.abs(value('slipstream_live_start_seconds_sum') - 70.00415) < 1e-9);
  assert.equal(text.match(/slipstream_live_start_seconds_bucket/g)!.length, START_BOUNDS_MS.length + 1);
  await operators.call('POST', `/v1/ingest/${ID}/end`);
  assert.doesNotMatch((await operators.call('GET', '/metrics')).text, new RegExp(ID), 'an ended session is not shown');
});

test('with metrics disabled, /metrics gets 404', async (t) => {
  const operators = await withOperators(t, { metrics: null });
  assert.equal((await operators.call('GET', '/metrics')).status, 404);
});

test('listening on a port in use fails with an error that names ADMIN_PORT', async (t) => {
  const { port } = await withOperators(t);
  const { listenForOperators } = await import('#api/admin/admin-listener.ts');
  const parts = {
    host: '127.0.0.1',
    port,
    token: null,
    metrics: null,
    page: null,
    log: { info() {}, warn() {}, error() {} },
  };
  await assert.rejects(
    listenForOperators({ ...parts, ingest: null as never }),
    /^Error: ADMIN_PORT: .*EADDRINUSE.*Choose another ADMIN_PORT/,
  );
});
