// The bound of connections by address: the count alone, and over real connections.

import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import Type from 'typebox';
import { AddressConnections } from '#api/http/address-connections.ts';
import { Dispatcher } from '#api/http/dispatcher.ts';
import { PLAIN_FRONT } from '#api/http/front-settings.ts';
import { type Operation, publicOperation, reply } from '#api/http/operation.ts';
import type { RequestMeter } from '#api/http/request-meter.ts';
import { RequestQuota } from '#api/http/request-quota.ts';
import { listen } from '#api/http/uws-server.ts';
import { systemClock } from '#engine/base/clock.ts';
import { ADDRESS_CONNECTIONS_MAX, CONNECTION_QUIET_S_MAX } from '#engine/base/limits.ts';
import { type Scope, until } from '#test/support/api-harness.ts';
import { silentLog } from '#test/support/database.ts';
import { BEHIND_PROXY } from '#test/support/people.ts';

/** Connections that are open in all, so that only the count decides. */
const MANY = 1_000;

function counted(max: number) {
  let ms = 0;
  const connections = new AddressConnections(max, { nowMs: () => ms });
  const wait = (seconds: number): void => {
    ms += 1_000 * seconds;
  };
  return { connections, wait };
}

test('a connection counts while it is busy, and for a bounded time after its last response', () => {
  const { connections, wait } = counted(2);
  const count = connections.open('a', MANY)!;
  count.busy();
  assert.ok(connections.open('a', MANY) !== null);
  assert.equal(connections.open('a', MANY), null);
  assert.ok(connections.open('b', MANY) !== null, 'others have a bound of their own');
  // The second one never sent a request; the first one still waits for its response.
  wait(CONNECTION_QUIET_S_MAX);
  assert.equal(count.connections, 1);
  wait(1_000);
  assert.equal(count.connections, 1);
  count.rest();
  wait(CONNECTION_QUIET_S_MAX - 1);
  assert.equal(count.connections, 1, 'the library may not have closed it yet');
  wait(1);
  assert.equal(count.connections, 0);
});

test('what closed unseen counts no longer than what fell quiet last', () => {
  const { connections, wait } = counted(100);
  const count = connections.open('a', MANY)!;
  for (let second = 0; second < 100; second++) {
    // One connection is kept, the others close between two requests: three a second open or get a response.
    assert.ok(connections.open('a', MANY) !== null, `second ${second}`);
    for (let request = 0; request < 2; request++) {
      count.busy();
      count.rest();
    }
    assert.ok(count.connections <= 3 * CONNECTION_QUIET_S_MAX, `second ${second}`);
    wait(1);
  }
  // Requests over kept connections alone add nothing.
  wait(CONNECTION_QUIET_S_MAX);
  connections.open('a', MANY);
  for (let request = 0; request < 1_000; request++) {
    count.busy();
    count.rest();
    if (request % 50 === 0) wait(1);
  }
  assert.equal(count.connections, 1);
});

test('an address never counts fewer connections than it has', () => {
  const { connections, wait } = counted(1_000);
  // Two that are quiet in turns, one that stays busy, one that opens and sends nothing.
  const count = connections.open('a', MANY)!;
  for (let opened = 1; opened < 3; opened++) connections.open('a', MANY);
  count.busy();
  for (let second = 0; second < 40; second++) {
    wait(CONNECTION_QUIET_S_MAX / 2);
    for (let both = 0; both < 2; both++) {
      count.busy();
      assert.ok(count.connections >= 3);
      count.rest();
    }
    assert.ok(count.connections >= 3, `step ${second}`);
  }
});

async function front(
  t: Scope,
  operations: Record<string, Operation>,
  settings = PLAIN_FRONT,
): Promise<{ readonly port: number; readonly meter: RequestMeter }> {
  const dispatcher = new Dispatcher({
    routes: Object.entries(operations).map(([path, operation]) => ({ method: 'GET', path, operation })),
    authenticate: () => assert.fail(),
    signedIn: () => assert.fail(),
    quota: new RequestQuota(systemClock),
    front: settings,
    log: silentLog,
  });
  const listening = await listen(dispatcher, '127.0.0.1', 0);
  t.after(() => listening.close());
  return { port: listening.port, meter: dispatcher.meter };
}

/** Opens connections from an address, a few at a time. Returns those that stay open. */
async function open(t: Scope, port: number, localAddress: string, connections: number): Promise<Set<Socket>> {
  const sockets = new Set<Socket>();
  for (let opened = 0; opened < connections; opened += 100) {
    await Promise.all(
      Array.from({ length: Math.min(100, connections - opened) }, async () => {
        const socket = connect({ host: '127.0.0.1', port, localAddress });
        sockets.add(socket);
        socket.on('error', () => {}).on('close', () => sockets.delete(socket));
        await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
      }),
    );
  }
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  return sockets;
}

/** How many of these got a response; the others were closed. */
async function answered(sockets: Iterable<Socket>, request: string): Promise<number> {
  const responses = await Promise.all(
    [...sockets].map((socket) => {
      socket.write(request);
      return new Promise<number>((resolve) => {
        socket.once('data', () => resolve(1)).once('close', () => resolve(0));
      });
    }),
  );
  return responses.reduce((sum, one) => sum + one, 0);
}

const Ok = Type.Object({ ok: Type.Boolean() });
const now = publicOperation({ summary: 'now', answer: Ok }, async () => reply({ ok: true }));
const NOW = 'GET /now HTTP/1.1\r\nHost: x\r\n\r\n';

test('an address has so many connections; a further one is closed at once, and others have their own', async (t) => {
  const { port, meter } = await front(t, { '/now': now });
  const mine = await open(t, port, '127.0.0.3', ADDRESS_CONNECTIONS_MAX);
  assert.equal(await answered([...mine].slice(0, 50), NOW), 50);
  const further = await open(t, port, '127.0.0.3', 10);
  await until(() => further.size === 0);
  assert.equal(mine.size, ADDRESS_CONNECTIONS_MAX);
  assert.equal(meter.refusedConnections.value('address'), 10);
  assert.equal(meter.refusedConnections.value('all'), 0);
  assert.equal(meter.gauges.value('connections'), ADDRESS_CONNECTIONS_MAX);
  assert.equal(await answered(await open(t, port, '127.0.0.4', 1), NOW), 1);
  const [served] = mine;
  const silent = [...mine].at(-1);
  // One closes before it sent a request, one after a request that says so: both are seen to close, and make room.
  silent!.destroy();
  await answered([served!], 'GET /now HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  const room = new Set<Socket>();
  await until(async () => {
    for (const socket of await open(t, port, '127.0.0.3', 1))
      if ((await answered([socket], NOW)) === 1) room.add(socket);
    return room.size === 2;
  });
});

test('a client that closes its connection after each request is served, however many it has had', async (t) => {
  const { port, meter } = await front(t, { '/now': now });
  for (let request = 0; request < ADDRESS_CONNECTIONS_MAX + 20; request++) {
    const [socket] = await open(t, port, '127.0.0.3', 1);
    assert.ok(socket !== undefined, `connection ${request}`);
    assert.equal(await answered([socket], NOW), 1);
    socket.destroy();
  }
  assert.equal(meter.refusedConnections.value('address'), 0);
});

test('connections of a trusted proxy count for nobody', async (t) => {
  const { port } = await front(t, { '/now': now }, BEHIND_PROXY);
  const sockets = await open(t, port, '127.0.0.3', ADDRESS_CONNECTIONS_MAX + 10);
  assert.equal(await answered(sockets, NOW), ADDRESS_CONNECTIONS_MAX + 10);
});
