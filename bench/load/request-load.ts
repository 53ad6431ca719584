// Sends HTTP requests over raw keep-alive sockets and times each response. Cheap enough to saturate a server that
// serves a hundred thousand requests a second.

import { connect, type Socket } from 'node:net';
import type { LoadTarget } from '#bench/engines/api-service.ts';

export interface LoadResult {
  readonly perSecond: number;
  /** Responses other than 200, and connections that the server closed. */
  readonly refused: number;
  /** Milliseconds, sorted. */
  readonly latenciesMs: Float64Array;
}

const LATENCIES_MAX = 4_000_000;
/** How long the last responses of an even load may take. */
const LAST_MS_MAX = 30_000;
const HEAD_END = Buffer.from('\r\n\r\n');
const LENGTH = Buffer.from('ontent-'); // Content-Length and content-length

type OnResponse = (connection: Connection, startedMs: number, ok: boolean) => void;

/** A connection with one request at a time, as API clients use them. */
class Connection {
  readonly #socket: Socket;
  readonly #onResponse: OnResponse;
  #startedMs = 0;
  #rest: Buffer = Buffer.alloc(0);

  private constructor(socket: Socket, onResponse: OnResponse) {
    this.#socket = socket;
    this.#onResponse = onResponse;
    socket.on('data', (bytes) => this.#read(bytes));
  }

  static open(port: number, onResponse: OnResponse, onClosed: () => void): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () =>
        resolve(new Connection(socket, onResponse)),
      );
      socket.on('error', reject).on('close', onClosed);
    });
  }

  /** `startedMs` is when the request was due, so a late sender does not make the server look faster. */
  send(request: Buffer, startedMs: number): void {
    this.#startedMs = startedMs;
    this.#socket.write(request);
  }

  close(): void {
    this.#socket.removeAllListeners('close').destroy();
  }

  #read(bytes: Buffer): void {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const head = all.indexOf(HEAD_END);
    const complete = head >= 0 && all.length >= head + HEAD_END.length + contentLength(all, head);
    this.#rest = complete ? Buffer.alloc(0) : all;
    if (complete) this.#onResponse(this, this.#startedMs, all[9] === 0x32 && all[10] === 0x30 && all[11] === 0x30);
  }
}

function contentLength(bytes: Buffer, head: number): number {
  for (let at = bytes.indexOf(LENGTH); at >= 0 && at < head; at = bytes.indexOf(LENGTH, at + 1)) {
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

/** Sends as fast as the server responds: every connection sends its next request when it has its response. */
export function saturate(target: LoadTarget, options: LoadOptions): Promise<LoadResult> {
  const next = roundRobin(target.requests);
  return load(target.port, options.connections, async (connections, whenFree) => {
    const endMs = performance.now() + options.seconds * 1_000;
    const send = (connection: Connection) => {
      const nowMs = performance.now();
      if (nowMs < endMs) connection.send(next(), nowMs);
    };
    whenFree(send);
    for (const connection of connections) send(connection);
    await pause(options.seconds * 1_000);
  });
}

/**
 * Sends at an even rate, independent of the server. If no connection is free, a request waits, and the wait counts. Everything
 * that is due within the time is sent and waited for: the slowest responses would be missing otherwise.
 */
export function pace(target: LoadTarget, options: LoadOptions & { readonly perSecond: number }): Promise<LoadResult> {
  const next = roundRobin(target.requests);
  return load(target.port, options.connections, async (connections, whenFree) => {
    const free = [...connections];
    whenFree((connection) => free.push(connection));
    const all = Math.floor(options.seconds * options.perSecond);
    const startMs = performance.now();
    let sent = 0;
    while (sent < all || free.length < connections.length) {
      const elapsedMs = performance.now() - startMs;
      if (elapsedMs > options.seconds * 1_000 + LAST_MS_MAX)
        throw new Error(`${all - sent + connections.length - free.length} of ${all} requests have no response`);
      const due = Math.min(all, Math.floor((elapsedMs * options.perSecond) / 1_000));
      while (sent < due && free.length > 0) free.pop()!.send(next(), startMs + (sent++ * 1_000) / options.perSecond);
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
}

function roundRobin<Item>(items: readonly Item[]): () => Item {
  let turn = 0;
  return () => items[turn++ % items.length]!;
}

async function load(
  port: number,
  count: number,
  drive: (
    connections: readonly Connection[],
    whenFree: (callback: (connection: Connection) => void) => void,
  ) => Promise<void>,
): Promise<LoadResult> {
  const latencies = new Float64Array(LATENCIES_MAX);
  let responses = 0;
  let refused = 0;
  const closed = (): void => void refused++;
  let afterwards: (connection: Connection) => void = () => {};
  const connections: Connection[] = [];
  for (let i = 0; i < count; i++) {
    connections.push(
      await Connection.open(
        port,
        (connection, startedMs, ok) => {
          if (responses < LATENCIES_MAX) latencies[responses] = performance.now() - startedMs;
          responses++;
          if (!ok) refused++;
          afterwards(connection);
        },
        closed,
      ),
    );
  }
  const startMs = performance.now();
  try {
    await drive(connections, (callback) => {
      afterwards = callback;
    });
  } finally {
    for (const connection of connections) connection.close();
  }
  const seconds = (performance.now() - startMs) / 1_000;
  const latenciesMs = latencies.subarray(0, Math.min(responses, LATENCIES_MAX)).sort();
  return { perSecond: responses / seconds, refused, latenciesMs };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
