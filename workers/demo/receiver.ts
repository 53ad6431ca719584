// A customer's receiver: an HTTP server on this machine, with TLS or without, that verifies every delivery and counts
// what arrived, in which order and how often. It can be switched off and on again, like a server that goes down.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { DEMO_BODY_BYTES_MAX } from '#engine/base/limits.ts';
import { BodyDigests } from './body-digests.ts';
import type { ReceiverCertificate } from './pkijs-certificate.ts';
import { SequenceSet } from './sequence-set.ts';
import { signatureProblem } from './signature-check.ts';

export type Scheme = 'http' | 'https';

/** The parts of a payload that decide which receivers it is for. */
export interface ReceivedPayload {
  readonly feed: string;
  readonly sequence: number;
  readonly utc: string;
  readonly event?: string;
  readonly data?: { readonly status?: string };
  readonly drivers?: readonly {
    readonly tla: string | null;
    readonly team: string | null;
    readonly position: number | null;
  }[];
}

export interface ReceiverCounts {
  /** All requests, whatever their result. */
  requests: number;
  /** Deliveries of an update that had already arrived. */
  duplicates: number;
  /** First attempts that arrived after the first attempt of a later update. */
  reordered: number;
  retries: number;
  badSignatures: number;
  /** Deliveries whose headers or method are not those of this run and endpoint. */
  misaddressed: number;
}

export interface ReceiverHooks {
  /** A genuine delivery of an update that had not arrived before. */
  onUpdate(payload: ReceivedPayload, arrivedMs: number): void;
  /** The first problem with a delivery. */
  onProblem(problem: string): void;
}

export class Receiver {
  readonly received = new SequenceSet();
  readonly bodies = new BodyDigests();
  readonly counts: ReceiverCounts = {
    requests: 0,
    duplicates: 0,
    reordered: 0,
    retries: 0,
    badSignatures: 0,
    misaddressed: 0,
  };
  readonly #method: string;
  readonly #certificate: ReceiverCertificate | null;
  readonly #hooks: ReceiverHooks;
  #server: Server | TlsServer | null = null;
  /** Connections that have carried no request yet. Node does not count them as idle. */
  readonly #unused = new Set<Socket>();
  #port = 0;
  #secret = '';
  /** Taken from the first delivery; later ones must have the same. */
  #runId: string | null = null;
  #highestFirst = 0;

  /** With a certificate it speaks https, else http. */
  constructor(method: 'post' | 'put', certificate: ReceiverCertificate | null, hooks: ReceiverHooks) {
    this.#method = method.toUpperCase();
    this.#certificate = certificate;
    this.#hooks = hooks;
  }

  get scheme(): Scheme {
    return this.#certificate === null ? 'http' : 'https';
  }

  get url(): string {
    return `${this.scheme}://127.0.0.1:${this.#port}/updates`;
  }

  get isOn(): boolean {
    return this.#server !== null;
  }

  /** Sets the secret that the service returned when the endpoint was registered. */
  useSecret(secret: string): void {
    this.#secret = secret;
  }

  /** Listens, the first time on any free port, later on the same port. */
  async switchOn(): Promise<void> {
    if (this.#server !== null) return;
    const receive = (request: IncomingMessage, response: ServerResponse): void => this.#receive(request, response);
    const server = this.#certificate === null ? createServer(receive) : createTlsServer(this.#certificate, receive);
    server.on(this.#certificate === null ? 'connection' : 'secureConnection', (socket: Socket) => {
      this.#unused.add(socket);
      socket.once('close', () => this.#unused.delete(socket));
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#port, '127.0.0.1', resolve);
    });
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Answers the requests that have arrived, then refuses connections until it is switched on again. */
  async switchOff(): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    this.#server = null;
    await new Promise<void>((resolve) => {
      const idle = setInterval(() => {
        server.closeIdleConnections();
        for (const socket of this.#unused) socket.destroy();
      }, 10);
      server.close(() => {
        clearInterval(idle);
        resolve();
      });
    });
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    this.#unused.delete(request.socket);
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > DEMO_BODY_BYTES_MAX) request.destroy();
      else chunks.push(chunk);
    });
    request.on('end', () => {
      const arrivedMs = Date.now();
      const body = Buffer.concat(chunks, bytes);
      if (this.#server === null) response.setHeader('connection', 'close');
      response.writeHead(this.#take(request, body, arrivedMs), { 'content-length': 0 }).end();
    });
  }

  /** Counts a delivery and returns the status of the response. */
  #take(request: IncomingMessage, body: Buffer, arrivedMs: number): number {
    const { headers } = request;
    this.counts.requests++;
    const problem = signatureProblem(headers, body, this.#secret, arrivedMs);
    if (problem !== null) {
      this.counts.badSignatures++;
      this.#hooks.onProblem(problem);
      return 401;
    }
    const payload = JSON.parse(body.toString()) as ReceivedPayload;
    const runId = String(headers['x-service-replay-run-id']);
    this.#runId ??= runId;
    if (
      request.method !== this.#method ||
      headers['x-service-mode'] !== 'replay' ||
      headers['x-service-feed'] !== payload.feed ||
      runId !== this.#runId
    ) {
      this.counts.misaddressed++;
      this.#hooks.onProblem(`${request.method} with unexpected headers: ${JSON.stringify(headers)}`);
    }
    if (headers['x-service-attempt'] === '1') {
      if (payload.sequence < this.#highestFirst) this.counts.reordered++;
      this.#highestFirst = Math.max(this.#highestFirst, payload.sequence);
    } else this.counts.retries++;
    if (this.received.add(payload.sequence)) {
      this.bodies.add(payload.sequence, body);
      this.#hooks.onUpdate(payload, arrivedMs);
    } else {
      this.counts.duplicates++;
    }
    return 200;
  }
}
