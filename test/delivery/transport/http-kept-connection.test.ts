// A connection that is kept for the next delivery: when it is reused, when it is closed, and when it turns out to be
// closed.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '#engine/base/clock.ts';
import {
  IDLE_UNCHECKED_MS,
  KEEP_ALIVE_MS,
  KEEP_ALIVE_UNSTATED_MS,
  RESPONSE_READ_BYTES_MAX,
} from '#engine/base/limits.ts';
import { seededRandom } from '#engine/base/random.ts';
import { HttpTransport } from '#engine/delivery/transport/http-transport.ts';
import { allClosed, BareServer, body, connected, OK, send, until } from '#test/support/bare-http.ts';
import type { Outcome } from '#test/support/log-row.ts';

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

  test('HC4: that ends after its request was written fails the attempt, and the request is not written again', async () => {
    const endings: Readonly<Record<string, (socket: Socket) => void>> = {
      closed: (socket) => void socket.end(),
      reset: (socket) => void socket.resetAndDestroy(),
      'closed after a byte': (socket) => void socket.end('H'),
    };
    for (const scheme of ['http', 'https']) {
      for (const [how, end] of Object.entries(endings)) {
        const server = new BareServer(
          (socket, { number }) => {
            if (number % 2 === 0) socket.write(OK);
            else if (how === 'reset') server.reset(socket);
            else end(socket);
          },
          scheme === 'https' ? 'localhost' : null,
        );
        const origin = await server.at(scheme, 'localhost');
        const connections = connected(origin);
        for (let i = 0; i < 10; i++) {
          assert.equal((await send(connections, origin)).statusCode, 200);
          const { error } = await send(connections, origin);
          assert.match(
            error!,
            how === 'reset' ? /ECONNRESET/ : /^the connection was closed before/,
            `${scheme}, ${how}`,
          );
        }
        assert.equal(server.arrived, 20, `${scheme}, ${how}`);
        connections.close();
      }
    }
  });

  test('HC4: that the server closes at any moment: it reads each request once at most', async () => {
    const chance = seededRandom(7);
    const paths: string[] = [];
    const server = new BareServer((socket, { head }) => {
      paths.push(head.split(' ')[1]!);
      socket.write(OK);
      const close = (): unknown => (chance.next() < 0.5 ? socket.end() : socket.destroy());
      if (chance.next() < 0.5) setImmediate(close);
      else setTimeout(close, chance.next() * 2);
    });
    const origin = await server.at();
    const connections = connected(origin);
    let answered = 0;
    for (let i = 0; i < 200; i++) {
      const { statusCode, error } = await send(connections, origin, `/${i}`);
      if (statusCode === 200) answered++;
      else assert.match(error!, /ECONNRESET|EPIPE|closed before/);
      if (chance.next() < 0.3) await delay(chance.next() * 2);
    }
    assert.ok(answered > 50, 'most requests find their connection open or notice that it is closed');
    connections.close();
    await allClosed(server);
    assert.equal(new Set(paths).size, paths.length);
  });

  for (const scheme of ['http', 'https'] as const) {
    test(`HC4: over ${scheme} one that was idle and has just been closed takes no request: it goes over a new one`, async () => {
      const server = new BareServer((socket) => void socket.write(OK), scheme === 'https' ? 'localhost' : null);
      const origin = await server.at(scheme, 'localhost');
      const connections = connected(origin);
      await send(connections, origin);
      for (let i = 1; i <= 5; i++) {
        await delay(2 * IDLE_UNCHECKED_MS);
        // The end arrives while this thread is busy, and the event loop has not seen it when the request is sent.
        for (const socket of server.open) socket.destroy();
        assert.equal((await send(connections, origin)).statusCode, 200);
        assert.equal(server.accepted, 1 + i);
        assert.equal(server.arrived, 1 + i);
      }
      connections.close();
      await allClosed(server);
    });
  }

  test('HC4: that the server closes after each response, without announcing it, is noticed before the next request', async () => {
    for (const scheme of ['http', 'https'] as const) {
      const server = new BareServer((socket) => void socket.end(OK), scheme === 'https' ? 'localhost' : null);
      const origin = await server.at(scheme, 'localhost');
      const connections = connected(origin);
      const outcomes: Outcome[] = [];
      const sent: Promise<unknown>[] = [];
      // Some wait for a connection in use, others are sent over an idle one.
      for (let i = 0; i < 200; i++) sent.push(send(connections, origin).then((outcome) => outcomes.push(outcome)));
      await Promise.all(sent);
      for (let i = 0; i < 20; i++) outcomes.push(await send(connections, origin));
      const failed = outcomes.filter(({ error }) => error !== null);
      // The end of a connection can still arrive after the look for it.
      assert.ok(failed.length < 22, `${scheme}: ${failed.length} of 220 failed`);
      for (const { error } of failed) assert.match(error!, /ECONNRESET|EPIPE|closed before/);
      assert.ok(server.arrived >= 220 - failed.length && server.arrived <= 220, 'each arrives once at most');
      connections.close();
      await allClosed(server);
    }
  });

  test('that is idle: a request that is abandoned before it is written never arrives, and the connection stays', async () => {
    const server = new BareServer((socket) => void socket.write(OK));
    const origin = await server.at();
    const connections = connected(origin);
    await send(connections, origin);
    await delay(2 * IDLE_UNCHECKED_MS);
    const exchange = connections.send({ origin, path: '/third', method: 'POST' }, '', body, {
      ended: () => assert.fail('an abandoned exchange reports nothing'),
    });
    assert.equal(exchange.sentAtMs, null);
    exchange.abandon();
    assert.equal((await send(connections, origin)).statusCode, 200);
    assert.deepEqual([server.accepted, server.arrived], [1, 2]);
    connections.close();
    await allClosed(server);
  });

  test('HC4: that was idle is checked before it takes a request, and the transport counts these checks', async () => {
    const server = new BareServer((socket) => void socket.write(OK));
    const origin = await server.at();
    const transport = new HttpTransport({ isServed: true, isOwnPort: () => false }, systemClock);
    const connections = ['wh_1', 'wh_2'].map((owner) => transport.connect(owner, origin, true));
    await Promise.all(connections.map((each) => send(each, origin)));
    await delay(2 * IDLE_UNCHECKED_MS);
    const sent = connections.map((each) => send(each, origin));
    assert.equal(transport.checking, 2);
    await Promise.all(sent);
    assert.equal(transport.checking, 0);
    for (const each of connections) each.close();
    transport.close();
    await allClosed(server);
  });

  test('is closed before most servers would close it, if the server does not say when', async () => {
    const server = new BareServer((socket) => void socket.write(OK));
    const origin = await server.at();
    await send(connected(origin), origin);
    const answeredAt = performance.now();
    const [socket] = server.open;
    await once(socket!, 'close');
    const keptMs = performance.now() - answeredAt;
    assert.ok(keptMs > KEEP_ALIVE_UNSTATED_MS / 2 && keptMs < KEEP_ALIVE_MS / 2, `${keptMs}`);
  });

  test('that was idle for too long is not closed under a request that came before its turn to be closed', async () => {
    const answer = 'HTTP/1.1 200 OK\r\nkeep-alive: timeout=2\r\ncontent-length: 2\r\n\r\nok';
    const server = new BareServer((socket) => void socket.write(answer));
    const origin = await server.at();
    const polls: (() => void)[] = [];
    const clock = { ...systemClock, afterPoll: (callback: () => void) => void polls.push(callback) };
    const poll = (): void => {
      for (const callback of polls.splice(0)) callback();
    };
    const transport = new HttpTransport({ isServed: true, isOwnPort: () => false }, clock);
    const connections = transport.connect('wh', origin, true);
    await send(connections, origin);
    await until(() => polls.length === 1, 'it is to be closed');
    const second = send(connections, origin);
    assert.equal(transport.checking, 1);
    poll();
    assert.equal((await second).statusCode, 200);
    const third = send(connections, origin);
    poll();
    assert.equal((await third).statusCode, 200);
    assert.equal(server.accepted, 1, 'it was used again, so it is kept');
    await until(() => polls.length === 1, 'it was idle for too long again');
    connections.send({ origin, path: '/', method: 'POST' }, '', body, { ended: () => {} }).abandon();
    poll();
    assert.equal(polls.length, 1, 'what was checked for nothing is looked at once more');
    poll();
    await allClosed(server);
    assert.equal(transport.traffic.connections, 0);
    transport.close();
    connections.close();
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
