// The real transport on loopback, and servers on bare sockets that behave as a test wants. Certificates:
// test/fixtures/tls/README.md.

import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer as createSocketServer, type Socket, type Server as SocketServer } from 'node:net';
import { after } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createServer as createTlsServer, setDefaultCACertificates } from 'node:tls';
import { systemClock } from '#engine/base/clock.ts';
import { HttpTransport } from '#engine/delivery/transport/http-transport.ts';
import type { NameLookup } from '#engine/delivery/transport/name-lookup.ts';
import type { Connections } from '#engine/delivery/transport/transport.ts';
import { type Outcome, outcomeOf } from './log-row.ts';

/** Called after the tests of the file. */
export const ends: (() => void)[] = [];
after(() => {
  for (const end of ends) end();
});

export async function listening(server: Server | SocketServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  });
  return (server.address() as { port: number }).port;
}

export function connected(
  origin: string,
  ownPorts: readonly number[] = [],
  allowLoopback = true,
  lookup?: NameLookup,
): Connections {
  const transport = new HttpTransport(
    { isServed: true, isOwnPort: (port) => ownPorts.includes(port) },
    systemClock,
    lookup,
  );
  const connections = transport.connect('wh', origin, allowLoopback);
  // Without the parking that would keep them for a next run.
  const close = (): void => {
    transport.close();
    connections.close();
  };
  ends.push(close);
  return {
    distanceMs: 0,
    usefulInFlight: Number.POSITIVE_INFINITY,
    send: connections.send.bind(connections),
    warm: connections.warm.bind(connections),
    close,
  };
}

export const body = new TextEncoder().encode('{"feed":"lap.count"}');

export function send(connections: Connections, origin: string, path = '/hook', method: 'POST' | 'PUT' = 'POST') {
  return new Promise<Outcome>((resolve) => {
    connections.send({ origin, path, method }, 'content-type: application/json\r\nX-Service-Mode: replay\r\n', body, {
      ended: (result) => resolve(outcomeOf(result)),
    });
  });
}

export const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

const fixture = (name: string): Buffer => readFileSync(new URL(`../fixtures/tls/${name}.pem`, import.meta.url));
setDefaultCACertificates([fixture('authority')]);

/** A complete request. */
export interface Arrival {
  /** Counts all requests, from 0. */
  readonly number: number;
  readonly head: string;
  readonly body: Buffer;
}

/** A server on bare sockets that tracks the open ones. */
export class BareServer {
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
    // TLS has no reset, so the TCP connection below is reset.
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

export async function until(condition: () => boolean, what: string): Promise<void> {
  for (let i = 0; i < 800; i++) {
    if (condition()) return;
    await delay(5);
  }
  assert.fail(what);
}

export const allClosed = (server: BareServer): Promise<void> =>
  until(() => server.open.size === 0, 'every connection is closed');

export const LOCAL: LookupAddress[] = [{ address: '127.0.0.1', family: 4 }];
