// The main thread's side of the gRPC thread: starts it with its settings, and passes its calls to those who decide.

import type { GrpcHost } from '#api/grpc/grpc-host.ts';
import type { FromGrpc, ToGrpc } from '#api/grpc/grpc-messages.ts';
import type { TrustProxy } from '#api/http/client-address.ts';
import { systemClock } from '#engine/base/clock.ts';
import { STOP_GRPC_MS } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import { Supervisor } from '#engine/base/supervisor.ts';
import type { Meters } from '#engine/delivery/meter/meters.ts';
import { ThreadPort } from './thread-port.ts';
import { startWorker } from './worker-thread.ts';

export interface GrpcThreadData {
  readonly host: string;
  readonly port: number;
  /** PEM texts; null: plain. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
  readonly trustProxy: TrustProxy;
  readonly logLevel: string;
  readonly meters: Meters;
}

export interface GrpcThreadParts extends GrpcThreadData {
  readonly calls: GrpcHost;
  readonly log: Log;
}

export class GrpcThread {
  readonly #parts: GrpcThreadParts;
  readonly #supervisor: Supervisor<ToGrpc, FromGrpc>;
  readonly #port = new ThreadPort();

  constructor(parts: GrpcThreadParts) {
    this.#parts = parts;
    this.#supervisor = new Supervisor<ToGrpc, FromGrpc>({
      start: (events) => startWorker('./grpc.ts', 'grpc', this.#data(), events),
      heard: (message) => this.#heard(message),
      died: (error, delayMs) => this.#died(error, delayMs),
      restarted: () => {},
      schedule: systemClock.schedule,
      endMs: STOP_GRPC_MS,
    });
  }

  /** Resolves when it first listens. Rejects when it cannot; the message names the setting that is the cause. */
  get listening(): Promise<void> {
    return this.#port.listening;
  }

  /** Only after `listening` has resolved. */
  get port(): number {
    return this.#port.number!;
  }

  get isRestarting(): boolean {
    return this.#supervisor.isRestarting;
  }

  /** Ends the calls that are open, and waits until their clients know, for a while. */
  async close(): Promise<void> {
    await this.#supervisor.end({ kind: 'close' });
    this.#parts.calls.threadDied();
  }

  #data(): GrpcThreadData {
    const { host, port, tls, trustProxy, logLevel, meters } = this.#parts;
    // After a restart clients must find the listener at the same port.
    return { host, port: this.#port.number ?? port, tls, trustProxy, logLevel, meters };
  }

  #died(error: Error, delayMs: number): void {
    const { calls, log } = this.#parts;
    calls.threadDied();
    if (this.#port.number !== null) {
      log.error({ err: error, delayMs }, 'the gRPC thread died; restarting it');
      return;
    }
    void this.#supervisor.end({ kind: 'close' });
    this.#port.failed(error);
  }

  #heard(message: FromGrpc): void {
    switch (message.kind) {
      case 'ready':
        this.#supervisor.ready();
        this.#port.listens(message.port);
        return;
      case 'closed':
        this.#supervisor.finished();
        return;
      default:
        this.#parts.calls.receive(message, (answer) => this.#supervisor.post(answer));
    }
  }
}
