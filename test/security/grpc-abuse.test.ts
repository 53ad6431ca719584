// Clients of gRPC that mean harm: half a head, floods, malformed frames, too much of anything. Each gets a clear status or
// loses its connection, the process stays as large as it was, and another client notices nothing.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { GRPC_CALLS_MAX, GRPC_CHECK_MS, GRPC_FIRST_CALL_MS, GRPC_REQUEST_MS } from '#engine/base/limits.ts';
import { contractService } from '#test/support/contract-service.ts';
import { grpcClient } from '#test/support/grpc-client.ts';
import { eventually } from '#test/support/patience.ts';

const service = await contractService({ after }, { GRPC_PORT: '0' });
const [host, port] = service.process.grpc.split(':') as [string, string];
const client = await service.client('custom');
const honest = grpcClient(service.process.grpc, client.token);
const watching = honest.subscribe({ session: 'live' });
const closed: (() => void)[] = [() => honest.close()];

before(() => eventually('the honest stream', () => watching.firstCursor() !== null));
after(() => {
  for (const close of closed) close();
});

function session(): ClientHttp2Session {
  const made = connect(`http://${service.process.grpc}`);
  made.on('error', () => {});
  closed.push(() => made.destroy());
  return made;
}

function call(
  made: ClientHttp2Session,
  path = '/slipstream.v1.Updates/Subscribe',
  headers: object = {},
): ClientHttp2Stream {
  const stream = made.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  });
  stream.on('error', () => {});
  return stream;
}

/** The status and our code, of a call that ends with its head. */
function refusal(stream: ClientHttp2Stream): Promise<[number, string | undefined]> {
  return new Promise((resolve, reject) => {
    const told = (headers: Record<string, unknown>): void => {
      if ('grpc-status' in headers) resolve([Number(headers['grpc-status']), headers['slipstream-code'] as string]);
    };
    stream.on('response', told).on('trailers', told);
    stream.on('close', () => reject(new Error(`closed with ${stream.rstCode}`)));
    stream.resume();
  });
}

function tcp(): Socket {
  const socket = connectTcp(Number(port), host);
  socket.on('error', () => {});
  socket.resume();
  closed.push(() => socket.destroy());
  return socket;
}

const ended = (socket: { destroyed: boolean }, what: string) => eventually(what, () => socket.destroyed, 60_000);

function residentMiB(): number {
  const text = readFileSync(`/proc/${service.process.process.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)![1]) / 1_024;
}

async function unaffected(): Promise<void> {
  const startedMs = performance.now();
  await honest.ask('Sessions', {});
  assert.ok(performance.now() - startedMs < 2_000);
  assert.equal(watching.status(), null);
}

test('what is malformed or too large has a status that says so', async () => {
  const made = session();
  const framed = (message: Buffer): Buffer => {
    const head = Buffer.alloc(5);
    head.writeUInt32BE(message.length, 1);
    return Buffer.concat([head, message]);
  };
  const authorization = `Bearer ${client.token}`;
  const cases: [object, Buffer, number, string | undefined][] = [
    [{ authorization }, framed(Buffer.from([0x0a, 0xff, 0xff])), status.INVALID_ARGUMENT, 'invalid_body'],
    [{ authorization }, framed(Buffer.alloc(70_000, 0x0a)), status.RESOURCE_EXHAUSTED, undefined],
    [{ authorization, note: 'x'.repeat(20_000) }, framed(Buffer.alloc(0)), status.RESOURCE_EXHAUSTED, 'body_too_large'],
    [{ authorization: 'Bearer no' }, framed(Buffer.alloc(0)), status.UNAUTHENTICATED, 'unauthorized'],
    [{ authorization }, framed(Buffer.alloc(0)), status.INVALID_ARGUMENT, 'invalid_query'],
  ];
  for (const [headers, message, code, ours] of cases) {
    const stream = call(made, undefined, headers);
    const answer = refusal(stream);
    stream.end(message);
    assert.deepEqual(await answer, [code, ours]);
  }
  const unknown = call(made, '/slipstream.v1.Updates/Nothing');
  const answer = refusal(unknown);
  unknown.end();
  assert.deepEqual(await answer, [status.UNIMPLEMENTED, undefined]);
  const huge = call(made, undefined, { note: 'x'.repeat(60_000), more: 'y'.repeat(60_000) });
  huge.end();
  await eventually('the end of a call with too large a head', () => huge.destroyed);
  await unaffected();
});

test('connections without a call, with half a head, and calls without a message are ended', async () => {
  const silent = tcp();
  const half = tcp();
  half.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  // An empty SETTINGS frame, then the first bytes of a HEADERS frame of 100 bytes.
  half.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 100, 1, 4, 0, 0, 0, 1, 0x83]));
  const garbage = tcp();
  garbage.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await ended(garbage, 'the end of a connection that speaks HTTP/1.1');
  const late = refusal(call(session(), undefined, { authorization: `Bearer ${client.token}` }));
  const startedMs = performance.now();
  assert.deepEqual(await late, [status.DEADLINE_EXCEEDED, 'request_timeout']);
  assert.ok(performance.now() - startedMs < GRPC_REQUEST_MS + 2_000);
  await Promise.all([ended(silent, 'the end of a silent connection'), ended(half, 'the end of half a head')]);
  assert.ok(performance.now() - startedMs < GRPC_FIRST_CALL_MS + 2 * GRPC_CHECK_MS);
  await unaffected();
});

test('floods of streams, resets and pings end the connection that sends them', async () => {
  const beforeMiB = residentMiB();
  const many = session();
  await new Promise((resolve) => many.once('remoteSettings', resolve));
  assert.equal(many.remoteSettings.maxConcurrentStreams, GRPC_CALLS_MAX);

  const resets = session();
  await new Promise((resolve) => resets.once('connect', resolve));
  let opened = 0;
  while (!resets.destroyed && !resets.closed && opened < 20_000) {
    for (let i = 0; i < 50; i++) {
      opened++;
      call(resets).close(constants.NGHTTP2_CANCEL);
    }
    await pause(1);
  }
  assert.ok(opened < 20_000, 'the connection is closed before it has reset so many calls');

  const pings = tcp();
  pings.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  pings.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]));
  const ping = Buffer.from([0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
  const burst = Buffer.concat(Array.from({ length: 2_000 }, () => ping));
  while (!pings.destroyed) {
    pings.write(burst);
    await pause(20);
  }
  await unaffected();
  assert.ok(residentMiB() - beforeMiB < 100, `${residentMiB() - beforeMiB} MiB more`);
});
