// Starts the receiver that times every arrival (arrival-receiver.ts) in its own process, and controls it.

import { HelperProcess } from '../suite/helper-process.ts';
import { monotonicMs } from '../suite/monotonic.ts';

/** The expected deliveries: sequences `first` to `first + updates - 1` at each endpoint. */
export interface Expected {
  /** By endpoint index, which is also its path. */
  readonly secrets: readonly string[];
  readonly first: number;
  readonly updates: number;
}

export type ToArrivalReceiver =
  | ({ readonly kind: 'expect' } & Expected)
  | { readonly kind: 'await'; readonly timeoutMs: number }
  | { readonly kind: 'report' }
  | { readonly kind: 'clock' };

/** Everything that arrived since the last `expect`. */
export interface Arrivals {
  readonly requests: number;
  /** Updates that arrived at least once, summed over all endpoints. */
  readonly distinct: number;
  readonly doubled: number;
  readonly misordered: number;
  readonly wronglySigned: number;
  /** Requests to unknown endpoints, or with sequences outside the expected range. */
  readonly unexpected: number;
  /** When each update was first fully received, endpoint by endpoint, on the monotonic clock; 0 if never. */
  readonly atMs: Float64Array;
}

export type FromArrivalReceiver =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'expecting' }
  /** Everything arrived, or the timeout expired. */
  | { readonly kind: 'awaited' }
  | ({ readonly kind: 'arrivals' } & Arrivals)
  | { readonly kind: 'clock'; readonly nowMs: number };

const START_MS_MAX = 30_000;
const CLOCK_READINGS = 50;

export class ArrivalReceiver {
  readonly origin: string;
  readonly #process: HelperProcess<ToArrivalReceiver, FromArrivalReceiver>;

  private constructor(process: HelperProcess<ToArrivalReceiver, FromArrivalReceiver>, port: number) {
    this.#process = process;
    this.origin = `http://127.0.0.1:${port}`;
  }

  static async start(): Promise<ArrivalReceiver> {
    const process = new HelperProcess<ToArrivalReceiver, FromArrivalReceiver>(
      new URL('./arrival-receiver.ts', import.meta.url),
    );
    const { port } = await process.next('listening', START_MS_MAX);
    return new ArrivalReceiver(process, port);
  }

  async expect(expected: Expected): Promise<void> {
    await this.#process.ask({ kind: 'expect', ...expected }, 'expecting');
  }

  /** Waits until everything expected has arrived, at most `timeoutMs`. The report says whether it has. */
  async settled(timeoutMs: number): Promise<void> {
    await this.#process.ask({ kind: 'await', timeoutMs }, 'awaited', timeoutMs + START_MS_MAX);
  }

  report(): Promise<Arrivals> {
    return this.#process.ask({ kind: 'report' }, 'arrivals');
  }

  /**
   * The bound within which this process's monotonic clock and the receiver's agree, in milliseconds. The receiver reads
   * its clock between two readings here; the closest pair decides. Throws if its reading is not between the two.
   */
  async clockAgreementMs(): Promise<number> {
    let closestMs = Number.POSITIVE_INFINITY;
    for (let reading = 0; reading < CLOCK_READINGS; reading++) {
      const askedMs = monotonicMs();
      const { nowMs } = await this.#process.ask({ kind: 'clock' }, 'clock');
      const repliedMs = monotonicMs();
      if (nowMs < askedMs || nowMs > repliedMs)
        throw new Error(
          `the monotonic clocks of two processes differ: the receiver read ${nowMs}, the bench ${askedMs} before and ${repliedMs} after`,
        );
      closestMs = Math.min(closestMs, repliedMs - askedMs);
    }
    return closestMs;
  }

  end(): Promise<void> {
    return this.#process.end();
  }
}
