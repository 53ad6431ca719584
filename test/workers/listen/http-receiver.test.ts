// Requests to a program on this machine, and the words for what became of them.

import assert from 'node:assert/strict';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createNetServer, type Server, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { RESPONSE_KEPT_BYTES_MAX, RESPONSE_READ_BYTES_MAX } from '#engine/base/limits.ts';
import type { AttemptResult } from '#engine/delivery/attempt-result.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { HttpReceiver } from '#workers/listen/http-receiver.ts';

const BODY = Buffer.from('{"feed":"lap.count"}');

async function portOf(t: TestContext, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

function sent(t: TestContext, url: string): Promise<AttemptResult> {
  const receiver = new HttpReceiver(new URL(url));
  t.after(() => receiver.close());
  return new Promise((resolve) =>
    receiver.send('X-Service-Feed: lap.count\r\ncontent-type: application/json\r\n', BODY, resolve),
  );
}

const overHttp = async (t: TestContext, listener: RequestListener) =>
  sent(t, `http://localhost:${await portOf(t, createHttpServer(listener))}/hook?a=1`);

/** A server that does this to each connection, once a request has come. */
const overTcp = async (t: TestContext, act: (socket: Socket) => void) =>
  sent(
    t,
    `http://127.0.0.1:${await portOf(
      t,
      createNetServer((socket) => socket.once('data', () => act(socket)).on('error', () => {})),
    )}/`,
  );

test('a request is a POST with the headers and the body as they are; the answer is its status and the start of its body', async (t) => {
  const seen: unknown[] = [];
  const result = await overHttp(t, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url, headers, rawHeaders } = request;
      seen.push(method, url, headers['content-type'], headers['content-length'], Buffer.concat(chunks).toString());
      assert.ok(rawHeaders.includes('X-Service-Feed'));
      response.writeHead(202).end('thanks');
    });
  });
  assert.deepEqual(result, { kind: 'answered', statusCode: 202, body: 'thanks' });
  assert.deepEqual(seen, ['POST', '/hook?a=1', 'application/json', String(BODY.length), BODY.toString()]);
});

test('redirects are answers, and long answers are read no further than those of endpoints', async (t) => {
  const moved = await overHttp(t, (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end());
  assert.deepEqual(moved, { kind: 'answered', statusCode: 302, body: '' });
  const endless = await overHttp(t, (_, response) => {
    response.writeHead(200);
    const write = (): boolean => response.write('x'.repeat(RESPONSE_READ_BYTES_MAX));
    response.on('drain', write);
    write();
    write();
  });
  assert.deepEqual(endless, { kind: 'answered', statusCode: 200, body: 'x'.repeat(RESPONSE_KEPT_BYTES_MAX) });
});

test('failures have the codes of the delivery log', async (t) => {
  const [port] = await freePorts(1);
  const selfSigned = createHttpsServer({ key: '', cert: '' });
  const cases: readonly (readonly [code: string, result: AttemptResult])[] = [
    ['connection_refused', await sent(t, `http://127.0.0.1:${port}/`)],
    ['name_not_resolved', await sent(t, 'http://no-such-host.invalid/')],
    ['connection_closed', await overTcp(t, (socket) => socket.end())],
    ['connection_closed', await overTcp(t, (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'))],
    ['connection_reset', await overTcp(t, (socket) => socket.resetAndDestroy())],
    ['bad_answer', await overTcp(t, (socket) => socket.end('HELLO\r\n\r\n'))],
    ['tls', await sent(t, `https://127.0.0.1:${await portOf(t, selfSigned)}/`)],
  ];
  for (const [code, result] of cases)
    assert.equal(result.kind === 'failed' && result.code, code, JSON.stringify(result));
});

test('an abandoned request is cut and reports nothing', async (t) => {
  const closed = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const port = await portOf(
    t,
    createHttpServer((request) => {
      arrived.resolve();
      request.on('close', closed.resolve);
    }),
  );
  const receiver = new HttpReceiver(new URL(`http://127.0.0.1:${port}/`));
  const { abandon } = receiver.send('a: b\r\n', BODY, () => assert.fail('it was abandoned'));
  await arrived.promise;
  abandon();
  await closed.promise;
  receiver.close();
});
