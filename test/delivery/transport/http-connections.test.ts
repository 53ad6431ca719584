// The connections to one endpoint: kept from run to run, opened ahead of need, and never one too many.

import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as immediate } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { systemClock } from '#engine/base/clock.ts';
import { Lease } from '#engine/base/lease.ts';
import { FAR_WAIT_MS, THREAD_LOAD_MS } from '#engine/base/limits.ts';
import { HttpConnections } from '#engine/delivery/transport/http-connections.ts';
import { HttpTransport } from '#engine/delivery/transport/http-transport.ts';
import { allClosed, BareServer, OK, send, until } from '#test/support/bare-http.ts';

const newTransport = (): HttpTransport => new HttpTransport({ isServed: true, isOwnPort: () => false }, systemClock);

test('the next run of an endpoint starts with the connections of the last one; another endpoint gets its own', async () => {
  for (const scheme of ['http', 'https']) {
    const server = new BareServer((socket) => socket.write(OK), scheme === 'https' ? 'localhost' : null);
    const origin = await server.at(scheme, 'localhost');
    const transport = newTransport();
    for (let run = 0; run < 3; run++) {
      const connections = transport.connect('wh_a', origin, true);
      assert.equal((await send(connections, origin)).answer, 'ok');
      connections.close();
    }
    assert.equal(server.accepted, 1);
    const others = transport.connect('wh_b', origin, true);
    assert.equal((await send(others, origin)).answer, 'ok');
    assert.equal(server.accepted, 2);
    transport.close();
    others.close();
    await allClosed(server);
  }
});

test('a connection that its server closes between two runs is replaced', async () => {
  const server = new BareServer((socket) => socket.write(OK));
  const origin = await server.at('http', 'localhost');
  const transport = newTransport();
  const before = transport.connect('wh', origin, true);
  assert.equal((await send(before, origin)).answer, 'ok');
  before.close();
  for (const socket of server.open) socket.end();
  await allClosed(server);
  const after = transport.connect('wh', origin, true);
  assert.equal((await send(after, origin)).answer, 'ok');
  assert.equal(server.accepted, 2);
  assert.equal(transport.traffic.connections, 1);
  transport.close();
  after.close();
  await allClosed(server);
});

test('a second run of an endpoint at the same time has connections of its own', async () => {
  const server = new BareServer((socket) => socket.write(OK));
  const origin = await server.at('http', 'localhost');
  const transport = newTransport();
  const runs = [transport.connect('wh', origin, true), transport.connect('wh', origin, true)];
  for (const run of runs) assert.equal((await send(run, origin)).answer, 'ok');
  assert.equal(server.accepted, 2);
  for (const run of runs) run.close();
  transport.close();
  await allClosed(server);
});

test('HC1: a connection is opened ahead of the first request, once, and that request uses it', async () => {
  for (const scheme of ['http', 'https']) {
    const server = new BareServer((socket) => socket.write(OK), scheme === 'https' ? 'localhost' : null);
    const origin = await server.at(scheme, 'localhost');
    const transport = newTransport();
    const connections = transport.connect('wh', origin, true);
    connections.warm(1);
    connections.warm(1);
    await until(() => server.accepted === 1, 'it is connected before there is a request');
    assert.equal((await send(connections, origin)).answer, 'ok');
    assert.equal(server.accepted, 1);
    transport.close();
    connections.close();
    await allClosed(server);
  }
});

test('HC1: as many connections as are wanted are opened ahead of requests, and none twice', async () => {
  const server = new BareServer((socket) => socket.write(OK), 'localhost');
  let established = 0;
  server.server.on('secureConnection', () => established++);
  const origin = await server.at('https', 'localhost');
  const transport = newTransport();
  const before = transport.connect('wh', origin, true);
  before.warm(3);
  await until(() => established === 3, 'three connections are open');
  assert.equal((await send(before, origin)).answer, 'ok');
  before.close();
  // The response may have come before the socket confirmed the request.
  await immediate();
  const after = transport.connect('wh', origin, true);
  after.warm(4);
  await until(() => server.accepted === 4, 'the kept ones count');
  assert.equal(transport.traffic.connections, 4);
  transport.close();
  after.close();
  await allClosed(server);
});

test('TH4: a burst to a near endpoint needs one connection over TLS, the same to a far one as many as it has requests', async () => {
  const server = new BareServer((socket) => socket.write(OK), 'localhost');
  const origin = await server.at('https', 'localhost');
  const transport = newTransport();
  const connections = transport.connect('wh', origin, true);
  assert.equal((await send(connections, origin)).answer, 'ok');
  await Promise.all(Array.from({ length: 8 }, () => send(connections, origin)));
  assert.equal(server.accepted, 1);
  connections.distanceMs = 100;
  const burst = Array.from({ length: 8 }, () => send(connections, origin));
  await until(() => server.accepted > 1, 'further connections are opened');
  await Promise.all(burst);
  transport.close();
  connections.close();
  await allClosed(server);
});

