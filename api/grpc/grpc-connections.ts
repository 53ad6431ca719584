// The connections of the gRPC listener, before anything of HTTP/2 is read from them. What a client does within a
// connection is bounded by the HTTP/2 library: streams, headers, resets.
//
// GC1 Connections are bounded in all, and for each address that is not a trusted proxy.
// GC2 A connection that brings no call within GRPC_FIRST_CALL_MS is closed: bytes that trickle in, half a head, nothing.
// GC3 A client sends requests and little else. One that sends more than GRPC_INFLOW_BYTES in GRPC_CHECK_MS floods
//     (pings, resets, headers), and its connection is closed.

import { createServer, type Server, type Socket } from 'node:net';
import type { TimerClock } from '#engine/base/clock.ts';
import {
  GRPC_ADDRESS_CONNECTIONS_MAX,
  GRPC_CHECK_MS,
  GRPC_CONNECTIONS_MAX,
  GRPC_FIRST_CALL_MS,
  GRPC_INFLOW_BYTES,
} from '#engine/base/limits.ts';
import { grpcPortError } from '#engine/base/port-errors.ts';

export interface GrpcConnectionsParts {
  readonly clock: TimerClock;
  /** Takes an open connection. */
  readonly take: (socket: Socket) => void;
  /** The group of addresses that it counts for; null for a trusted proxy, which counts for none. */
  readonly groupOf: (address: string) => string | null;
}

/** Both ends of a connection. A client may use one port for connections to several addresses of this machine. */
export interface ConnectionEnds {
  readonly localAddress?: string | undefined;
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}

interface Connection {
  readonly socket: Socket;
  readonly openedAtMs: number;
  hasCalled: boolean;
  bytesRead: number;
}

export class GrpcConnections {
  readonly #parts: GrpcConnectionsParts;
  readonly #server: Server;
  /** By its ends, as `keyOf` writes them. */
  readonly #connections = new Map<string, Connection>();
  readonly #byGroup = new Map<string, number>();
  readonly #stopChecks: () => void;

  constructor(parts: GrpcConnectionsParts) {
    this.#parts = parts;
    this.#server = createServer({ noDelay: true }, (socket) => this.#opened(socket));
    this.#server.maxConnections = GRPC_CONNECTIONS_MAX;
    this.#stopChecks = parts.clock.every(GRPC_CHECK_MS, async () => this.#check());
  }

  get size(): number {
    return this.#connections.size;
  }

  /** Resolves with the port. Rejects with an error that names GRPC_PORT if it is taken. */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      // Once it listens, an error is that of a connection that could not be accepted.
      this.#server.on('error', (error) => reject(grpcPortError(host, port, error)));
      this.#server.listen(port, host, () => {
        const address = this.#server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    });
  }

  /** A call has come in over the connection with these ends. */
  called(ends: ConnectionEnds): void {
    const connection = this.#connections.get(keyOf(ends));
    if (connection !== undefined) connection.hasCalled = true;
  }

  /** Takes no more connections. */
  close(): void {
    this.#server.close();
  }

  /** Cuts those that are still open. */
  end(): void {
    this.#stopChecks();
    for (const { socket } of [...this.#connections.values()]) socket.destroy();
  }

  /** GC1 */
  #opened(socket: Socket): void {
    socket.on('error', () => socket.destroy());
    const { remoteAddress } = socket;
    if (remoteAddress === undefined) {
      socket.destroy();
      return;
    }
    const group = this.#parts.groupOf(remoteAddress);
    const ofGroup = group === null ? 0 : (this.#byGroup.get(group) ?? 0);
    if (ofGroup >= GRPC_ADDRESS_CONNECTIONS_MAX) {
      socket.destroy();
      return;
    }
    if (group !== null) this.#byGroup.set(group, ofGroup + 1);
    const key = keyOf(socket);
    const openedAtMs = this.#parts.clock.nowMs();
    this.#connections.set(key, { socket, openedAtMs, hasCalled: false, bytesRead: 0 });
    socket.once('close', () => this.#closed(key, group));
    this.#parts.take(socket);
  }

  #closed(key: string, group: string | null): void {
    this.#connections.delete(key);
    if (group === null) return;
    const left = this.#byGroup.get(group)! - 1;
    if (left > 0) this.#byGroup.set(group, left);
    else this.#byGroup.delete(group);
  }

  /** GC2, GC3 */
  #check(): void {
    const nowMs = this.#parts.clock.nowMs();
    for (const connection of [...this.#connections.values()]) {
      const { socket, hasCalled, openedAtMs } = connection;
      const { bytesRead } = socket;
      const isSilent = !hasCalled && nowMs - openedAtMs > GRPC_FIRST_CALL_MS;
      if (isSilent || bytesRead - connection.bytesRead > GRPC_INFLOW_BYTES) socket.destroy();
      connection.bytesRead = bytesRead;
    }
  }
}

function keyOf({ localAddress, remoteAddress, remotePort }: ConnectionEnds): string {
  return `${localAddress} ${remoteAddress}:${remotePort}`;
}
