// Servers that end connections at every stage, do not read, or misbehave at random: each exchange has one result, and
// nothing is left.

import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '#engine/base/clock.ts';
import { seededRandom } from '#engine/base/random.ts';
import { HttpTransport } from '#engine/delivery/transport/http-transport.ts';
import { type Arrival, allClosed, BareServer, body, connected, OK, send } from '#test/support/bare-http.ts';
import { outcomeOf } from '#test/support/log-row.ts';

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
            assert.match(
              error!,
              how === 'end' ? /closed before the response was complete/ : /ECONNRESET|closed before/,
            );
          }
          connections.close();
          await allClosed(server);
        }
      });
    }

    test(`a response that the end of the connection ends is complete, over ${over}`, async () => {
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

  test('at once, at every connection', async () => {
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

describe('large requests', { concurrency: true }, () => {
  test('a response that arrives before the request is fully sent counts, and its connection takes no other request', async () => {
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
        connections.send({ origin, path: '/', method: 'POST' }, '', large, {
          ended: (result) => resolve(outcomeOf(result).statusCode),
        });
      });
      assert.equal(statusCode, 413);
      const refused = await new Promise((resolve) => {
        connections.send({ origin, path: '/', method: 'POST' }, '', large, {
          ended: (result) => resolve(outcomeOf(result).statusCode),
        });
      });
      assert.equal(refused, 413);
      assert.equal(server.accepted, 2);
      connections.close();
      // A socket that does not read learns of the end when it reads again.
      for (const socket of unread) socket.resume();
      await allClosed(server);
    }
  });

  for (const certificate of [null, 'localhost']) {
    test(`arrive complete and unmixed over many connections, over ${certificate === null ? 'TCP' : 'TLS'}`, async () => {
      const wrong: string[] = [];
      const server = new BareServer((socket, { head, body: bytes }) => {
        const filling = Number(/^POST \/(\d+) /.exec(head)![1]);
        if (!bytes.equals(Buffer.alloc(bytes.length, filling))) wrong.push(`request ${filling}`);
        socket.write(OK);
      }, certificate);
      // The server does not read for a while, so bytes that the kernel does not take stay here.
      server.server.on('connection', (socket: Socket) => {
        socket.pause();
        setTimeout(() => socket.resume(), 60);
      });
      const origin = await server.at(certificate === null ? 'http' : 'https');
      // Both share one request buffer.
      const transport = new HttpTransport({ isServed: true, isOwnPort: () => false }, systemClock);
      const pools = [transport.connect('wh_a', origin, true), transport.connect('wh_b', origin, true)];
      const sizes = [4 * 1024 * 1024, 900, 70_000, 4 * 1024 * 1024, 2_000, 4 * 1024 * 1024, 65_000, 1];
      const answered = Array.from({ length: 24 }, (_none, i) => {
        const filled = Buffer.alloc(sizes[i % sizes.length]!, i + 1);
        const destination = { origin, path: `/${i + 1}`, method: 'POST' } as const;
        return new Promise((resolve) =>
          pools[i % 2]!.send(destination, '', filled, { ended: (result) => resolve(outcomeOf(result).statusCode) }),
        );
      });
      assert.deepEqual(new Set(await Promise.all(answered)), new Set([200]));
      assert.deepEqual(wrong, []);
      for (const pool of pools) pool.close();
      transport.close();
      await allClosed(server);
    });
  }
});

test('two thousand requests to servers that misbehave at random: one result each, no socket left, no warning', async () => {
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
        ended(result) {
          end(result.kind === 'failed' ? result.detail : result.kind);
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
