// Starts the receiver of endpoints with bad TLS handshakes (ill-handshakes.ts) in its own process, and controls it.

import { HelperProcess } from '../suite/helper-process.ts';
import type { FromUnhealthy, ToUnhealthy } from './admission.ts';
import { originAt } from './arrival-receiver-process.ts';

/** What is wrong with the handshakes of an endpoint. */
export const BAD_HANDSHAKES = ['hanging', 'failing', 'late'] as const;
export type BadHandshake = (typeof BAD_HANDSHAKES)[number];
/** `prompt`: nothing is wrong. */
export type Handshake = BadHandshake | 'prompt';

/** How long a late handshake takes. */
export const LATE_HANDSHAKE_MS = 5_000;

/** The servers, each with a port: half of the failing endpoints respond in plain text, the others are not trusted. */
export const HANDSHAKE_SERVERS = ['hanging', 'plain text', 'untrusted', 'late', 'prompt'] as const;
export type HandshakeServer = (typeof HANDSHAKE_SERVERS)[number];

export type FromIllHandshakes =
  | { readonly kind: 'listening'; readonly ports: Readonly<Record<HandshakeServer, number>> }
  | FromUnhealthy;

const START_MS_MAX = 30_000;

export class IllHandshakes {
  readonly #ports: Readonly<Record<HandshakeServer, number>>;
  readonly #process: HelperProcess<ToUnhealthy, FromIllHandshakes>;

  private constructor(
    process: HelperProcess<ToUnhealthy, FromIllHandshakes>,
    ports: Readonly<Record<HandshakeServer, number>>,
  ) {
    this.#process = process;
    this.#ports = ports;
  }

  static async start(): Promise<IllHandshakes> {
    const process = new HelperProcess<ToUnhealthy, FromIllHandshakes>(new URL('./ill-handshakes.ts', import.meta.url));
    const { ports } = await process.next('listening', START_MS_MAX);
    return new IllHandshakes(process, ports);
  }

  url(handshake: Handshake, index: number): string {
    const server = handshake === 'failing' ? (index % 2 === 0 ? 'plain text' : 'untrusted') : handshake;
    return `${originAt('https', this.#ports[server])}/${index}`;
  }

  async accept(): Promise<void> {
    await this.#process.ask({ kind: 'accept' }, 'accepting');
  }

  /** Returns the number of requests since `accept`. */
  async dropAll(): Promise<number> {
    return (await this.#process.ask({ kind: 'drop' }, 'dropped')).requests;
  }

  end(): Promise<void> {
    return this.#process.end();
  }
}
