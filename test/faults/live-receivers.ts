// Receivers of a live session: they know every body and delivery id in advance, and note what arrives, in order. They take more
// requests than those of node:http (arrivals.ts), and do not know who sent them.

import { App, type us_listen_socket, us_listen_socket_close, us_socket_local_port } from 'uWebSockets.js';
import { whenWhole } from '#bench/receivers/receiver-body.ts';
import { sequenceIn } from '#bench/receivers/sequence-in-body.ts';
import { deliveryId } from '#engine/delivery/sign/delivery-headers.ts';
import type { Arrival } from './ledger.ts';

export class LiveReceivers {
  /** By endpoint, in the order of arrival; repetitions too. */
  ofEndpoint: Arrival[][] = [];
  /** Arrivals with another body or id than they should have. */
  wrong = 0;
  readonly #bodies: readonly Buffer[];
  /** By endpoint, the start of its delivery ids. */
  #idPrefixes: readonly string[] = [];
  #missing = 0;
  #seen: Uint8Array[] = [];
  #listener: us_listen_socket | null = null;

  /** `bodies`: those of all updates, the first of which has sequence 1. */
  constructor(bodies: readonly Buffer[]) {
    this.#bodies = bodies;
    const app = App().post('/:endpoint', (response, request) => {
      const endpoint = Number(request.getParameter(0));
      const id = request.getHeader('x-service-delivery-id');
      whenWhole(response, (body) => {
        this.#take(endpoint, id, body);
        response.end();
      });
    });
    app.listen('127.0.0.1', 0, (listener) => {
      if (listener !== false) this.#listener = listener;
    });
  }

  url(endpoint: number): string {
    return `http://127.0.0.1:${us_socket_local_port(this.#listener!)}/${endpoint}`;
  }

  /** Begins anew. */
  expect(idPrefixes: readonly string[]): void {
    this.#idPrefixes = idPrefixes;
    this.wrong = 0;
    this.#missing = idPrefixes.length * this.#bodies.length;
    this.ofEndpoint = idPrefixes.map(() => []);
    this.#seen = idPrefixes.map(() => new Uint8Array(this.#bodies.length));
  }

  get updates(): number {
    return this.#bodies.length;
  }

  /** Updates that an endpoint has not got yet, of all endpoints. */
  get missing(): number {
    return this.#missing;
  }

  close(): void {
    if (this.#listener !== null) us_listen_socket_close(this.#listener);
  }

  #take(endpoint: number, id: string, body: Buffer): void {
    const atMs = performance.now();
    const sequence = sequenceIn(body);
    const expected = this.#bodies[sequence - 1];
    if (expected === undefined || !body.equals(expected) || id !== deliveryId(this.#idPrefixes[endpoint]!, sequence)) {
      this.wrong++;
      return;
    }
    this.ofEndpoint[endpoint]!.push({ sequence, atMs });
    const seen = this.#seen[endpoint]!;
    if (seen[sequence - 1] === 0) this.#missing--;
    seen[sequence - 1] = 1;
  }
}
