// Deliveries over TLS: names and certificates, connections that are kept, handshakes that fail or stall.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { describe, mock, test } from 'node:test';
import { TLSSocket } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { systemClock } from '#engine/base/clock.ts';
import { HttpTransport } from '#engine/delivery/transport/http-transport.ts';
import type { Exchange } from '#engine/delivery/transport/transport.ts';
import { allClosed, BareServer, body, connected, OK, send, until } from '#test/support/bare-http.ts';

test('TLS: the server name is sent, connections are kept, no request waits for another, and sessions are resumed', async () => {
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
  // The session may be the reason why a connection could not be established.
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

test('TLS: no session is resumed once the certificate that was verified for it has expired', async () => {
  const resumed: boolean[] = [];
  const server = new BareServer((socket) => socket.end(OK), 'localhost');
  server.server.on('secureConnection', (socket: TLSSocket) => resumed.push(socket.isSessionReused()));
  const origin = await server.at('https', 'localhost');
  let wallMs = Date.UTC(2119, 0);
  const clock = { ...systemClock, wallMs: () => wallMs };
  const transport = new HttpTransport({ isServed: true, isOwnPort: () => false }, clock);
  const connections = transport.connect('wh', origin, true);
  const deliver = async (): Promise<void> => {
    assert.equal((await send(connections, origin)).answer, 'ok');
    await allClosed(server);
  };
  for (let i = 0; i < 3; i++) await deliver();
  wallMs = Date.UTC(2121, 0);
  for (let i = 0; i < 2; i++) await deliver();
  assert.deepEqual(resumed, [false, true, true, false, false]);
  connections.close();
  transport.close();
});

test('TLS: the server name has no dot at its end, even if the URL has one', async () => {
  const sockets = TLSSocket.prototype as unknown as { setServername(name: string): void };
  const setServername = mock.method(sockets, 'setServername');
  const origin = 'https://hooks.example.';
  const connections = connected(origin, [], true, () => Promise.reject(new Error('no address')));
  assert.equal((await send(connections, origin)).error, 'no address');
  assert.deepEqual(
    setServername.mock.calls.map(({ arguments: [name] }) => name),
    ['hooks.example'],
  );
  setServername.mock.restore();
});

/** An https server on a thread of its own, so that its response is there while this thread is busy. */
const THREAD = `
  const { createServer } = require('node:https');
  const { parentPort, workerData } = require('node:worker_threads');
  let accepted = 0;
  const server = createServer(workerData, (request, response) => {
    request.resume().on('end', () => response.end(String(accepted)));
  });
  server.on('connection', () => accepted++);
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

test('TLS: a connection is kept when its response is there before the socket has reported the end of the write', async (t) => {
  const pem = (name: string): string =>
    readFileSync(new URL(`../../fixtures/tls/${name}.pem`, import.meta.url), 'utf8');
  const worker = new Worker(THREAD, { eval: true, workerData: { key: pem('key'), cert: pem('localhost') } });
  t.after(() => worker.terminate());
  const [port] = await once(worker, 'message');
  const origin = `https://localhost:${port}`;
  const connections = connected(origin);
  for (let i = 0; i < 10; i++) {
    // As the shard does: requests go out in the phase of the event loop in which a TLS socket reports what was written.
    const outcome = await new Promise<{ readonly answer: string | null }>((resolve) =>
      setImmediate(() => {
        resolve(send(connections, origin));
        const untilMs = performance.now() + 20;
        while (performance.now() < untilMs);
      }),
    );
    assert.equal(outcome.answer, '1');
  }
});

test('TLS: a connection whose response came before its request was sent whole is not used before that', async () => {
  let arrived = 0;
  const server = new BareServer(() => {}, 'localhost');
  server.server.removeAllListeners('secureConnection');
  server.server.on('secureConnection', (socket: TLSSocket) => {
    socket.on('error', () => {});
    // Answers the head of the first request, and reads no further for a while.
    socket.once('data', () => {
      socket.pause();
      arrived++;
      socket.write(OK);
      setTimeout(() => socket.resume(), 200);
    });
    socket.on('data', () => {});
  });
  const origin = await server.at('https', 'localhost');
  const connections = connected(origin);
  const large = new Uint8Array(8_000_000);
  const first = new Promise<unknown>((resolve) =>
    connections.send({ origin, path: '/', method: 'POST' }, '', large, { ended: resolve }),
  );
  assert.deepEqual(await first, { kind: 'answered', statusCode: 200, body: 'ok' });
  void send(connections, origin);
  await until(() => server.accepted === 2 && arrived === 2, 'the second request goes over a connection of its own');
});

describe('TLS', { concurrency: true }, () => {
  test('a certificate must be valid, trusted and issued for the name', async () => {
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

  test('an endpoint that does not speak TLS fails with a code of its own', async () => {
    const server = new BareServer(() => assert.fail('no request'));
    server.server.on('connection', (socket: Socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const origin = await server.at('https');
    assert.match((await send(connected(origin), origin)).error!, /^(EPROTO|ERR_SSL_WRONG_VERSION_NUMBER)$/);
    await allClosed(server);
  });

  test('a stalled handshake ends with the exchange that waits for it, and when the connections are closed', async () => {
    const inner = new BareServer(() => {}, 'localhost');
    const held: Socket[] = [];
    inner.server.on('secureConnection', (socket: Socket) => held.push(socket));
    // Only the first connection gets a response to its handshake.
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
    const heard = { ended: () => assert.fail('nothing is heard of an abandoned exchange') };
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