test('TH4: a burst gets the connections by which its requests gain at once, by the distance', async () => {
  const server = new BareServer((socket) => socket.write(OK), 'localhost');
  const origin = await server.at('https', 'localhost');
  const transport = newTransport();
  for (const [distanceMs, needed] of [
    [0, 1],
    [FAR_WAIT_MS / 10, 1],
    // Eight wait: two for the connection that is there, two or one for each that is opened.
    [FAR_WAIT_MS / 2, 4],
    [FAR_WAIT_MS + 1, 7],
  ] as const) {
    const connections = transport.connect(`wh_${distanceMs}`, origin, true);
    connections.distanceMs = distanceMs;
    assert.equal((await send(connections, origin)).answer, 'ok');
    await immediate();
    const others = transport.traffic.connections - 1;
    const burst = Array.from({ length: 9 }, () => send(connections, origin));
    assert.equal(transport.traffic.connections - others, needed, `${distanceMs} ms away`);
    await Promise.all(burst);
    connections.close();
  }
  transport.close();
  await allClosed(server);
});

test('HC8: after a burst for which a far endpoint had too few connections, it has enough for one that is a quarter larger', async () => {
  const server = new BareServer((socket) => setTimeout(() => socket.write(OK), 20), 'localhost');
  let established = 0;
  server.server.on('secureConnection', () => established++);
  const origin = await server.at('https', 'localhost');
  const transport = newTransport();
  const connections = transport.connect('wh', origin, true);
  connections.distanceMs = 20;
  connections.warm(6);
  await until(() => established === 6, 'six are open');
  await Promise.all(Array.from({ length: 6 }, () => send(connections, origin)));
  assert.equal(transport.traffic.opened, 6, 'they were enough');
  const burst = Array.from({ length: 8 }, () => send(connections, origin));
  assert.equal(transport.traffic.opened, 6, 'those in use serve the other two sooner than new ones would');
  await Promise.all(burst);
  await until(() => transport.traffic.opened === 10, 'four more are opened when the thread waits');
  await until(() => established === 10, 'all are open');
  await Promise.all(Array.from({ length: 10 }, () => send(connections, origin)));
  assert.equal(transport.traffic.opened, 10);
  connections.close();
  transport.close();
  await allClosed(server);
});

test('HC5: while the thread is full, a near endpoint over TLS needs two requests for each connection, others any number', async () => {
  let isFull = false;
  let laterMs = 0;
  const nowMs = (): number => systemClock.nowMs() + laterMs;
  const clock = { ...systemClock, nowMs, idleMs: () => (isFull ? 0 : nowMs()) };
  const transport = new HttpTransport({ isServed: true, isOwnPort: () => false }, clock);
  const server = new BareServer((socket) => socket.write(OK), 'localhost');
  const origin = await server.at('https', 'localhost');
  const [near, plain] = [transport.connect('wh_1', origin, true), transport.connect('wh_2', 'http://localhost', true)];
  assert.equal(near.usefulInFlight, Number.POSITIVE_INFINITY);
  isFull = true;
  laterMs = THREAD_LOAD_MS;
  assert.equal(near.usefulInFlight, 2, 'also before it has a connection');
  assert.equal(plain.usefulInFlight, Number.POSITIVE_INFINITY);
  near.warm(3);
  assert.equal(near.usefulInFlight, 6);
  near.distanceMs = 100;
  assert.equal(near.usefulInFlight, Number.POSITIVE_INFINITY);
  transport.close();
  for (const connections of [near, plain]) connections.close();
  await allClosed(server);
});

test('HC6: requests to a far endpoint go over its connections in turn, those to a near one over the last that was used', async () => {
  const uses = new Map<Socket, number>();
  const server = new BareServer((socket) => {
    uses.set(socket, (uses.get(socket) ?? 0) + 1);
    socket.write(OK);
  }, 'localhost');
  let established = 0;
  server.server.on('secureConnection', () => established++);
  const origin = await server.at('https', 'localhost');
  const transport = newTransport();
  const connections = transport.connect('wh', origin, true);
  connections.warm(3);
  await until(() => established === 3, 'three connections are open');
  const sendInTurn = async (count: number): Promise<readonly number[]> => {
    uses.clear();
    for (let sent = 0; sent < count; sent++) {
      assert.equal((await send(connections, origin)).answer, 'ok');
      // The response may have come before the socket confirmed the request.
      await immediate();
    }
    return [...uses.values()];
  };
  assert.deepEqual(await sendInTurn(6), [6]);
  connections.distanceMs = 100;
  assert.deepEqual(await sendInTurn(6), [2, 2, 2]);
  transport.close();
  connections.close();
  await allClosed(server);
});

