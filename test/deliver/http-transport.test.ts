// The real network, on this machine: what a delivery sends and hears, and what becomes of its connections when the other side
// does not do what it should. Certificates: test/fixtures/tls/README.md.

import assert from 'node:assert/strict';
import dns, { type LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { createServer as createSocketServer, type Socket, type Server as SocketServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { after, describe, mock, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createServer as createTlsServer, setDefaultCACertificates, TLSSocket } from 'node:tls';
import { HttpTransport } from '#engine/deliver/http-transport.ts';
import type { Connections, Exchange } from '#engine/deliver/transport.ts';
import {
  ANSWER_KEPT_BYTES_MAX,
  ANSWER_READ_BYTES_MAX,
  IN_FLIGHT_MAX,
  RETRIES_IN_FLIGHT_MAX,
  STALE_CONNECTION_MS,
} from '#engine/limits.ts';
import { seededRandom } from '#engine/random.ts';

interface Outcome {
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly answer: string | null;
}

const ends: (() => void)[] = [];
after(() => {
  for (const end of ends) end();
});

async function listening(server: Server | SocketServer): Promise<number> {
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

test('I3: an exchange that is abandoned before its outcome is told is heard of no more', async () => {
  const origin = 'http://10.0.0.1';
  const exchange = connected(origin).send({ origin, path: '/', method: 'POST' }, '', body, {
    answered: () => assert.fail('nothing is heard of an abandoned exchange'),
  });
  exchange.abandon();
  await delay(1);
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

/** As many as an actor can have under way. */
const CONNECTIONS_MAX = IN_FLIGHT_MAX + RETRIES_IN_FLIGHT_MAX;
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

const fixture = (name: string): Buffer => readFileSync(new URL(`../fixtures/tls/${name}.pem`, import.meta.url));
setDefaultCACertificates([fixture('authority')]);

/** A request as it came, whole. */
interface Arrival {
  /** From 0, of all that came. */
  readonly number: number;
  readonly head: string;
  readonly body: Buffer;
}

/** A server on bare sockets that knows how many are open. */
class BareServer {
  readonly #server: SocketServer;
  readonly open = new Set<Socket>();
  accepted = 0;
  mostOpen = 0;
  arrived = 0;
  #port = 0;

  constructor(onRequest: (socket: Socket, request: Arrival) => void, certificate: string | null = null) {
    const take = (socket: Socket): void => this.#take(socket, onRequest);
    this.#server =
      certificate === null
        ? createSocketServer(take)
        : createTlsServer({ key: fixture('key'), cert: fixture(certificate) }, take);
    this.#server.on('tlsClientError', () => {});
    this.#server.on('connection', (socket: Socket) => {
      this.accepted++;
      this.open.add(socket);
      this.mostOpen = Math.max(this.mostOpen, this.open.size);
      socket.on('error', () => {});
      socket.on('close', () => this.open.delete(socket));
    });
    ends.push(() => {
      for (const socket of this.open) socket.destroy();
    });
  }

  async at(scheme = 'http', host = '127.0.0.1'): Promise<string> {
    if (this.#port === 0) this.#port = await listening(this.#server);
    return `${scheme}://${host}:${this.#port}`;
  }

  /** Ends a connection as a crash would. */
  reset(socket: Socket): void {
    // TLS has no such end; the connection under it has.
    for (const below of this.open) if (below.remotePort === socket.remotePort) below.resetAndDestroy();
  }

  get server(): SocketServer {
    return this.#server;
  }

  #take(socket: Socket, onRequest: (socket: Socket, request: Arrival) => void): void {
    socket.on('error', () => {});
    let pieces: Buffer[] = [];
    let bytes = 0;
    let wanted = 0;
    let head = '';
    socket.on('data', (piece: Buffer) => {
      pieces.push(piece);
      bytes += piece.length;
      if (wanted === 0) {
        const start = Buffer.concat(pieces);
        const headBytes = start.indexOf('\r\n\r\n') + 4;
        if (headBytes < 4) return;
        head = start.toString('latin1', 0, headBytes);
        wanted = headBytes + Number(/content-length: (\d+)/.exec(head)![1]);
        pieces = [start];
      }
      if (bytes < wanted) return;
      assert.equal(bytes, wanted, 'one request at a time');
      const request = { number: this.arrived++, head, body: Buffer.concat(pieces).subarray(head.length) };
      pieces = [];
      bytes = 0;
      wanted = 0;
      onRequest(socket, request);
    });
  }
}

async function until(condition: () => boolean, what: string): Promise<void> {
  for (let i = 0; i < 800; i++) {
    if (condition()) return;
    await delay(5);
  }
  assert.fail(what);
}

const allClosed = (server: BareServer): Promise<void> =>
  until(() => server.open.size === 0, 'every connection is closed');

/** Names resolve as `answer` says, until the returned function is called. */
function resolving(answer: (callback: (error: Error | null, addresses: LookupAddress[]) => void) => void): () => void {
  const replaced = mock.method(dns, 'lookup', (_host: string, _options: unknown, callback: never) => answer(callback));
  syncBuiltinESMExports();
  return () => {
    replaced.mock.restore();
    syncBuiltinESMExports();
  };
}

const LOCAL: LookupAddress[] = [{ address: '127.0.0.1', family: 4 }];

test('never more connections than an actor can have under way, and those that wait go out in order', async () => {
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

test('those that wait get connections of their own when the others end', { timeout: 20_000 }, async () => {
  const server = new BareServer((socket) => socket.end('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n'));
  const origin = await server.at();
  const connections = connected(origin);
  const outcomes = await Promise.all(Array.from({ length: 2 * CONNECTIONS_MAX }, () => send(connections, origin)));
  assert.ok(outcomes.every(({ statusCode }) => statusCode === 204));
  assert.equal(server.accepted, 2 * CONNECTIONS_MAX);
  connections.close();
  await allClosed(server);
});

test('closing lets what is under way and what waits finish, and then leaves no connection', async () => {
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

test('a connection that cannot be made fails one exchange, and none when as many are being made as are waited for', async () => {
  const held: Socket[] = [];
  const server = new BareServer((socket) => held.push(socket));
  const origin = await server.at('http', 'localhost');
  const lookups: ((error: Error | null, addresses: LookupAddress[]) => void)[] = [];
  const restore = resolving((callback) => lookups.push(callback));
  const lost = Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
  try {
    const connections = connected(origin);
    const first = send(connections, origin, '/first');
    const second = send(connections, origin, '/second');
    const third = send(connections, origin, '/third');
    assert.equal(lookups.length, 3);
    lookups[1]!(lost, []);
    assert.deepEqual(
      await first,
      { statusCode: null, error: 'ENOTFOUND', answer: null },
      'the one that waited longest',
    );
    lookups[0]!(null, LOCAL);
    await until(() => held.length === 1, 'the second one is under way');
    const fourth = send(connections, origin, '/fourth');
    held[0]!.write(OK);
    assert.equal((await second).statusCode, 200);
    await until(() => held.length === 2, 'the third one goes over the same connection');
    // Two are being made, and only the fourth waits.
    lookups[2]!(lost, []);
    await delay(20);
    lookups[3]!(null, LOCAL);
    await until(() => held.length === 3, 'the fourth one has a connection of its own');
    for (const socket of held.slice(1)) socket.write(OK);
    assert.deepEqual([(await third).statusCode, (await fourth).statusCode], [200, 200]);
    connections.close();
    await allClosed(server);
  } finally {
    restore();
  }
});

test('a name with a dead address is reached at its other one, over TCP and TLS; with two it fails by the first one', async () => {
  const answering = (socket: Socket): unknown => socket.write(OK);
  const both: LookupAddress[] = [{ address: '::1', family: 6 }, ...LOCAL];
  const restore = resolving((callback) => setImmediate(callback, null, both));
  try {
    const plain = new BareServer(answering);
    const secure = new BareServer(answering, 'localhost');
    for (const origin of [await plain.at('http', 'localhost'), await secure.at('https', 'localhost')]) {
      const connections = connected(origin);
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
      assert.match((await send(connected(origin), origin)).error!, /^(ECONNREFUSED|EADDRNOTAVAIL|ENETUNREACH)$/);
    }
    const waiting = connected(`http://localhost:${port}`);
    for (let i = 0; i < 20; i++) {
      const exchange = waiting.send({ origin: '', path: '/', method: 'POST' }, '', body, {
        answered: () => assert.fail('nothing is heard of an abandoned exchange'),
      });
      // While the name is looked up, and while one address after the other is tried.
      if (i % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
      exchange.abandon();
    }
  } finally {
    restore();
  }
});

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);

test('an address of IPv6 is reached', { skip: !hasIpv6 && 'no IPv6 on this machine' }, async () => {
  const server = createServer((request, response) => response.end(request.headers.host));
  await new Promise<void>((resolve) => server.listen(0, '::1', resolve));
  ends.push(() => server.close());
  const origin = `http://[::1]:${(server.address() as { port: number }).port}`;
  const connections = connected(origin);
  assert.equal((await send(connections, origin)).answer, origin.slice('http://'.length));
  connections.close();
});

test('TLS: the name is told, connections are kept, nothing is held back, and the second one is made faster', async () => {
  const noDelay = mock.method(TLSSocket.prototype, 'setNoDelay');
  const names: (string | false | null)[] = [];
  const resumed: boolean[] = [];
  const server = new BareServer((socket, { number }) => {
    if (number === 3 || number === 4) socket.end(OK);
    else socket.write(OK);
  }, 'localhost');
  let refusing = false;
  server.server.on('connection', (socket: Socket) => {
    if (refusing) socket.destroy();
  });
  server.server.on('secureConnection', (socket: TLSSocket) => {
    names.push(socket.servername);
    resumed.push(socket.isSessionReused());
  });
  const origin = await server.at('https', 'localhost');
  const connections = connected(origin);
  for (let i = 0; i < 4; i++) assert.equal((await send(connections, origin)).answer, 'ok');
  await allClosed(server);
  assert.equal(server.accepted, 1);
  assert.equal((await send(connections, origin)).answer, 'ok');
  await allClosed(server);
  // The session may be why a connection could not be made.
  refusing = true;
  assert.equal((await send(connections, origin)).statusCode, null);
  refusing = false;
  assert.equal((await send(connections, origin)).answer, 'ok');
  const address = await server.at('https');
  const byAddress = connected(address);
  assert.equal((await send(byAddress, address)).answer, 'ok');
  assert.deepEqual(names, ['localhost', 'localhost', 'localhost', false]);
  assert.deepEqual(resumed, [false, true, false, false]);
  assert.equal(noDelay.mock.callCount(), server.accepted);
  noDelay.mock.restore();
  connections.close();
  byAddress.close();
  await allClosed(server);
});

describe('whatever the other side does', { concurrency: true }, () => {
  describe('however the other side ends a connection, an exchange has an outcome', { concurrency: true }, () => {
    const starts: Readonly<Record<string, string>> = {
      'before the answer': '',
      'within the status line': 'HTTP/1.',
      'within a header line': 'HTTP/1.1 200 OK\r\ncontent-',
      'after an interim answer': 'HTTP/1.1 100 Continue\r\n\r\n',
      'before the body': 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n',
      'within the body': 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\no',
      'within a chunk': 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab',
      'before the last chunk': 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n',
    };
    for (const certificate of [null, 'localhost']) {
      const over = certificate === null ? 'TCP' : 'TLS';
      const scheme = certificate === null ? 'http' : 'https';
      for (const [when, start] of Object.entries(starts)) {
        test(`${when}, over ${over}`, async () => {
          for (const how of ['end', 'reset'] as const) {
            const server = new BareServer((socket) => {
              const finish = (): unknown => (how === 'end' ? socket.end() : server.reset(socket));
              if (start === '') finish();
              else socket.write(start, () => setTimeout(finish, 5));
            }, certificate);
            const origin = await server.at(scheme);
            const connections = connected(origin);
            const outcomes = await Promise.all([1, 2, 3].map(() => send(connections, origin)));
            for (const { statusCode, error, answer } of outcomes) {
              assert.deepEqual([statusCode, answer], [null, null]);
              assert.match(error!, how === 'end' ? /closed before the answer was whole/ : /ECONNRESET|closed before/);
            }
            connections.close();
            await allClosed(server);
          }
        });
      }

      test(`an answer that only the end can end is whole, over ${over}`, async () => {
        const server = new BareServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nall of it'), certificate);
        const origin = await server.at(scheme);
        const connections = connected(origin);
        for (let i = 0; i < 3; i++) {
          assert.deepEqual(await send(connections, origin), { statusCode: 200, error: null, answer: 'all of it' });
        }
        assert.equal(server.accepted, 3);
        connections.close();
        await allClosed(server);
      });
    }

    test('at once, whenever a connection comes', async () => {
      for (const how of ['end', 'reset'] as const) {
        const server = new BareServer(() => {});
        server.server.on('connection', (socket: Socket) => (how === 'end' ? socket.end() : socket.resetAndDestroy()));
        for (const scheme of ['http', 'https']) {
          const origin = await server.at(scheme);
          const connections = connected(origin);
          const outcomes = await Promise.all([1, 2, 3, 4, 5].map(() => send(connections, origin)));
          for (const { statusCode, error } of outcomes) {
            assert.equal(statusCode, null);
            assert.match(error!, /ECONNRESET|EPIPE|closed/);
          }
          connections.close();
          await allClosed(server);
        }
      }
    });
  });

  describe('a kept connection', { concurrency: true }, () => {
    test('is not used again after an answer that says so, or that is followed by anything', async () => {
      const lasts = [
        'HTTP/1.1 200 OK\r\nConnection: close\r\ncontent-length: 2\r\n\r\nok',
        'HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok',
        'HTTP/1.1 204 No Content\r\ncontent-length: 2\r\n\r\n',
        'HTTP/1.1 200 OK\r\nkeep-alive: timeout=1\r\ncontent-length: 2\r\n\r\nok',
        `HTTP/1.1 200 OK\r\ncontent-length: ${ANSWER_READ_BYTES_MAX + 99}\r\n\r\n${'x'.repeat(ANSWER_READ_BYTES_MAX + 99)}`,
        `${OK}HTTP/1.1 500 Not for you\r\ncontent-length: 0\r\n\r\n`,
      ];
      for (const last of lasts) {
        const server = new BareServer((socket) => socket.write(last));
        const origin = await server.at();
        const connections = connected(origin);
        for (let i = 0; i < 3; i++)
          assert.match(String((await send(connections, origin)).statusCode), /^20[04]$/, last);
        assert.equal(server.accepted, 3, last);
        await allClosed(server);
      }
    });

    test('is closed when bytes come that nobody asked for', async () => {
      const server = new BareServer((socket) => {
        socket.write(OK);
        setTimeout(() => socket.write('HTTP/1.1 500 Not for you\r\ncontent-length: 0\r\n\r\n'), 10);
      });
      const origin = await server.at();
      const connections = connected(origin);
      for (let i = 0; i < 3; i++) {
        assert.equal((await send(connections, origin)).statusCode, 200);
        await allClosed(server);
      }
      assert.equal(server.accepted, 3);
    });

    test('that the other side closes just as a request goes out fails no exchange: it goes out again over a new one', async () => {
      const chance = seededRandom(7);
      const server = new BareServer((socket) => {
        socket.write(OK);
        const close = (): unknown => (chance.next() < 0.5 ? socket.end() : socket.destroy());
        if (chance.next() < 0.5) setImmediate(close);
        else setTimeout(close, chance.next() * 2);
      });
      const origin = await server.at();
      const connections = connected(origin);
      for (let i = 0; i < 200; i++) {
        assert.equal((await send(connections, origin)).statusCode, 200);
        if (chance.next() < 0.3) await delay(chance.next() * 2);
      }
      connections.close();
      await allClosed(server);
    });

    test('that ends without a byte of an answer has its request sent again once, and only when it was a kept one', async () => {
      let requests = 0;
      let ending: 'silently' | 'after a byte' = 'silently';
      const server = new BareServer((socket) => {
        requests++;
        if (requests === 1) socket.write(OK);
        else if (ending === 'silently') socket.resetAndDestroy();
        else socket.end('H');
      });
      const origin = await server.at();
      for (const [how, sent] of [
        ['silently', 2],
        ['after a byte', 1],
      ] as const) {
        ending = how;
        const connections = connected(origin);
        requests = 0;
        assert.equal((await send(connections, origin)).statusCode, 200);
        requests = 1;
        assert.match((await send(connections, origin)).error!, /ECONNRESET|closed before/);
        assert.equal(requests, 1 + sent, how);
        // Over a new connection, which had brought no answer, it is not sent again.
        requests = 1;
        assert.match((await send(connections, origin)).error!, /ECONNRESET|closed before/);
        assert.equal(requests, 2, how);
      }
    });

    test('that ends long after its request was read has it not sent again', async () => {
      let requests = 0;
      const server = new BareServer((socket) => {
        requests++;
        if (requests === 1) socket.write(OK);
        else setTimeout(() => socket.destroy(), STALE_CONNECTION_MS + 100);
      });
      const origin = await server.at();
      const connections = connected(origin);
      await send(connections, origin);
      assert.match((await send(connections, origin)).error!, /ECONNRESET|closed before/);
      assert.equal(requests, 2);
    });

    test('that was found closed: its request can still be abandoned, and goes out before those that wait', async () => {
      const paths: string[] = [];
      const server = new BareServer((socket, { head }) => {
        paths.push(head.split(' ')[1]!);
        if (paths.length === 2) socket.resetAndDestroy();
        else if (paths.length !== 4) socket.write(OK);
      });
      const origin = await server.at();
      const connections = connected(origin);
      await send(connections, origin, '/first');
      assert.equal((await send(connections, origin, '/second')).statusCode, 200);
      assert.deepEqual(paths, ['/first', '/second', '/second']);
      const exchange = connections.send({ origin, path: '/third', method: 'POST' }, '', body, {
        answered: () => assert.fail('nothing is heard of an abandoned exchange'),
      });
      while (paths.length < 4) await delay(1);
      exchange.abandon();
      await allClosed(server);
    });

    test('is closed before the other side would, but not while a request is under way', async () => {
      const answer = 'HTTP/1.1 200 OK\r\nkeep-alive: timeout=2\r\ncontent-length: 2\r\n\r\nok';
      const server = new BareServer((socket, { number }) => {
        if (number === 0) socket.write(answer);
        else setTimeout(() => socket.write(answer), 1_300);
      });
      const origin = await server.at();
      const connections = connected(origin);
      await send(connections, origin);
      assert.equal((await send(connections, origin)).statusCode, 200);
      const answeredAt = performance.now();
      assert.equal(server.accepted, 1);
      const [socket] = server.open;
      await once(socket!, 'close');
      assert.ok(performance.now() - answeredAt > 500, 'it is kept for a while');
    });
  });

  describe('large requests', { concurrency: true }, () => {
    test('an answer that comes before the request has gone out counts, and its connection is not used again', async () => {
      for (const certificate of [null, 'localhost']) {
        const unread: Socket[] = [];
        const server = new BareServer(() => assert.fail('the request never comes whole'), certificate);
        server.server.on(certificate === null ? 'connection' : 'secureConnection', (socket: Socket) => {
          socket.pause();
          socket.removeAllListeners('data');
          unread.push(socket);
          socket.write('HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n');
        });
        const origin = await server.at(certificate === null ? 'http' : 'https');
        const connections = connected(origin);
        const large = Buffer.alloc(16 * 1024 * 1024);
        const statusCode = await new Promise((resolve) => {
          connections.send({ origin, path: '/', method: 'POST' }, '', large, { answered: resolve });
        });
        assert.equal(statusCode, 413);
        const refused = await new Promise((resolve) => {
          connections.send({ origin, path: '/', method: 'POST' }, '', large, { answered: resolve });
        });
        assert.equal(refused, 413);
        assert.equal(server.accepted, 2);
        // A socket that does not read learns of the end when it reads again.
        for (const socket of unread) socket.resume();
        await allClosed(server);
      }
    });

    for (const certificate of [null, 'localhost']) {
      test(`come whole and unmixed from many connections, over ${certificate === null ? 'TCP' : 'TLS'}`, async () => {
        const wrong: string[] = [];
        const server = new BareServer((socket, { head, body: bytes }) => {
          const filling = Number(/^POST \/(\d+) /.exec(head)![1]);
          if (!bytes.equals(Buffer.alloc(bytes.length, filling))) wrong.push(`request ${filling}`);
          socket.write(OK);
        }, certificate);
        // Nobody reads for a while, so that what the kernel does not take stays here.
        server.server.on('connection', (socket: Socket) => {
          socket.pause();
          setTimeout(() => socket.resume(), 60);
        });
        const origin = await server.at(certificate === null ? 'http' : 'https');
        // Both share one place where requests are put together.
        const transport = new HttpTransport(() => false);
        const pools = [transport.connect(origin, true), transport.connect(origin, true)];
        const sizes = [4 * 1024 * 1024, 900, 70_000, 4 * 1024 * 1024, 2_000, 4 * 1024 * 1024, 65_000, 1];
        const answered = Array.from({ length: 24 }, (_none, i) => {
          const filled = Buffer.alloc(sizes[i % sizes.length]!, i + 1);
          const destination = { origin, path: `/${i + 1}`, method: 'POST' } as const;
          return new Promise((resolve) => pools[i % 2]!.send(destination, '', filled, { answered: resolve }));
        });
        assert.deepEqual(new Set(await Promise.all(answered)), new Set([200]));
        assert.deepEqual(wrong, []);
        for (const pool of pools) pool.close();
        await allClosed(server);
      });
    }
  });

  describe('TLS', { concurrency: true }, () => {
    test('a certificate must be valid, trusted and of the name', async () => {
      const refusals: Readonly<Record<string, RegExp>> = {
        elsewhere: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
        expired: /^CERT_HAS_EXPIRED$/,
        'self-signed': /^DEPTH_ZERO_SELF_SIGNED_CERT$/,
      };
      for (const [certificate, error] of Object.entries(refusals)) {
        const server = new BareServer(() => assert.fail('no request'), certificate);
        for (const host of ['localhost', '127.0.0.1']) {
          const origin = await server.at('https', host);
          const connections = connected(origin);
          const outcomes = await Promise.all([1, 2].map(() => send(connections, origin)));
          for (const outcome of outcomes) assert.match(outcome.error!, error);
          connections.close();
        }
        await allClosed(server);
      }
    });

    test('an endpoint that does not speak TLS is told by a name', async () => {
      const server = new BareServer(() => assert.fail('no request'));
      server.server.on('connection', (socket: Socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
      const origin = await server.at('https');
      assert.match((await send(connected(origin), origin)).error!, /^(EPROTO|ERR_SSL_WRONG_VERSION_NUMBER)$/);
      await allClosed(server);
    });

    test('a handshake that stalls is ended with the exchange that waits for it, and with the connections', async () => {
      const inner = new BareServer(() => {}, 'localhost');
      const held: Socket[] = [];
      inner.server.on('secureConnection', (socket: Socket) => held.push(socket));
      // Only the first connection gets an answer to its handshake.
      const outer = new BareServer(() => assert.fail('no request'));
      outer.server.removeAllListeners('connection');
      const accepted: Socket[] = [];
      outer.server.on('connection', (socket: Socket) => {
        socket.on('error', () => {});
        if (accepted.push(socket) === 1) inner.server.emit('connection', socket);
        else socket.resume();
      });
      const closed = (socket: Socket): Promise<void> => until(() => socket.destroyed, 'the stalled one is closed');
      const origin = await outer.at('https');
      const connections = connected(origin);
      const first = send(connections, origin);
      await until(() => inner.arrived === 1, 'the first one is under way');
      const heard = { answered: () => assert.fail('nothing is heard of an abandoned exchange') };
      const exchange: Exchange = connections.send({ origin, path: '/', method: 'POST' }, '', body, heard);
      await until(() => accepted.length === 2, 'the second one stalls');
      exchange.abandon();
      await closed(accepted[1]!);
      const third = send(connections, origin);
      await until(() => accepted.length === 3, 'the third one stalls');
      connections.close();
      held[0]!.write(OK);
      assert.equal((await first).statusCode, 200);
      await until(() => inner.arrived === 2, 'the third one goes over the first connection');
      await closed(accepted[2]!);
      held[0]!.write(OK);
      assert.equal((await third).statusCode, 200);
      await until(() => accepted.every((socket) => socket.destroyed), 'nothing is left');
    });
  });

  test('two thousand requests through whatever a server can do: one outcome each, no socket left, no warning', async () => {
    const warnings: string[] = [];
    const warned = (warning: Error): number => warnings.push(warning.message);
    process.on('warning', warned);
    const chance = seededRandom(42);
    type Misbehaviour = (socket: Socket, request: Arrival) => unknown;
    const abandons = new Map<string, () => void>();
    const misbehaviours: readonly Misbehaviour[] = [
      ...Array<Misbehaviour>(6).fill((socket) => socket.write(OK)),
      (socket) => socket.write(OK.replace('200 OK\r\n', '200 OK\r\nconnection: close\r\n')),
      (socket) => socket.end(OK),
      (socket) => socket.write(OK + OK),
      (socket) => socket.write(OK, () => socket.resetAndDestroy()),
      (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok', () => socket.destroy()),
      (socket) => socket.write('nonsense\r\n\r\n'),
      (socket) => socket.write(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(70_000)}`),
      (socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n', () => setTimeout(() => socket.write(OK), 1)),
      (socket) => setTimeout(() => socket.write(OK), 2),
      (socket) => socket.resetAndDestroy(),
      (socket) => socket.destroy(),
      // Nothing, or half of it, until the deadline.
      (_socket, { head }) => abandons.get(head.slice(0, head.indexOf(' HTTP')))!(),
      (socket, { head }) => socket.write('HTTP/1.1', () => abandons.get(head.slice(0, head.indexOf(' HTTP')))!()),
    ];
    const server = new BareServer((socket, request) => {
      misbehaviours[Math.floor(chance.next() * misbehaviours.length)]!(socket, request);
    });
    server.server.on('connection', (socket: Socket) => {
      if (chance.next() < 0.02) socket.resetAndDestroy();
    });
    const origin = await server.at();
    const connections = connected(origin);
    const ended = new Map<string, number>();
    const attempt = (id: number): Promise<void> =>
      new Promise((resolve) => {
        let sent = false;
        let over = false;
        const end = (how: string): void => {
          assert.ok(sent, 'never inside send');
          assert.ok(!over, 'once, and never after it was abandoned');
          over = true;
          ended.set(how, (ended.get(how) ?? 0) + 1);
          resolve();
        };
        const exchange = connections.send({ origin, path: `/${id}`, method: 'POST' }, '', body, {
          answered(statusCode, error, answer) {
            assert.deepEqual([statusCode === null, answer === null], [error !== null, error !== null]);
            end(error ?? 'answered');
          },
        });
        sent = true;
        const abandon = (): void => {
          exchange.abandon();
          if (!over) end('abandoned');
        };
        abandons.set(`POST /${id}`, abandon);
        if (chance.next() < 0.03) setTimeout(abandon, chance.next() * 10);
      });
    await Promise.all(
      Array.from({ length: 100 }, async (_none, worker) => {
        for (let i = 0; i < 20; i++) await attempt(worker * 20 + i);
      }),
    );
    const all = [...ended.values()].reduce((sum, count) => sum + count, 0);
    assert.equal(all, 2_000);
    assert.ok(ended.get('answered')! > 1_000 && ended.get('abandoned')! > 100, JSON.stringify([...ended]));
    connections.close();
    await allClosed(server);
    await delay(20);
    process.off('warning', warned);
    assert.deepEqual(warnings, []);
  });
});
