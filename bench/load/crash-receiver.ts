// The customer's endpoints of the crash bench: a real HTTP server that verifies every signature and records each
// arrival with its time and status. Responses take a few milliseconds, so kills hit attempts under way. Endpoint 0
// refuses some first attempts, so kills also hit waiting retries.

import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sequenceIn } from '../receivers/sequence-in-body.ts';

/** Stands in for the id of the live run, which no header carries. */
export const LIVE = 'live';

export interface Arrival {
  readonly endpoint: number;
  readonly runId: string;
  readonly sequence: number;
  readonly attempt: number;
  /** When it was fully received: Unix epoch, fractional milliseconds. */
  readonly atMs: number;
  /** The status sent; null if the sender was gone before the response. */
  status: number | null;
}

/** Endpoint 0 refuses the first attempt of every 23rd update. */
const REFUSES_EVERY = 23;
const RESPONSE_MS_MAX = 12;

export class CrashReceiver {
  readonly arrivals: Arrival[] = [];
  /** The first body of each update, by session and sequence. */
  readonly bodies = new Map<string, string>();
  readonly faults = { wronglySigned: 0, changed: 0, senseless: 0, reusedIds: 0 };
  /** Update and digest of the body that each delivery id stands for. */
  readonly #meanings = new Map<string, string>();
  readonly #server: Server;
  readonly #secrets: string[] = [];

  private constructor() {
    this.#server = createServer((request, response) => this.#take(request, response));
    // Only the sender closes idle connections, so each request is one attempt.
    this.#server.keepAliveTimeout = 0;
  }

  static async start(): Promise<CrashReceiver> {
    const receiver = new CrashReceiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  urlOf(endpoint: number): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${endpoint}`;
  }

  /** Registers the secret of the next endpoint, in the order of their numbers. */
  expect(secret: string): void {
    this.#secrets.push(secret);
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('error', () => {});
    request.on('end', () => this.#arrived(request, response, Buffer.concat(chunks)));
  }

  #arrived({ url, headers }: IncomingMessage, response: ServerResponse, bytes: Buffer): void {
    const endpoint = Number(url?.slice(1));
    const body = bytes.toString();
    const secret = this.#secrets[endpoint];
    const sequence = sequenceIn(bytes);
    if (secret === undefined || sequence < 1) {
      this.faults.senseless++;
      response.writeHead(500).end();
      return;
    }
    const expected = `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`;
    if (headers['x-service-signature'] !== expected) this.faults.wronglySigned++;
    const replayed = headers['x-service-replay-run-id'];
    const runId = typeof replayed === 'string' ? replayed : LIVE;
    this.#compare(runId === LIVE ? LIVE : 'replay', sequence, body);
    const meaning = `${endpoint} ${runId} ${sequence} ${createHash('sha256').update(bytes).digest('hex')}`;
    this.#identify(headers['x-service-delivery-id'], meaning);
    const attempt = Number(headers['x-service-attempt']);
    const atMs = performance.timeOrigin + performance.now();
    const arrival: Arrival = { endpoint, runId, sequence, attempt, atMs, status: null };
    this.arrivals.push(arrival);
    const status = endpoint === 0 && attempt === 1 && sequence % REFUSES_EVERY === 0 ? 503 : 200;
    setTimeout(() => respond(response, arrival, status), (sequence * 7 + endpoint * 3) % RESPONSE_MS_MAX);
  }

  #identify(id: string | string[] | undefined, meaning: string): void {
    if (typeof id !== 'string') this.faults.senseless++;
    else if (!this.#meanings.has(id)) this.#meanings.set(id, meaning);
    else if (this.#meanings.get(id) !== meaning) this.faults.reusedIds++;
  }

  #compare(session: string, sequence: number, body: string): void {
    const key = `${session} ${sequence}`;
    const known = this.bodies.get(key);
    if (known === undefined) this.bodies.set(key, body);
    else if (known !== body) this.faults.changed++;
  }
}

function respond(response: ServerResponse, arrival: Arrival, status: number): void {
  if (response.destroyed) return;
  arrival.status = status;
  response.writeHead(status).end();
}
