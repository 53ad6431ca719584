// Endpoints with bad TLS handshakes in their own process. A hanging one accepts the connection and never responds. A failing
// one responds in plain text, or has a certificate of an unknown authority. A late one takes five seconds before it reads
// the first message, then responds 200 to every request. A prompt one does so at once. When told to, all drop what they
// hold, so a bench need not wait for deadlines.
//
// Started by ill-handshakes-process.ts.

import { readFileSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { obeyBench } from './admission.ts';
import {
  type FromIllHandshakes,
  HANDSHAKE_SERVERS,
  type HandshakeServer,
  LATE_HANDSHAKE_MS,
} from './ill-handshakes-process.ts';

const LOOPBACK = '127.0.0.1';

const fixture = (name: string): Buffer => readFileSync(new URL(`../../test/fixtures/tls/${name}.pem`, import.meta.url));
const key = fixture('key');

const open = new Set<Socket>();
const admission = obeyBench(() => {
  for (const socket of open) socket.destroy();
});

/** Takes over connections when their wait is over. */
const healthy = createHttpsServer({ key, cert: fixture('localhost'), keepAliveTimeout: 0 }, (request, response) => {
  admission.requests++;
  request.resume().on('end', () => response.end());
});
// An endpoint gives up, or the bench drops the connection.
healthy.on('tlsClientError', () => {});

const servers: Readonly<Record<HandshakeServer, Server>> = {
  hanging: createServer((socket) => socket.resume()),
  'plain text': createServer((socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))),
  untrusted: createTlsServer({ key, cert: fixture('unknown') }).on('tlsClientError', () => {}),
  late: createServer({ pauseOnConnect: true }, (socket) => {
    setTimeout(() => {
      if (!socket.destroyed) healthy.emit('connection', socket);
    }, LATE_HANDSHAKE_MS);
  }),
  prompt: createServer({ pauseOnConnect: true }, (socket) => {
    healthy.emit('connection', socket);
  }),
};

for (const server of Object.values(servers)) {
  server.on('connection', (socket: Socket) => {
    if (!admission.accepting) {
      socket.destroy();
      return;
    }
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
  });
}

const ports = await Promise.all(
  HANDSHAKE_SERVERS.map(
    (name) =>
      new Promise<readonly [HandshakeServer, number]>((resolve) => {
        const server = servers[name];
        server.listen(0, LOOPBACK, () => resolve([name, (server.address() as AddressInfo).port]));
      }),
  ),
);
const listening: FromIllHandshakes = {
  kind: 'listening',
  ports: Object.fromEntries(ports) as Record<HandshakeServer, number>,
};
if (process.connected) process.send!(listening);
