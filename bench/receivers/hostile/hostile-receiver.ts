// Serves one misbehaviour on its own port.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { Worker } from 'node:worker_threads';
import type { Misbehaviour } from './misbehaviour.ts';
import { RequestReader } from './request-reader.ts';

/** More connections than the accept queue has room for. */
const QUEUED = 8;

const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../../../test/fixtures/tls/${name}.pem`, import.meta.url));

/** Connections and requests so far. */
export interface Calls {
  readonly connections: number;
  readonly requests: number;
  /** Whether a connection carried more than one request. */
  readonly reused: boolean;
}

export class HostileReceiver {
  readonly row: Misbehaviour;
  readonly #host: string;
  readonly #canaryPort: number;
  readonly #open = new Set<Socket>();
  #server: Server | null = null;
  #queue: Worker | null = null;
  #port = 0;
  #connections = 0;
  #requests = 0;
  #reused = false;

  constructor(row: Misbehaviour, host: string, canaryPort: number) {
    this.row = row;
    this.#host = host;
    this.#canaryPort = canaryPort;
  }

  get port(): number {
    return this.#port;
  }

  get calls(): Calls {
    return { connections: this.#connections, requests: this.#requests, reused: this.#reused };
  }

  /** The webhook URL of this receiver. */
  get url(): string {
    switch (this.row.by.kind) {
      case 'name':
        return `https://${nameOf(this.row)}:${this.#port}/`;
      case 'tls':
      case 'no tls':
        return `https://localhost:${this.#port}/`;
      default:
        return `http://127.0.0.1:${this.#port}/`;
    }
  }

  /** Port 0 means any free port. */
  async listen(port: number): Promise<void> {
    const { by } = this.row;
    if (by.kind === 'full queue') return this.#fillQueue(port);
    if (by.kind === 'closed port') return this.#occupy(port);
    this.#server = by.kind === 'tls' ? this.#overTls(by) : createServer({ allowHalfOpen: true });
    this.#server.on('connection', (socket: Socket) => this.#taken(socket));
    this.#port = await listening(this.#server, port, this.#host);
  }

  async close(): Promise<void> {
    this.#server?.close();
    for (const socket of this.#open) socket.destroy();
    await this.#queue?.terminate();
  }

  #keep(socket: Socket): void {
    this.#open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.#open.delete(socket));
  }

  #taken(socket: Socket): void {
    this.#connections++;
    this.#keep(socket);
    const { by } = this.row;
    if (by.kind === 'connection' || by.kind === 'no tls') by.act(socket);
    else if (by.kind === 'request') this.#read(socket, by.act);
  }

  #read(socket: Socket, act: Extract<Misbehaviour['by'], { kind: 'request' }>['act']): void {
    const reader = new RequestReader();
    let number = 0;
    socket.on('data', (piece: Buffer) => {
      for (let whole = reader.take(piece); whole > 0; whole--) {
        this.#requests++;
        this.#reused ||= number > 0;
        act(socket, { number: number++, canaryPort: this.#canaryPort });
      }
    });
  }

  #overTls({ certificate, maxVersion, act }: Extract<Misbehaviour['by'], { kind: 'tls' }>): Server {
    const version = maxVersion === undefined ? {} : { minVersion: 'TLSv1' as const, maxVersion };
    const server = createTlsServer({ key: fixture('key'), cert: fixture(certificate), ...version });
    server.on('tlsClientError', () => {});
    server.on('secureConnection', (socket: TLSSocket) => {
      socket.on('error', () => {});
      for (const below of this.#open) if (below.remotePort === socket.remotePort) act(socket, below);
    });
    return server;
  }

  /** Holds the port with an outgoing connection, so no process can listen on it. */
  async #occupy(port: number): Promise<void> {
    this.#server = createServer((socket) => this.#keep(socket));
    const to = await listening(this.#server, 0, this.#host);
    const socket = connect({ port: to, host: this.#host, localPort: port, localAddress: this.#host });
    this.#keep(socket);
    await once(socket, 'connect');
    this.#port = socket.localPort!;
  }

  async #fillQueue(port: number): Promise<void> {
    this.#queue = new Worker(new URL('./full-queue.ts', import.meta.url), { workerData: { host: this.#host, port } });
    [this.#port] = await once(this.#queue, 'message');
    for (let i = 0; i < QUEUED; i++) this.#keep(connect(this.#port, this.#host));
  }
}

export const nameOf = ({ name }: Misbehaviour): string => `${name}.hostile.example`;

export async function listening(server: Server, port: number, host: string): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
