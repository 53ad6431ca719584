// The listeners beside the front's: an operating system that is short of something refuses connections for a while.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, Server } from 'node:net';
import { test } from 'node:test';
import { listenForOperators } from '#api/admin/admin-listener.ts';
import { GrpcConnections } from '#api/grpc/grpc-connections.ts';
import { listenForPeers } from '#api/nodes/peer-listener.ts';
import { systemClock } from '#engine/base/clock.ts';

const HOST = '127.0.0.1';

test('connections that cannot be accepted, one after the other, end no listener', async (t) => {
  const servers: Server[] = [];
  const { listen } = Server.prototype;
  t.mock.method(Server.prototype, 'listen', function (this: Server, ...given: Parameters<Server['listen']>) {
    servers.push(this);
    return listen.apply(this, given);
  });
  const peers = await listenForPeers(null as never, null as never, HOST, 0);
  t.after(() => peers.close());
  const operators = await listenForOperators({ host: HOST, port: 0 } as never);
  t.after(() => operators.close());
  const calls = new GrpcConnections({ clock: systemClock } as never);
  await calls.listen(HOST, 0);
  t.after(() => {
    calls.close();
    calls.end();
  });
  assert.equal(servers.length, 3);
  for (const server of [...servers, ...servers]) server.emit('error', new Error('accept ENOBUFS'));
});

test('a port that was taken since the start looked is named with its setting', async (t) => {
  const blocker = createServer().listen(0, HOST);
  t.after(() => blocker.close());
  await once(blocker, 'listening');
  const { port } = blocker.address() as AddressInfo;
  const place = `127\\.0\\.0\\.1:${port}`;
  const calls = new GrpcConnections({ clock: systemClock } as never);
  t.after(() => calls.end());
  await assert.rejects(calls.listen(HOST, port), new RegExp(`GRPC_PORT: cannot listen on ${place} .*EADDRINUSE`));
  const peers = listenForPeers(null as never, null as never, HOST, port);
  await assert.rejects(peers, new RegExp(`CLUSTER_ADDRESS: cannot listen on ${place}: EADDRINUSE`));
});
