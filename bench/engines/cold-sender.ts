// A process that sends one update to many endpoints over connections that it opens for it: the engine
// (cold-engine-process.ts), or the loop that it is compared with (peers/tls-loop.ts). This file starts and controls both.

import type { CollectedMemory } from '../suite/collected-memory.ts';
import { HelperProcess } from '../suite/helper-process.ts';

/** Approximate size of the update. */
export const COLD_BODY_BYTES = 450;

export type ToColdSender =
  /** From now on send to new endpoints at these URLs. */
  | { readonly kind: 'aim'; readonly urls: readonly string[] }
  /** Send the update to each, due this long after the start. A bare loop always starts at once. */
  | { readonly kind: 'deliver'; readonly leadMs: number }
  | { readonly kind: 'count' }
  | { readonly kind: 'measure' };

/** What it took to send the update to all endpoints. */
export interface Sent {
  /** User and system time of the process, microseconds, from the start until everything is answered and recorded. */
  readonly cpuUs: number;
  /** Handshakes that resumed a TLS session. */
  readonly resumed: number;
  /** Attempts missing from the delivery log or from usage, or too many there (I10); 0 if there is no log. */
  readonly unrecorded: number;
}

export type FromColdSender =
  | { readonly kind: 'ready' }
  | { readonly kind: 'aimed'; readonly secrets: readonly string[] }
  /** When the update is or was due, on the machine's monotonic clock. */
  | { readonly kind: 'started'; readonly dueAtMs: number }
  | ({ readonly kind: 'sent' } & Sent)
  /** Connections that are open or being opened. */
  | { readonly kind: 'connections'; readonly count: number }
  | ({ readonly kind: 'memory' } & CollectedMemory);

const SEND_MS_MAX = 180_000;

export class ColdSender {
  readonly #process: HelperProcess<ToColdSender, FromColdSender>;

  private constructor(process: HelperProcess<ToColdSender, FromColdSender>) {
    this.#process = process;
  }

  /** `file` is the module of the process. */
  static async start(file: URL, env: NodeJS.ProcessEnv): Promise<ColdSender> {
    return new ColdSender(await HelperProcess.ready(file, [], env));
  }

  /** Returns the endpoints' secrets. */
  async aim(urls: readonly string[]): Promise<readonly string[]> {
    return (await this.#process.ask({ kind: 'aim', urls }, 'aimed')).secrets;
  }

  /** `sent` resolves when everything is answered and recorded. */
  async deliver(leadMs: number): Promise<{ readonly dueAtMs: number; readonly sent: Promise<Sent> }> {
    const sent = this.#process.next('sent', leadMs + SEND_MS_MAX);
    // Prevents an unhandled rejection before the caller awaits it. The caller still sees the failure.
    sent.catch(() => {});
    const { dueAtMs } = await this.#process.ask({ kind: 'deliver', leadMs }, 'started');
    return { dueAtMs, sent };
  }

  async connections(): Promise<number> {
    return (await this.#process.ask({ kind: 'count' }, 'connections')).count;
  }

  memory(): Promise<CollectedMemory> {
    return this.#process.ask({ kind: 'measure' }, 'memory');
  }

  end(): Promise<void> {
    return this.#process.end();
  }
}

/** The process's side. */
export function replyToBench(message: FromColdSender): void {
  if (process.connected) process.send!(message);
}
