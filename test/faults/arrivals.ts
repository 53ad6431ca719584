// The customers' receivers: one HTTP server that counts arrivals by delivery id, and knows which process sent each.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { sequenceIn } from '#bench/receivers/sequence-in-body.ts';
import type { Arrival } from './ledger.ts';

export interface SentArrival extends Arrival {
  readonly sender: Sender;
}

/** The process behind a connection: found a moment after it was opened; 0 before. */
interface Sender {
  pid: number;
}

const FIND_SENDERS_MS = 200;

export class Arrivals {
  /** By endpoint, in the order of arrival; repetitions too. */
  readonly ofEndpoint: SentArrival[][] = [];
  /** How often each delivery id came. */
  readonly #ids = new Map<string, number>();
  readonly #senders = new Map<Socket, Sender>();
  readonly #finding: NodeJS.Timeout;
  readonly #server: Server;
  #repeated = 0;

  /** `pids`: the processes that may send. */
  static async start(pids: () => readonly number[]): Promise<Arrivals> {
    const arrivals = new Arrivals(pids);
    await new Promise<void>((resolve) => arrivals.#server.listen(0, '127.0.0.1', resolve));
    return arrivals;
  }

  private constructor(pids: () => readonly number[]) {
    this.#finding = setInterval(() => this.#findSenders(pids()), FIND_SENDERS_MS);
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
      this.#senders.set(socket, { pid: 0 });
      socket.once('close', () => this.#senders.delete(socket));
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
    clearInterval(this.#finding);
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
      sender: this.#senders.get(socket) ?? { pid: 0 },
    });
  }

  /** All new connections at once: it takes milliseconds, which receivers should not lose with each. */
  #findSenders(pids: readonly number[]): void {
    const unknown = [...this.#senders].filter(([, { pid }]) => pid === 0);
    if (unknown.length === 0) return;
    const inodes = inodesByPort();
    const holders = new Map(pids.flatMap((pid) => socketsOf(pid).map((inode) => [inode, pid])));
    for (const [socket, sender] of unknown) sender.pid = holders.get(inodes.get(socket.remotePort ?? 0) ?? '') ?? 0;
  }
}

/** The sockets of this machine, as the kernel numbers them, by their local ports. */
function inodesByPort(): Map<number, string> {
  const found = new Map<number, string>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6'])
    for (const line of readFileSync(table, 'utf8').split('\n').slice(1)) {
      const fields = line.trim().split(/\s+/);
      if (fields.length > 9) found.set(Number.parseInt(fields[1]!.split(':')[1]!, 16), fields[9]!);
    }
  return found;
}

function socketsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${fd}`)) ?? [];
      return inode === undefined ? [] : [inode];
    });
  } catch {
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
