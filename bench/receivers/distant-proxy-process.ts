// Starts a proxy that adds a distance (distant-proxy.ts) in its own process.

import { HelperProcess } from '../suite/helper-process.ts';

export type FromDistantProxy = { readonly kind: 'listening'; readonly ports: readonly number[] };

const START_MS_MAX = 30_000;

export class DistantProxy {
  /** One for each target, in any order. */
  readonly ports: readonly number[];
  readonly #process: HelperProcess<never, FromDistantProxy>;

  private constructor(process: HelperProcess<never, FromDistantProxy>, ports: readonly number[]) {
    this.#process = process;
    this.ports = ports;
  }

  /** `targets`: ports of this machine. `lossy`: some chunks are held longer. */
  static async start(roundTripMs: number, targets: readonly number[], lossy = false): Promise<DistantProxy> {
    const process = new HelperProcess<never, FromDistantProxy>(new URL('./distant-proxy.ts', import.meta.url), [
      String(roundTripMs),
      lossy ? '1' : '0',
      ...targets.map(String),
    ]);
    const { ports } = await process.next('listening', START_MS_MAX);
    return new DistantProxy(process, ports);
  }

  end(): Promise<void> {
    return this.#process.end();
  }
}