test('HC1: a run that ends before its first request leaves no connection', async () => {
  const server = new BareServer(() => assert.fail('no request'), 'localhost');
  const origin = await server.at('https', 'localhost');
  const transport = newTransport();
  const connections = transport.connect('wh', origin, true);
  connections.warm(1);
  connections.close();
  assert.equal(transport.traffic.connections, 0);
  await allClosed(server);
});

test('HC3: a server that takes one connection gets all requests over it', async () => {
  const server = new BareServer((socket) => setTimeout(() => socket.write(OK), 20), 'localhost');
  server.server.prependListener('connection', (socket: Socket) => {
    if (server.accepted > 0) socket.destroy();
  });
  const origin = await server.at('https', 'localhost');
  const transport = newTransport();
  const connections = transport.connect('wh', origin, true);
  connections.warm(1);
  assert.equal((await send(connections, origin)).answer, 'ok');
  const outcomes = await Promise.all(Array.from({ length: 4 }, () => send(connections, origin)));
  assert.deepEqual(
    outcomes.map(({ statusCode }) => statusCode),
    [200, 200, 200, 200],
  );
  transport.close();
  connections.close();
  await allClosed(server);
});

test('HC3: all requests that wait at a suspect endpoint share the failure of its one handshake', async () => {
  const server = new BareServer((socket) => socket.write(OK), 'localhost');
  let refused = true;
  server.server.prependListener('connection', (socket: Socket) => {
    if (refused) socket.destroy();
  });
  const origin = await server.at('https', 'localhost');
  const transport = newTransport();
  const connections = transport.connect('wh', origin, true);
  for (let failures = 0; failures < 2; failures++) await send(connections, origin);
  const burst = await Promise.all(Array.from({ length: 5 }, () => send(connections, origin)));
  assert.equal(server.accepted, 3);
  assert.ok(burst.every(({ statusCode }) => statusCode === null));
  refused = false;
  const next = await Promise.all(Array.from({ length: 5 }, () => send(connections, origin)));
  assert.ok(next.every(({ answer }) => answer === 'ok'));
  transport.close();
  connections.close();
  await allClosed(server);
});

test('TH5: an endpoint is suspect after two failed handshakes in a row, until one succeeds', async () => {
  const server = new BareServer((socket) => socket.write(OK), 'localhost');
  let refused = true;
  server.server.prependListener('connection', (socket: Socket) => {
    if (refused) socket.destroy();
  });
  const origin = await server.at('https', 'localhost');
  const transport = newTransport();
  const connections = transport.connect('wh', origin, true);
  assert.ok(connections instanceof HttpConnections);
  await send(connections, origin);
  assert.equal(connections.suspect, false, 'a single failure may be an accident');
  await send(connections, origin);
  assert.equal(connections.suspect, true);
  refused = false;
  assert.equal((await send(connections, origin)).answer, 'ok');
  assert.equal(connections.suspect, false);
  transport.close();
  connections.close();
  await allClosed(server);
});

test('a TLS session is resumed by every endpoint of its origin', async () => {
  const resumed: boolean[] = [];
  const server = new BareServer((socket) => socket.write(OK), 'localhost');
  server.server.on('secureConnection', (socket: TLSSocket) => resumed.push(socket.isSessionReused()));
  const origin = await server.at('https', 'localhost');
  const transport = newTransport();
  for (const owner of ['wh_a', 'wh_b', 'wh_c']) {
    const connections = transport.connect(owner, origin, true);
    assert.equal((await send(connections, origin)).answer, 'ok');
    connections.close();
  }
  assert.deepEqual(resumed, [false, true, true]);
  assert.equal(transport.traffic.resumed, 2);
  transport.close();
  await allClosed(server);
});

test('HC7: no request is written without a lease, on a kept connection or a new one; later ones use the connection', async () => {
  for (const scheme of ['http', 'https']) {
    const server = new BareServer((socket) => socket.write(OK), scheme === 'https' ? 'localhost' : null);
    const origin = await server.at(scheme, 'localhost');
    const lease = new Lease();
    const transport = new HttpTransport(
      { isServed: true, isOwnPort: () => false },
      systemClock,
      undefined,
      undefined,
      lease,
    );
    const connections = transport.connect('wh', origin, true);
    lease.extend(Number.POSITIVE_INFINITY);
    const waiting = [send(connections, origin), send(connections, origin)];
    // They wait for their connections when it runs out.
    lease.drop();
    for (const outcome of await Promise.all(waiting)) assert.match(String(outcome.error), /lost its lease/);
    assert.match(String((await send(connections, origin)).error), /lost its lease/);
    assert.equal(server.arrived, 0);
    lease.extend(Number.POSITIVE_INFINITY);
    assert.equal((await send(connections, origin)).answer, 'ok');
    assert.equal(server.arrived, 1);
    assert.ok(server.accepted <= 2);
    connections.close();
    transport.close();
    await allClosed(server);
  }
});
