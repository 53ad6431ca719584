// Starts a bare sender (burst-sender.ts) in its own process, and controls it.

import { HelperProcess } from '../suite/helper-process.ts';

export type ToBurstSender =
  /** Open a connection to `origin`/<index> for each secret, and close those that are open. */
  | { readonly kind: 'open'; readonly origin: string; readonly secrets: readonly string[] }
  /** Send an update with this sequence over each. */
  | { readonly kind: 'send'; readonly sequence: number };

/** `sent`: every request is answered. */
export type FromBurstSender = { readonly kind: 'ready' | 'opened' | 'sent' };

export class BurstSender {
  readonly #process: HelperProcess<ToBurstSender, FromBurstSender>;

  private constructor(process: HelperProcess<ToBurstSender, FromBurstSender>) {
    this.#process = process;
  }

  static async start(): Promise<BurstSender> {
    return new BurstSender(await HelperProcess.ready(new URL('./burst-sender.ts', import.meta.url)));
  }

  async open(origin: string, secrets: readonly string[]): Promise<void> {
    await this.#process.ask({ kind: 'open', origin, secrets }, 'opened');
  }

  /** Resolves when every request is answered. */
  async send(sequence: number): Promise<void> {
    await this.#process.ask({ kind: 'send', sequence }, 'sent');
  }

  end(): Promise<void> {
    return this.#process.end();
  }
}
