// Sends HTTP requests over raw keep-alive sockets and takes the time of each answer: cheap enough to keep a server busy that
// answers a hundred thousand a second.

import { connect, type Socket } from 'node:net';

export interface LoadTarget {
  readonly port: number;
  /** Whole requests, taken in turn. */
  readonly requests: readonly Buffer[];
}

export interface LoadResult {
  readonly perSecond: number;
  /** Answers other than 200. */
  readonly refused: number;
  /** Milliseconds, sorted. */
  readonly latenciesMs: Float64Array;
}

const LATENCIES_MAX = 4_000_000;
const HEAD_END = Buffer.from('\r\n\r\n');
const LENGTH = Buffer.from('ontent-'); // Content-Length and content-length

class Connection {
  readonly #socket: Socket;
  readonly #answered: (startedMs: number, ok: boolean) => void;
  readonly #startedMs: number[] = [];
  #first = 0;
  #rest: Buffer = Buffer.alloc(0);

  private constructor(socket: Socket, answered: (startedMs: number, ok: boolean) => void) {
    this.#socket = socket;
    this.#answered = answered;
    socket.on('data', (bytes) => this.#read(bytes));
  }

  static open(port: number, answered: (startedMs: number, ok: boolean) => void): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () =>
        resolve(new Connection(socket, answered)),
      );
      socket.on('error', reject);
    });
  }

  get underWay(): number {
    return this.#startedMs.length - this.#first;
  }

  /** `startedMs`: when the request was due, so that a late sender does not flatter the server. */
  send(requests: readonly Buffer[], startedMs: number): void {
    for (let i = 0; i < requests.length; i++) this.#startedMs.push(startedMs);
    this.#socket.write(requests.length === 1 ? requests[0]! : Buffer.concat(requests));
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(bytes: Buffer): void {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    let from = 0;
    while (from < all.length) {
      const head = all.indexOf(HEAD_END, from);
      if (head < 0) break;
      const end = head + 4 + contentLength(all, from, head);
      if (end > all.length) break;
      const ok = all[from + 9] === 0x32 && all[from + 10] === 0x30 && all[from + 11] === 0x30;
      from = end;
      this.#answered(this.#startedMs[this.#first++]!, ok);
      if (this.#first === 4_096) {
        this.#startedMs.splice(0, this.#first);
        this.#first = 0;
      }
    }
    this.#rest = from === all.length ? Buffer.alloc(0) : all.subarray(from);
  }
}

function contentLength(bytes: Buffer, from: number, head: number): number {
  for (let at = bytes.indexOf(LENGTH, from); at >= 0 && at < head; at = bytes.indexOf(LENGTH, at + 1)) {
    // `Length: ` or `length: `, not `content-type`.
    if (bytes[at + 7] !== 0x4c && bytes[at + 7] !== 0x6c) continue;
    let length = 0;
    for (let i = at + 15; bytes[i]! >= 0x30 && bytes[i]! <= 0x39; i++) length = length * 10 + bytes[i]! - 0x30;
    return length;
  }
  return 0;
}

export interface LoadOptions {
  readonly connections: number;
  readonly seconds: number;
}

/** As many as the server answers: each connection has `depth` requests under way. */
export async function saturate(
  target: LoadTarget,
  options: LoadOptions & { readonly depth: number },
): Promise<LoadResult> {
  return load(target, options.connections, async (connections, next, answeredBy) => {
    const endMs = performance.now() + options.seconds * 1_000;
    answeredBy((connection) => {
      // Half of the depth at once: fewer, larger writes on both sides.
      if (connection.underWay > options.depth / 2 || performance.now() >= endMs) return;
      const requests = Array.from({ length: options.depth - connection.underWay }, next);
      connection.send(requests, performance.now());
    });
    for (const connection of connections) {
      connection.send(Array.from({ length: options.depth }, next), performance.now());
    }
    await pause(options.seconds * 1_000);
  });
}

/** So many a second, evenly, whatever the server does. */
export async function pace(
  target: LoadTarget,
  options: LoadOptions & { readonly perSecond: number },
): Promise<LoadResult> {
  return load(target, options.connections, async (connections, next) => {
    const startMs = performance.now();
    let sent = 0;
    for (;;) {
      const elapsedMs = performance.now() - startMs;
      if (elapsedMs >= options.seconds * 1_000) return;
      const due = Math.floor((elapsedMs * options.perSecond) / 1_000);
      for (; sent < due; sent++) {
        connections[sent % connections.length]!.send([next()], startMs + (sent * 1_000) / options.perSecond);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
}

async function load(
  { port, requests }: LoadTarget,
  count: number,
  drive: (
    connections: readonly Connection[],
    next: () => Buffer,
    answeredBy: (callback: (connection: Connection) => void) => void,
  ) => Promise<void>,
): Promise<LoadResult> {
  const latencies = new Float64Array(LATENCIES_MAX);
  let answers = 0;
  let refused = 0;
  let turn = 0;
  let afterwards: (connection: Connection) => void = () => {};
  const connections: Connection[] = [];
  for (let i = 0; i < count; i++) {
    const connection = await Connection.open(port, (startedMs, ok) => {
      if (answers < LATENCIES_MAX) latencies[answers] = performance.now() - startedMs;
      answers++;
      if (!ok) refused++;
      afterwards(connection);
    });
    connections.push(connection);
  }
  const startMs = performance.now();
  await drive(
    connections,
    () => requests[turn++ % requests.length]!,
    (callback) => {
      afterwards = callback;
    },
  );
  const seconds = (performance.now() - startMs) / 1_000;
  for (const connection of connections) connection.close();
  const latenciesMs = latencies.subarray(0, Math.min(answers, LATENCIES_MAX)).sort();
  return { perSecond: answers / seconds, refused, latenciesMs };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
