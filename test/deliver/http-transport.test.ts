import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { createServer as createSocketServer } from 'node:net';
import { after, test } from 'node:test';
import { HttpTransport } from '#engine/deliver/http-transport.ts';
import type { Connections } from '#engine/deliver/transport.ts';
import { ANSWER_KEPT_BYTES_MAX, ANSWER_READ_BYTES_MAX } from '#engine/limits.ts';

interface Outcome {
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly answer: string | null;
}

const ends: (() => void)[] = [];
after(() => {
  for (const end of ends) end();
});

async function listening(server: Server | ReturnType<typeof createSocketServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  });
  return (server.address() as { port: number }).port;
}

function connected(origin: string, ownPorts: readonly number[] = [], allowLoopback = true): Connections {
  const connections = new HttpTransport((port) => ownPorts.includes(port)).connect(origin, allowLoopback);
  ends.push(() => connections.close());
  return connections;
}

const body = new TextEncoder().encode('{"feed":"lap.count"}');

function send(connections: Connections, origin: string, path = '/hook', method: 'POST' | 'PUT' = 'POST') {
  return new Promise<Outcome>((resolve) => {
    connections.send({ origin, path, method }, 'content-type: application/json\r\nX-Service-Mode: replay\r\n', body, {
      answered: (statusCode, error, answer) => resolve({ statusCode, error, answer }),
    });
  });
}

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

test('a redirect is an answer like any other and is not followed', async () => {
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

test('at most 1 KiB of an answer is kept', async () => {
  const port = await listening(createServer((_request, response) => response.end('a'.repeat(5_000))));
  const origin = `http://127.0.0.1:${port}`;
  assert.equal((await send(connected(origin), origin)).answer!.length, ANSWER_KEPT_BYTES_MAX);
});

test('reading stops at 64 KiB, and an endless answer still counts by its status', async () => {
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
  assert.equal(outcome.answer!.length, ANSWER_KEPT_BYTES_MAX);
  assert.ok(written < ANSWER_READ_BYTES_MAX * 200, 'the connection was closed');
});

test('nothing is decompressed', async () => {
  const port = await listening(
    createServer((_request, response) => response.setHeader('content-encoding', 'gzip').end('not gzip at all')),
  );
  const origin = `http://127.0.0.1:${port}`;
  assert.equal((await send(connected(origin), origin)).answer, 'not gzip at all');
});

test('a refused connection, a reset and a broken answer are told by their names', async () => {
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

test('I3: an abandoned exchange is heard of no more, and its connection is given up', async () => {
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
    answered: () => assert.fail('nothing is heard of an abandoned exchange'),
  });
  await here;
  exchange.abandon();
  await gone;
});

test('localhost is served only where it is allowed, and never on the own ports', async () => {
  const port = await listening(createServer((_request, response) => response.end()));
  for (const host of ['127.0.0.1', 'localhost']) {
    const origin = `http://${host}:${port}`;
    assert.match((await send(connected(origin, [], false), origin)).error!, /replays only/);
    assert.match((await send(connected(origin, [port]), origin)).error!, /belongs to the service/);
  }
  const origin = `http://127.0.0.1:${port}`;
  assert.equal((await send(connected(origin), origin)).statusCode, 200);
});

test('addresses inside are refused before a connection is made', async () => {
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
      answered: () => assert.fail('nothing is heard of an abandoned exchange'),
    })
    .abandon();
  assert.equal((await send(connections, origin)).statusCode, 200);
  assert.equal(requests, 1);
});

test('an outcome that is known at once is told after the attempt has started, not before', async () => {
  const origin = 'http://10.0.0.1';
  let started = false;
  const outcome = new Promise<boolean>((resolve) => {
    connected(origin).send({ origin, path: '/', method: 'POST' }, '', body, {
      answered: () => resolve(started),
    });
    started = true;
  });
  assert.equal(await outcome, true);
});
