// The customers' receivers: one HTTP server that counts arrivals by delivery id, and knows which process sent each.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { sequenceIn } from '#bench/receivers/sequence-in-body.ts';

export interface Arrival {
  readonly sequence: number;
  /** When all of it had arrived, on the monotonic clock. */
  readonly atMs: number;
  /** The process that sent it; 0 if it is not known. */
  readonly pid: number;
}

export class Arrivals {
  /** By endpoint, in the order of arrival; repetitions too. */
  readonly ofEndpoint: Arrival[][] = [];
  /** How often each delivery id came. */
  readonly #ids = new Map<string, number>();
  readonly #pids = new Map<Socket, number>();
  readonly #senders: () => readonly number[];
  readonly #server: Server;
  #repeated = 0;

  /** `senders`: the processes that may send. */
  static async start(senders: () => readonly number[]): Promise<Arrivals> {
    const arrivals = new Arrivals(senders);
    await new Promise<void>((resolve) => arrivals.#server.listen(0, '127.0.0.1', resolve));
    return arrivals;
  }

  private constructor(senders: () => readonly number[]) {
    this.#senders = senders;
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('error', () => {});
      request.on('end', () => {
        this.#take(request, Buffer.concat(chunks));
        response.writeHead(200).end();
      });
    });
    this.#server.keepAliveTimeout = 0;
    this.#server.on('connection', (socket) => {
      this.#pids.set(socket, senderOf(socket.remotePort ?? 0, this.#senders()));
      socket.once('close', () => this.#pids.delete(socket));
    });
  }

  /** The URL of the next endpoint. */
  add(): string {
    this.ofEndpoint.push([]);
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${this.ofEndpoint.length - 1}`;
  }

  /** Different deliveries. */
  get distinct(): number {
    return this.#ids.size;
  }

  /** Arrivals of deliveries that had arrived before. */
  get repeated(): number {
    return this.#repeated;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #take({ url, headers, socket }: IncomingMessage, body: Buffer): void {
    const id = String(headers['x-service-delivery-id']);
    const times = (this.#ids.get(id) ?? 0) + 1;
    this.#ids.set(id, times);
    if (times > 1) this.#repeated++;
    this.ofEndpoint[Number(url!.slice(1))]!.push({
      sequence: sequenceIn(body),
      atMs: performance.now(),
      pid: this.#pids.get(socket) ?? 0,
    });
  }
}

/** The process that holds the socket with this local port, as the kernel knows it. */
function senderOf(port: number, pids: readonly number[]): number {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of readFileSync(table, 'utf8').split('\n')) {
      const fields = line.trim().split(/\s+/);
      if (!fields[1]?.endsWith(local)) continue;
      const wanted = `socket:[${fields[9]}]`;
      for (const pid of pids) if (holds(pid, wanted)) return pid;
    }
  }
  return 0;
}

function holds(pid: number, wanted: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => linkOf(`/proc/${pid}/fd/${fd}`) === wanted);
  } catch {
    return false;
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
