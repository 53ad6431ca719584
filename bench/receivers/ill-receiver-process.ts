// Starts the receiver of unhealthy endpoints (ill-receiver.ts) in its own process, and controls it.

import { HelperProcess } from '../suite/helper-process.ts';
import type { FromUnhealthy, ToUnhealthy } from './admission.ts';

/** The kinds of unhealthy endpoints. */
export const ILLNESSES = ['dead', 'hanging', 'slow'] as const;
export type Illness = (typeof ILLNESSES)[number];

/** How long a slow endpoint takes to respond. */
export const SLOW_MS = 2_000;

/** No process listens here: the port belongs to the obsolete discard service. */
const DEAD_ORIGIN = 'http://127.0.0.1:9';

export type FromIllReceiver = { readonly kind: 'listening'; readonly port: number } | FromUnhealthy;

const START_MS_MAX = 30_000;

export class IllReceiver {
  readonly #origin: string;
  readonly #process: HelperProcess<ToUnhealthy, FromIllReceiver>;

  private constructor(process: HelperProcess<ToUnhealthy, FromIllReceiver>, port: number) {
    this.#process = process;
    this.#origin = `http://127.0.0.1:${port}`;
  }

  static async start(): Promise<IllReceiver> {
    const process = new HelperProcess<ToUnhealthy, FromIllReceiver>(new URL('./ill-receiver.ts', import.meta.url));
    const { port } = await process.next('listening', START_MS_MAX);
    return new IllReceiver(process, port);
  }

  url(illness: Illness, index: number): string {
    return `${illness === 'dead' ? DEAD_ORIGIN : this.#origin}/${illness}/${index}`;
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
