// The main thread's side of the operators' thread: starts it with its settings and connects it to the live thread.

import { MessageChannel } from 'node:worker_threads';
import type { RequestCounts } from '#api/http/request-meter.ts';
import type { MeteredNode } from '#api/nodes/node-meter.ts';
import { systemClock } from '#engine/base/clock.ts';
import { STOP_OPERATORS_MS } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import { Supervisor } from '#engine/base/supervisor.ts';
import type { Meters } from '#engine/delivery/meter/meters.ts';
import type { ConnectionSettings } from '#engine/storage/connection-settings.ts';
import type { AdminSettings } from './config.ts';
import type { LiveThread } from './live-thread.ts';
import type { FromOperators, ToOperators } from './operators-messages.ts';
import { ThreadPort } from './thread-port.ts';
import type { WarningLog } from './warnings.ts';
import { startWorker } from './worker-thread.ts';

export interface OperatorsThreadData {
  readonly admin: AdminSettings;
  /** Whether GET /metrics is served. */
  readonly metrics: boolean;
  /** Whether the operators' page is served. */
  readonly page: boolean;
  /** Whether live timing is configured. */
  readonly hasTiming: boolean;
  /** Whether overage is billed. */
  readonly billsOverage: boolean;
  readonly dataDir: string;
  readonly logLevel: string;
  readonly connection: ConnectionSettings;
  readonly meters: Meters;
  readonly requests: RequestCounts;
  /** In a cluster. */
  readonly node?: MeteredNode;
}

export interface OperatorsThreadParts extends OperatorsThreadData {
  readonly live: Pick<LiveThread, 'isUp' | 'serve'>;
  readonly warnings: WarningLog;
  readonly log: Log;
}

export class OperatorsThread {
  readonly #parts: OperatorsThreadParts;
  readonly #supervisor: Supervisor<ToOperators, FromOperators>;
  readonly #port = new ThreadPort();

  constructor(parts: OperatorsThreadParts) {
    this.#parts = parts;
    this.#supervisor = new Supervisor<ToOperators, FromOperators>({
      start: (events) => startWorker('./operators.ts', 'operators', this.#data(), events),
      heard: (message) => this.#heard(message),
      died: (error, delayMs) => this.#died(error, delayMs),
      restarted: () => {
        this.join();
        this.#tellWarnings();
      },
      schedule: systemClock.schedule,
      endMs: STOP_OPERATORS_MS,
    });
    this.join();
    this.#tellWarnings();
    parts.warnings.follow((warning) => this.#supervisor.post({ kind: 'warnings', warnings: [warning] }));
  }

  /** Resolves when it first listens. Rejects when it cannot; the message names ADMIN_PORT if the port is the cause. */
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

  /**
   * Connects the two threads. Call it after each restart of the live thread. Does nothing while either thread is down:
   * its start connects them.
   */
  join(): void {
    const { live } = this.#parts;
    if (!live.isUp || !this.#supervisor.isUp) return;
    const { port1, port2 } = new MessageChannel();
    live.serve(port1);
    this.#supervisor.post({ kind: 'live', port: port2 });
  }

  /** Ends the requests in progress. */
  async close(): Promise<void> {
    await this.#supervisor.end({ kind: 'close' });
  }

  #tellWarnings(): void {
    this.#supervisor.post({ kind: 'warnings', warnings: this.#parts.warnings.latest });
  }

  #data(): OperatorsThreadData {
    const { admin, live: _live, warnings: _warnings, log: _log, ...data } = this.#parts;
    // After a restart clients must find the listener at the same port.
    const samePort = { ...admin, port: this.#port.number ?? admin.port };
    return { ...data, admin: samePort };
  }

  #died(error: Error, delayMs: number): void {
    if (this.#port.number !== null) {
      this.#parts.log.error({ err: error, delayMs }, "the operators' thread died; restarting it");
      return;
    }
    void this.#supervisor.end({ kind: 'close' });
    this.#port.failed(error);
  }

  #heard(message: FromOperators): void {
    switch (message.kind) {
      case 'ready':
        this.#supervisor.ready();
        this.#port.listens(message.port);
        return;
      case 'closed':
        this.#supervisor.finished();
    }
  }
}
