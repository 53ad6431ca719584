// Clients of GET /v1/stream that behave oddly: they read slowly or not at all, only ask, wait for hours, come and go.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { SSE_REVOKED_UNREAD_MS, SSE_STALL_MS, STREAM_CHECK_MS, STREAM_PING_MS } from '#engine/base/limits.ts';
import { DERIVER_VERSION } from '#engine/racing/derive/deriver-version.ts';
import { openStream } from '#test/contract/event-stream.ts';
import { type Client, until, withApi } from '#test/support/api-harness.ts';
import { written } from '#test/support/stream-stage.ts';
import { steadyTimeline } from '#test/support/timelines.ts';

const api = await withApi({ after });
/** About 20 MB: more than what the system buffers between service and client. */
const COUNT = 150_000;
const SESSION = '2026-flood-race';
await api.session(SESSION, { timeline: steadyTimeline(COUNT, 0, 'session.status', SESSION) });
const live = written('2026-quiet-race');
await api.app.live.opened(live.memory, 'live');

/** A connection that reads nothing by itself. */
async function bare(client: Client, query: string, method = 'GET'): Promise<Socket> {
  const socket = connect(api.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => {});
  socket.write(`${method} /v1/stream?${query} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${client.token}\r\n\r\n`);
  return socket;
}

/** What is to be had of the socket until it is closed, and the last complete place in it. */
async function drain(socket: Socket, before: readonly Buffer[] = []): Promise<{ text: string; place: string }> {
  const chunks = [...before];
  for await (const chunk of socket) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  // Behind the last complete event is a part of the next.
  const whole = text.slice(0, text.lastIndexOf('}\n\n') + 3);
  return { text: whole, place: [...whole.matchAll(/^id: (.*)$/gm)].at(-1)![1]! };
}

function sequencesIn(text: string): number[] {
  return [...text.matchAll(/^data: .*"sequence":(\d+)/gm)].map(([, sequence]) => Number(sequence));
}

async function isExact(client: Client, { text, place }: { text: string; place: string }): Promise<void> {
  const first = sequencesIn(text);
  const rest = await openStream(api.address, client.token, `session=${SESSION}`, place);
  await rest.ended();
  const all = [...first, ...rest.sequences()];
  assert.equal(all.length, COUNT);
  assert.ok(all.every((sequence, i) => sequence === i + 1));
}

/** Waits until nothing more can be sent to the client. */
async function isBlocked(client: Client): Promise<void> {
  let sent = -1;
  await until(async () => {
    const before = sent;
    await pause(700);
    sent = (await client.call('GET', '/v1/usage')).body.data.streamedCount;
    return sent > 0 && sent === before;
  });
}

// They wait most of the time.
test('clients that wait, that read slowly and that stop reading', { concurrency: true }, async (t) => {
  const patient = t.test('a client without news for long is kept, with signs of life', async () => {
    const client = await api.client('free');
    const socket = await bare(client, 'session=2026-quiet-race');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    await pause(STREAM_PING_MS + STREAM_CHECK_MS + 500);
    assert.match(text, /\n: ping\n\n/);
    live.publish([{ feed: 'session.status' }]);
    await until(() => sequencesIn(text).length === 1);
    socket.destroy();
  });
  const stopped = t.test('one that stops reading is cut off after ten seconds, and continues exactly', async () => {
    const client = await api.client('custom');
    const socket = await bare(client, `session=${SESSION}`);
    socket.pause();
    await pause(SSE_STALL_MS + 3_000);
    const { body } = await client.call('GET', '/v1/usage');
    const got = await drain(socket);
    assert.ok(sequencesIn(got.text).length < COUNT);
    assert.ok(body.data.streamedCount < COUNT, 'it was cut before it read on');
    await isExact(client, got);
  });
  const slow = t.test('one that reads a byte a second is cut off, and continues exactly', async () => {
    const client = await api.client('custom');
    const socket = await bare(client, `session=${SESSION}`);
    socket.pause();
    const bytes: Buffer[] = [];
    for (let second = 0; second < SSE_STALL_MS / 1_000 + 3; second++) {
      const byte = socket.read(1) as Buffer | null;
      if (byte !== null) bytes.push(byte);
      await pause(1_000);
    }
    const got = await drain(socket, bytes);
    assert.ok(sequencesIn(got.text).length < COUNT);
    await isExact(client, got);
  });
  const revoked = t.test('SM2: one whose token is revoked while it reads nothing is cut off at once', async () => {
    const client = await api.client('custom');
    const socket = await bare(client, `session=${SESSION}`);
    socket.pause();
    await isBlocked(client);
    await api.sql`delete from access_token where account_id = ${client.accountId}`;
    await pause(SSE_REVOKED_UNREAD_MS + 2_500);
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    assert.ok(sequencesIn(text).length < COUNT);
    assert.ok(!text.endsWith('\r\n0\r\n\r\n'), 'the connection had gone before it was read');
  });
  await Promise.all([patient, stopped, slow, revoked]);
});

test('HEAD opens nothing, and OPTIONS says so', async () => {
  const client = await api.client('free');
  const headers = { authorization: `Bearer ${client.token}` };
  for (const [method, status] of [
    ['HEAD', 405],
    ['POST', 405],
    ['OPTIONS', 204],
  ] as const) {
    const response = await fetch(`${api.address}/v1/stream?session=live`, { method, headers });
    assert.deepEqual([response.status, response.headers.get('allow')], [status, 'GET, OPTIONS']);
  }
  const stream = await openStream(api.address, client.token, 'session=live');
  assert.equal(stream.status, 200, 'the only place is free');
  stream.leave();
});

test('a stream behind one that is still open on the same connection ends both, and nothing stays behind', async () => {
  const client = await api.client('free');
  const socket = await bare(client, 'session=live');
  socket.resume();
  await pause(50);
  socket.write(`GET /v1/usage HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${client.token}\r\n\r\n`);
  await once(socket, 'close');
  await until(async () => {
    const again = await openStream(api.address, client.token, 'session=live');
    again.leave();
    return again.status === 200;
  });
});

test('hundreds of streams that come and go at once leave nothing behind', async () => {
  const client = await api.client('developer');
  for (let round = 0; round < 40; round++) {
    const sockets = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        bare(client, i % 2 === 0 ? 'session=live' : `session=${SESSION}&after=${COUNT}`),
      ),
    );
    if (round % 2 === 0) await Promise.all(sockets.map((socket) => once(socket, 'data')));
    for (const socket of sockets) socket.resetAndDestroy();
  }
  await until(() => api.library.inUse === 0);
  await until(async () => {
    const place = `2026-quiet-race:0~${DERIVER_VERSION}`;
    const streams = await Promise.all(
      Array.from({ length: 5 }, () => openStream(api.address, client.token, 'session=live', place)),
    );
    for (const stream of streams) stream.leave();
    return streams.every(({ status }) => status === 200);
  });
});
