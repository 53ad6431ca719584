// A bare loop over undici's `dispatch`, on one thread, that sends every update when it is due: what the engine is compared
// with at a distance. It makes the same two signatures as the engine, with the engine's signer, and verifies certificates
// as it does. No delivery log, no retries, no filters, no order.

import { once } from 'node:events';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { Agent } from 'undici';
import { Signer } from '#engine/delivery/sign/signer.ts';
import { authorityCertificate } from '../receivers/localhost-certificate.ts';
import { monotonicMs } from '../suite/monotonic.ts';
import { dispatchSigned } from './undici-signed-request.ts';

/** For each endpoint. The fastest of several tried at 100 ms: with more, handshakes fill the core. */
const CONNECTIONS = 8;

/** The updates of a play, and the endpoints that get each of them. */
export interface PacedLoad {
  readonly urls: readonly string[];
  /** By endpoint. */
  readonly secrets: readonly string[];
  readonly bodies: readonly Uint8Array[];
  /** When each update is due, on the machine's monotonic clock, in ascending order. */
  readonly dueAtMs: Float64Array;
}

export class PacedLoop {
  readonly #worker = new Worker(new URL(import.meta.url));

  /** Resolves when every request has its response. */
  async play(load: PacedLoad): Promise<void> {
    this.#worker.postMessage(load);
    await once(this.#worker, 'message');
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}

function serve(): void {
  const agent = new Agent({ connections: CONNECTIONS, pipelining: 1, connect: { ca: authorityCertificate() } });
  parentPort!.on('message', async (load: PacedLoad) => {
    await sendAll(agent, load);
    parentPort!.postMessage('played');
  });
}

function sendAll(agent: Agent, { urls, secrets, bodies, dueAtMs }: PacedLoad): Promise<void> {
  const endpoints = urls.map((url, index) => {
    const { origin, pathname } = new URL(url);
    return { origin, path: pathname, signer: new Signer(secrets[index]!, null) };
  });
  return new Promise((resolve, reject) => {
    let sent = 0;
    let done = 0;
    const ended = (): void => {
      done++;
      if (done === bodies.length * endpoints.length) resolve();
    };
    const turn = (): void => {
      const nowMs = monotonicMs();
      for (; sent < bodies.length && dueAtMs[sent]! <= nowMs; sent++)
        for (const endpoint of endpoints)
          dispatchSigned(agent, { ...endpoint, id: `evt_${sent}`, body: bodies[sent]! }, ended, reject);
      if (sent < bodies.length) setTimeout(turn, Math.max(0, dueAtMs[sent]! - monotonicMs()));
    };
    turn();
  });
}

if (!isMainThread) serve();
