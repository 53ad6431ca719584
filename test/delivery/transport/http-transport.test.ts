// Deliveries over the real network of this machine: what they send and get back, where they may go, how many
// connections they use.

import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { createServer } from 'node:http';
import { createServer as createSocketServer, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import {
  IN_FLIGHT_MAX,
  RESPONSE_KEPT_BYTES_MAX,
  RESPONSE_READ_BYTES_MAX,
  RETRIES_IN_FLIGHT_MAX,
} from '#engine/base/limits.ts';
import {
  allClosed,
  BareServer,
  body,
  connected,
  ends,
  LOCAL,
  listening,
  OK,
  send,
  until,
} from '#test/support/bare-http.ts';

test('an attempt sends exactly the bytes, the method, the path and the headers, and keeps the connection', async () => {
  const sockets = new Set<unknown>();
  const port = await listening(
    createServer(async (request, response) => {
      sockets.add(request.socket);
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      response.end(
        JSON.stringify({
          method: request.method,
          url: request.url,
          mode: request.headers['x-service-mode'],
          length: request.headers['content-length'],
          body: Buffer.concat(chunks).toString(),
        }),
      );
    }),
  );
  const origin = `http://127.0.0.1:${port}`;
  const connections = connected(origin);
  const first = await send(connections, origin, '/a?b=c', 'PUT');
  assert.equal(first.statusCode, 200);
  assert.deepEqual(JSON.parse(first.answer!), {
    method: 'PUT',
    url: '/a?b=c',
    mode: 'replay',
    length: String(body.length),
    body: '{"feed":"lap.count"}',
  });
  await new Promise((resolve) => setImmediate(resolve));
  await send(connections, origin);
  assert.equal(sockets.size, 1);
});

test('a redirect is a response like any other and is not followed', async () => {
  let requests = 0;
  const port = await listening(
    createServer((_request, response) => {
      requests++;
      response.writeHead(307, { location: '/elsewhere' }).end();
    }),
  );
  const origin = `http://127.0.0.1:${port}`;
  assert.equal((await send(connected(origin), origin)).statusCode, 307);
  assert.equal(requests, 1);
});

test('at most 1 KiB of a response is kept', async () => {
  const port = await listening(createServer((_request, response) => response.end('a'.repeat(5_000))));
  const origin = `http://127.0.0.1:${port}`;
  assert.equal((await send(connected(origin), origin)).answer!.length, RESPONSE_KEPT_BYTES_MAX);
});

test('reading stops at 64 KiB, and an endless response still counts by its status', async () => {
  let written = 0;
  const port = await listening(
    createServer((_request, response) => {
      const write = (): void => {
        while (!response.destroyed && response.write('b'.repeat(16 * 1_024))) written += 16 * 1_024;
      };
      response.on('drain', write);
      write();
    }),
  );
  const origin = `http://127.0.0.1:${port}`;
  const outcome = await send(connected(origin), origin);
  assert.equal(outcome.statusCode, 200);
  assert.equal(outcome.answer!.length, RESPONSE_KEPT_BYTES_MAX);
  assert.ok(written < RESPONSE_READ_BYTES_MAX * 200, 'the connection was closed');
});

test('nothing is decompressed', async () => {
  const port = await listening(
    createServer((_request, response) => response.setHeader('content-encoding', 'gzip').end('not gzip at all')),
  );
  const origin = `http://127.0.0.1:${port}`;
  assert.equal((await send(connected(origin), origin)).answer, 'not gzip at all');
});

test('a refused connection, a reset and a broken response have different failure codes', async () => {
  const closed = createServer();
  const closedPort = await listening(closed);
  await new Promise((resolve) => closed.close(resolve));
  const refused = `http://127.0.0.1:${closedPort}`;
  assert.equal((await send(connected(refused), refused)).error, 'ECONNREFUSED');

  const resetPort = await listening(
    createSocketServer((socket) => socket.once('data', () => socket.resetAndDestroy())),
  );
  const reset = `http://127.0.0.1:${resetPort}`;
  const outcome = await send(connected(reset), reset);
  assert.equal(outcome.statusCode, null);
  assert.match(outcome.error!, /ECONNRESET/);

  const garbagePort = await listening(
    createSocketServer((socket) => socket.once('data', () => socket.end('nonsense\r\n\r\n'))),
  );
  const garbage = `http://127.0.0.1:${garbagePort}`;
  assert.match((await send(connected(garbage), garbage)).error!, /HTTP\/1\.1/);
});

test('I3: an abandoned exchange gets no result, and its connection is closed', async () => {
  let closed = (): void => {};
  const gone = new Promise<void>((resolve) => {
    closed = resolve;
  });
  let arrived = (): void => {};
  const here = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const port = await listening(
    createServer((request) => {
      request.socket.on('close', closed);
      arrived();
    }),
  );
  const origin = `http://127.0.0.1:${port}`;
  const exchange = connected(origin).send({ origin, path: '/', method: 'POST' }, '', body, {
    ended: () => assert.fail('nothing is heard of an abandoned exchange'),
  });
  await here;
  exchange.abandon();
  await gone;
});

test('localhost is served only where it is allowed, and never on ports of the service', async () => {
  const port = await listening(createServer((_request, response) => response.end()));
  for (const host of ['127.0.0.1', 'localhost']) {
    const origin = `http://${host}:${port}`;
    assert.match((await send(connected(origin, [], false), origin)).error!, /not served in live sessions/);
    assert.match((await send(connected(origin, [port]), origin)).error!, /belongs to the service/);
  }
  const origin = `http://127.0.0.1:${port}`;
  assert.equal((await send(connected(origin), origin)).statusCode, 200);
});

test('addresses of internal networks are refused before a connection is opened', async () => {
  for (const origin of ['http://10.0.0.1', 'http://169.254.169.254', 'http://[::ffff:127.0.0.1]', 'http://127.0.0.2']) {
    const { statusCode, error } = await send(connected(origin), origin);
    assert.equal(statusCode, null);
    assert.match(error!, /not a public address/, origin);
  }
});

test('I3: an exchange that is abandoned before there is a connection sends nothing', async () => {
  let requests = 0;
  const port = await listening(
    createServer((_request, response) => {
      requests++;
      response.end();
    }),
  );
  const origin = `http://127.0.0.1:${port}`;
  const connections = connected(origin);
  connections
    .send({ origin, path: '/', method: 'POST' }, '', body, {
      ended: () => assert.fail('nothing is heard of an abandoned exchange'),
    })
    .abandon();
  assert.equal((await send(connections, origin)).statusCode, 200);
  assert.equal(requests, 1);
});

test('I3: an exchange that is abandoned before its result is reported gets no result', async () => {
  const origin = 'http://10.0.0.1';
  const exchange = connected(origin).send({ origin, path: '/', method: 'POST' }, '', body, {
    ended: () => assert.fail('nothing is heard of an abandoned exchange'),
  });
  exchange.abandon();
  await delay(1);
});

test('a result that is known at once is reported after the attempt has started, not before', async () => {
  const origin = 'http://10.0.0.1';
  let started = false;
  const outcome = new Promise<boolean>((resolve) => {
    connected(origin).send({ origin, path: '/', method: 'POST' }, '', body, {
      ended: () => resolve(started),
    });
    started = true;
  });
  assert.equal(await outcome, true);
});

/** The most attempts that an actor can have under way. */
const CONNECTIONS_MAX = IN_FLIGHT_MAX + RETRIES_IN_FLIGHT_MAX;
test('there are never more connections than attempts that an actor may have under way, and waiting requests go in order', async () => {
  const held: Socket[] = [];
  const order: string[] = [];
  const server = new BareServer((socket, { head }) => {
    order.push(/^POST \/(\d+) /.exec(head)![1]!);
    held.push(socket);
  });
  const origin = await server.at();
  const connections = connected(origin);
  const outcomes = Array.from({ length: 3 * CONNECTIONS_MAX }, (_none, i) => send(connections, origin, `/${i}`));
  await until(() => held.length === CONNECTIONS_MAX, 'all that may are under way');
  for (let answered = 0; answered < outcomes.length; answered++) {
    held[answered]!.write(OK);
    const arrived = Math.min(outcomes.length, CONNECTIONS_MAX + answered + 1);
    await until(() => held.length === arrived, 'the next one goes out');
  }
  assert.ok((await Promise.all(outcomes)).every(({ statusCode }) => statusCode === 200));
  assert.equal(server.mostOpen, CONNECTIONS_MAX);
  const waited = order.slice(CONNECTIONS_MAX).map(Number);
  assert.deepEqual(
    waited,
    [...waited].sort((a, b) => a - b),
  );
  connections.close();
  await allClosed(server);
});

test('waiting requests get new connections when the others end', { timeout: 20_000 }, async () => {
  const server = new BareServer((socket) => socket.end('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n'));
  const origin = await server.at();
  const connections = connected(origin);
  const outcomes = await Promise.all(Array.from({ length: 2 * CONNECTIONS_MAX }, () => send(connections, origin)));
  assert.ok(outcomes.every(({ statusCode }) => statusCode === 204));
  assert.equal(server.accepted, 2 * CONNECTIONS_MAX);
  connections.close();
  await allClosed(server);
});

test('closing lets requests under way and waiting ones finish, and then leaves no connection', async () => {
  const held: Socket[] = [];
  const server = new BareServer((socket) => held.push(socket));
  const origin = await server.at();
  const connections = connected(origin);
  const outcomes = Array.from({ length: CONNECTIONS_MAX + 20 }, () => send(connections, origin));
  await until(() => held.length === CONNECTIONS_MAX, 'all that may are under way');
  connections.close();
  const answering = setInterval(() => held.pop()?.write(OK), 1);
  assert.ok((await Promise.all(outcomes)).every(({ statusCode }) => statusCode === 200));
  clearInterval(answering);
  await allClosed(server);
});

test('a connection that cannot be opened fails one exchange, or none if enough others are being opened', async () => {
  const held: Socket[] = [];
  const server = new BareServer((socket) => held.push(socket));
  const origin = await server.at('http', 'localhost');
  const lookups: PromiseWithResolvers<readonly LookupAddress[]>[] = [];
  const lost = Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
  const connections = connected(origin, [], true, () => {
    const asked = Promise.withResolvers<readonly LookupAddress[]>();
    lookups.push(asked);
    return asked.promise;
  });
  const first = send(connections, origin, '/first');
  const second = send(connections, origin, '/second');
  const third = send(connections, origin, '/third');
  assert.equal(lookups.length, 3);
  lookups[1]!.reject(lost);
  assert.deepEqual(await first, { statusCode: null, error: 'ENOTFOUND', answer: null }, 'the one that waited longest');
  lookups[0]!.resolve(LOCAL);
  await until(() => held.length === 1, 'the second one is under way');
  const fourth = send(connections, origin, '/fourth');
  held[0]!.write(OK);
  assert.equal((await second).statusCode, 200);
  await until(() => held.length === 2, 'the third one goes over the same connection');
  // Two are being opened, and only the fourth exchange waits.
  lookups[2]!.reject(lost);
  await delay(20);
  lookups[3]!.resolve(LOCAL);
  await until(() => held.length === 3, 'the fourth one has a connection of its own');
  for (const socket of held.slice(1)) socket.write(OK);
  assert.deepEqual([(await third).statusCode, (await fourth).statusCode], [200, 200]);
  connections.close();
  await allClosed(server);
});

test('a name with a dead address is reached at its other one, over TCP and TLS; with two dead ones the first gives the failure', async () => {
  const answering = (socket: Socket): unknown => socket.write(OK);
  const both = async (): Promise<LookupAddress[]> => [{ address: '::1', family: 6 }, ...LOCAL];
  const plain = new BareServer(answering);
  const secure = new BareServer(answering, 'localhost');
  for (const origin of [await plain.at('http', 'localhost'), await secure.at('https', 'localhost')]) {
    const connections = connected(origin, [], true, both);
    for (let i = 0; i < 3; i++)
      assert.deepEqual(await send(connections, origin), { statusCode: 200, error: null, answer: 'ok' });
    connections.close();
  }
  await allClosed(plain);
  await allClosed(secure);
  assert.deepEqual([plain.accepted, secure.accepted], [1, 1]);
  const closed = createSocketServer();
  const port = await listening(closed);
  await new Promise((resolve) => closed.close(resolve));
  for (const scheme of ['http', 'https']) {
    const origin = `${scheme}://localhost:${port}`;
    const { error } = await send(connected(origin, [], true, both), origin);
    assert.match(error!, /^(ECONNREFUSED|EADDRNOTAVAIL|ENETUNREACH)$/);
  }
  const waiting = connected(`http://localhost:${port}`, [], true, both);
  for (let i = 0; i < 20; i++) {
    const exchange = waiting.send({ origin: '', path: '/', method: 'POST' }, '', body, {
      ended: () => assert.fail('nothing is heard of an abandoned exchange'),
    });
    // While the name is looked up, and while one address after the other is tried.
    if (i % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
    exchange.abandon();
  }
});

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);

test('an IPv6 address is reached', { skip: !hasIpv6 && 'no IPv6 on this machine' }, async () => {
  const server = createServer((request, response) => response.end(request.headers.host));
  await new Promise<void>((resolve) => server.listen(0, '::1', resolve));
  ends.push(() => server.close());
  const origin = `http://[::1]:${(server.address() as { port: number }).port}`;
  const connections = connected(origin);
  assert.equal((await send(connections, origin)).answer, origin.slice('http://'.length));
  connections.close();
});
