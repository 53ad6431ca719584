// A connection that is kept for the next delivery: when it is reused, when it is closed, and when it turns out to be
// closed.

import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { RESPONSE_READ_BYTES_MAX } from '#engine/base/limits.ts';
import { seededRandom } from '#engine/base/random.ts';
import { STALE_CONNECTION_MS } from '#engine/delivery/transport/http-connection.ts';
import { allClosed, BareServer, body, connected, LOCAL, OK, send, until } from '#test/support/bare-http.ts';

describe('a kept connection', { concurrency: true }, () => {
  test('is not reused after a response that forbids it or is followed by more bytes', async () => {
    const lasts = [
      'HTTP/1.1 200 OK\r\nConnection: close\r\ncontent-length: 2\r\n\r\nok',
      'HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok',
      'HTTP/1.1 204 No Content\r\ncontent-length: 2\r\n\r\n',
      'HTTP/1.1 200 OK\r\nkeep-alive: timeout=1\r\ncontent-length: 2\r\n\r\nok',
      `HTTP/1.1 200 OK\r\ncontent-length: ${RESPONSE_READ_BYTES_MAX + 99}\r\n\r\n${'x'.repeat(RESPONSE_READ_BYTES_MAX + 99)}`,
      `${OK}HTTP/1.1 500 Not for you\r\ncontent-length: 0\r\n\r\n`,
    ];
    for (const last of lasts) {
      const server = new BareServer((socket) => socket.write(last));
      const origin = await server.at();
      const connections = connected(origin);
      for (let i = 0; i < 3; i++) assert.match(String((await send(connections, origin)).statusCode), /^20[04]$/, last);
      assert.equal(server.accepted, 3, last);
      await allClosed(server);
    }
  });

  test('is closed when bytes arrive without a request', async () => {
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

  test('that the server closes just as a request is sent fails no exchange: the request is sent again over a new one', async () => {
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

  test('that ends without a byte of a response has its request sent again once, and only if it was a kept one', async () => {
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
      // Over a new connection, which had delivered no response yet, it is not sent again.
      requests = 1;
      assert.match((await send(connections, origin)).error!, /ECONNRESET|closed before/);
      assert.equal(requests, 2, how);
    }
  });

  test('that ends long after its request was sent does not have it sent again', async () => {
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

  test('that turns out to be closed: its request can still be abandoned, and goes before those that wait', async () => {
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
      ended: () => assert.fail('nothing is heard of an abandoned exchange'),
    });
    while (paths.length < 4) await delay(1);
    exchange.abandon();
    await allClosed(server);
  });

  test('that turns out to be closed: its request is sent over a new one, not over another kept one', async () => {
    const paths = new Map<Socket, string[]>();
    const held = new Map<string, Socket>();
    const server = new BareServer((socket, { head }) => {
      const path = head.split(' ')[1]!;
      paths.set(socket, [...(paths.get(socket) ?? []), path]);
      held.set(path, socket);
    });
    const origin = await server.at('http', 'localhost');
    const lookups: PromiseWithResolvers<readonly LookupAddress[]>[] = [];
    const connections = connected(origin, [], true, () => {
      const asked = Promise.withResolvers<readonly LookupAddress[]>();
      lookups.push(asked);
      return asked.promise;
    });
    const answered = async (path: string, outcome: ReturnType<typeof send>): Promise<void> => {
      await until(() => held.has(path), `${path} is under way`);
      held.get(path)!.write(OK);
      assert.equal((await outcome).statusCode, 200);
    };
    const first = [send(connections, origin, '/a'), send(connections, origin, '/b')];
    for (const asked of lookups) asked.resolve(LOCAL);
    await until(() => held.size === 2, 'both are under way');
    await Promise.all([answered('/a', first[0]!), answered('/b', first[1]!)]);
    const cut = send(connections, origin, '/cut');
    const sound = send(connections, origin, '/sound');
    await until(() => held.size === 4, 'both are used again');
    held.get('/cut')!.destroy();
    await until(() => lookups.length === 3, 'a new one is being made');
    await answered('/sound', sound);
    lookups[2]!.resolve(LOCAL);
    await until(() => server.accepted === 3, 'there is a new one');
    await until(() => [...paths.values()].flat().filter((path) => path === '/cut').length === 2, 'it is sent again');
    held.get('/cut')!.write(OK);
    assert.equal((await cut).statusCode, 200);
    assert.deepEqual(paths.get(held.get('/cut')!), ['/cut']);
    connections.close();
    await allClosed(server);
  });

  test('is closed before the server would close it, but not while a request is under way', async () => {
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
