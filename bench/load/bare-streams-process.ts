// Starts a bare server of streams (bare-streams.ts) in its own process, and controls it.

import type { StreamProtocol } from '../receivers/stream-receiver-process.ts';
import { HelperProcess } from '../suite/helper-process.ts';

export interface BareStreamsOrder {
  readonly protocol: StreamProtocol;
  /** What it plays: the busiest stretch of so many milliseconds of this recording. */
  readonly recording: string;
  readonly lengthMs: number;
}

export type ToBareStreams =
  | ({ readonly kind: 'serve' } & BareStreamsOrder)
  /** `originMs`: when position 0 is due, on the monotonic clock. */
  | { readonly kind: 'play'; readonly speed: number; readonly originMs: number };

export type FromBareStreams = { readonly kind: 'serving'; readonly address: string } | { readonly kind: 'playing' };

export class BareStreams {
  readonly address: string;
  readonly #process: HelperProcess<ToBareStreams, FromBareStreams>;

  private constructor(process: HelperProcess<ToBareStreams, FromBareStreams>, address: string) {
    this.#process = process;
    this.address = address;
  }

  static async start(order: BareStreamsOrder): Promise<BareStreams> {
    const process = new HelperProcess<ToBareStreams, FromBareStreams>(new URL('./bare-streams.ts', import.meta.url));
    const { address } = await process.ask({ kind: 'serve', ...order }, 'serving');
    return new BareStreams(process, address);
  }

  /**
   * Begins to play to the streams that are open, at once what is due already. `originMs`: when position 0 is due, on the monotonic
   * clock.
   */
  async play(speed: number, originMs: number): Promise<void> {
    await this.#process.ask({ kind: 'play', speed, originMs }, 'playing');
  }

  end(): Promise<void> {
    return this.#process.end();
  }
}
