// Starts a receiver that is ill (ill-receiver.ts) in a process of its own, and talks to it.

import { HelperProcess } from '../suite/helper-process.ts';

/** How an endpoint can be bad. */
export const ILLNESSES = ['dead', 'hanging', 'slow'] as const;
export type Illness = (typeof ILLNESSES)[number];

/** How long a slow endpoint takes to answer. */
export const SLOW_MS = 2_000;

/** Nobody listens there: a port that only a well-known service of old would take. */
const DEAD_ORIGIN = 'http://127.0.0.1:9';

export type ToIllReceiver =
  /** Takes requests from now on, and counts them anew. */
  | { readonly kind: 'take' }
  /** Ends every connection, and those that still come. */
  | { readonly kind: 'let-go' };

export type FromIllReceiver =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'taking' }
  /** `requests` have come since it took requests. */
  | { readonly kind: 'gone'; readonly requests: number };

const START_MS_MAX = 30_000;

export class IllReceiver {
  readonly #origin: string;
  readonly #process: HelperProcess<ToIllReceiver, FromIllReceiver>;

  private constructor(process: HelperProcess<ToIllReceiver, FromIllReceiver>, port: number) {
    this.#process = process;
    this.#origin = `http://127.0.0.1:${port}`;
  }

  static async start(): Promise<IllReceiver> {
    const process = new HelperProcess<ToIllReceiver, FromIllReceiver>(new URL('./ill-receiver.ts', import.meta.url));
    const { port } = await process.next('listening', START_MS_MAX);
    return new IllReceiver(process, port);
  }

  url(illness: Illness, index: number): string {
    return `${illness === 'dead' ? DEAD_ORIGIN : this.#origin}/${illness}/${index}`;
  }

  async take(): Promise<void> {
    await this.#process.ask({ kind: 'take' }, 'taking');
  }

  /** Answers how many requests came. */
  async letGo(): Promise<number> {
    return (await this.#process.ask({ kind: 'let-go' }, 'gone')).requests;
  }

  end(): Promise<void> {
    return this.#process.end();
  }
}
