// The upper limit: what one thread reaches on plain sockets if it omits everything it can. It assembles requests as
// bytes, pipelines many on each connection (HTTP/1.1), and reads only status and length of a response. No sender that
// matches responses to requests, enforces deadlines or retries can be faster.

import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { isMainThread, workerData } from 'node:worker_threads';
import { type Sender, type Sending, serveLoads, startSender } from './sender-thread.ts';

/** Uses this many connections, with at most `unanswered` requests awaiting a response on each. */
export function startSocketLoop(connections: number, unanswered: number): Promise<Sender> {
  return startSender(import.meta.url, { connections, unanswered } satisfies LoopSettings);
}

interface LoopSettings {
  readonly connections: number;
  readonly unanswered: number;
}

interface Endpoint {
  readonly key: KeyObject;
  /** The request up to the signature. */
  readonly head: string;
}

const HEAD_BYTES_MAX = 256;

function loop({ connections, unanswered }: LoopSettings): void {
  const send: Sending = async ({ origin, secrets }, bodies) => {
    // Opens new connections for each load: receivers close those that are idle while another contestant runs.
    const sockets = await Promise.all(Array.from({ length: connections }, () => open(origin)));
    const requests = new Requests(secrets, bodies);
    await Promise.all(sockets.map((socket) => sendOn(socket, requests, unanswered)));
    for (const socket of sockets) socket.destroy();
  };
  serveLoads(send, async () => {});
}

function open(origin: string): Promise<Socket> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    socket.once('error', reject).once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

/** The requests of one load in the order of the timeline, shared by all connections. */
class Requests {
  readonly #endpoints: readonly Endpoint[];
  readonly #bodies: readonly Uint8Array[];
  #taken = 0;

  constructor(secrets: readonly string[], bodies: readonly Uint8Array[]) {
    this.#endpoints = secrets.map((secret, index) => ({
      key: createSecretKey(Buffer.from(secret)),
      head: `POST /${index} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nX-Service-Signature: sha256=`,
    }));
    this.#bodies = bodies;
  }

  get left(): number {
    return this.#endpoints.length * this.#bodies.length - this.#taken;
  }

  /** The bytes of the next `count` requests. */
  take(count: number): Buffer {
    const first = this.#taken;
    this.#taken += count;
    let room = 0;
    for (let index = first; index < this.#taken; index++) room += HEAD_BYTES_MAX + this.#body(index).length;
    const bytes = Buffer.allocUnsafe(room);
    let end = 0;
    for (let index = first; index < this.#taken; index++) {
      const { key, head } = this.#endpoints[index % this.#endpoints.length]!;
      const body = this.#body(index);
      const signature = createHmac('sha256', key).update(body).digest('hex');
      end += bytes.write(`${head}${signature}\r\ncontent-length: ${body.length}\r\n\r\n`, end, 'latin1');
      bytes.set(body, end);
      end += body.length;
    }
    return bytes.subarray(0, end);
  }

  #body(index: number): Uint8Array {
    return this.#bodies[Math.floor(index / this.#endpoints.length)]!;
  }
}

/** Keeps the connection full until no requests are left. Resolves when it has a response to each that it sent. */
function sendOn(socket: Socket, requests: Requests, unansweredMax: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const responses = new ResponseCounter();
    let unanswered = 0;
    const fill = (): void => {
      const count = Math.min(unansweredMax - unanswered, requests.left);
      if (count === 0) return;
      unanswered += count;
      socket.write(requests.take(count));
    };
    const done = (): void => {
      socket.off('data', read).off('error', reject).off('close', closed);
      resolve();
    };
    const read = (chunk: Buffer): void => {
      try {
        unanswered -= responses.count(chunk);
      } catch (error) {
        reject(error);
        return;
      }
      // Refills only when half empty, so one write carries many requests.
      if (unanswered <= unansweredMax / 2) fill();
      if (unanswered === 0) done();
    };
    const closed = (): void => reject(new Error('the receiver closed a connection with requests under way'));
    socket.on('data', read).on('error', reject).on('close', closed);
    fill();
    if (unanswered === 0) done();
  });
}

/** Finds the ends of responses in a stream of bytes. Any status other than 200 is an error. */
class ResponseCounter {
  #rest = '';

  /** Returns how many responses end in this chunk. */
  count(chunk: Buffer): number {
    const text = this.#rest + chunk.toString('latin1');
    let start = 0;
    let found = 0;
    for (;;) {
      const blank = text.indexOf('\r\n\r\n', start);
      if (blank === -1) break;
      const head = text.slice(start, blank);
      if (!head.startsWith('HTTP/1.1 200 ')) throw new Error(`the receiver answered ${head.split('\r\n', 1)[0]}`);
      const length = /\r\ncontent-length: *(\d+)/i.exec(head);
      if (length === null)
        throw new Error('the receiver answered without a content-length, so the end of the response is unknown');
      const end = blank + 4 + Number(length[1]);
      if (end > text.length) break;
      start = end;
      found++;
    }
    this.#rest = text.slice(start);
    return found;
  }
}

if (!isMainThread) loop(workerData as LoopSettings);
