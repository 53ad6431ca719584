// Starts a receiver that takes the time of every arrival (arrival-receiver.ts) in a process of its own, and talks to
// it.

import { HelperProcess } from '../suite/helper-process.ts';
import { monotonicMs } from '../suite/monotonic.ts';

/** What a receiver waits for: sequences `first` to `first + updates - 1` at each endpoint. */
export interface Expected {
  /** By the endpoint's index, which is its path. */
  readonly secrets: readonly string[];
  readonly first: number;
  readonly updates: number;
}

export type ToArrivalReceiver =
  | ({ readonly kind: 'expect' } & Expected)
  | { readonly kind: 'await'; readonly timeoutMs: number }
  | { readonly kind: 'report' }
  | { readonly kind: 'clock' };

/** What came since the last `expect`. */
export interface Arrivals {
  readonly requests: number;
  /** Updates that came at least once, over all endpoints. */
  readonly distinct: number;
  readonly doubled: number;
  readonly misordered: number;
  readonly wronglySigned: number;
  /** Requests to endpoints, or with sequences, that nobody expected. */
  readonly unexpected: number;
  /** When each update was first received whole, endpoint by endpoint, on the monotonic clock; 0: never. */
  readonly atMs: Float64Array;
}

export type FromArrivalReceiver =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'expecting' }
  /** Everything came, or the time is over. */
  | { readonly kind: 'awaited' }
  | ({ readonly kind: 'arrivals' } & Arrivals)
  | { readonly kind: 'clock'; readonly nowMs: number };

const START_MS_MAX = 30_000;
const CLOCK_QUESTIONS = 50;

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

  /** Waits until everything expected has come, at most `timeoutMs`; the report tells whether it has. */
  async settled(timeoutMs: number): Promise<void> {
    await this.#process.ask({ kind: 'await', timeoutMs }, 'awaited', timeoutMs + START_MS_MAX);
  }

  report(): Promise<Arrivals> {
    return this.#process.ask({ kind: 'report' }, 'arrivals');
  }

  /**
   * Within how many milliseconds this process's monotonic clock and the receiver's are known to agree: the receiver
   * looks at its own between two looks here, and the closest two decide. Throws when it does not lie between them.
   */
  async clockAgreementMs(): Promise<number> {
    let closestMs = Number.POSITIVE_INFINITY;
    for (let question = 0; question < CLOCK_QUESTIONS; question++) {
      const askedMs = monotonicMs();
      const { nowMs } = await this.#process.ask({ kind: 'clock' }, 'clock');
      const answeredMs = monotonicMs();
      if (nowMs < askedMs || nowMs > answeredMs)
        throw new Error(
          `the monotonic clocks of two processes differ: asked ${askedMs}, it was ${nowMs}, answered ${answeredMs}`,
        );
      closestMs = Math.min(closestMs, answeredMs - askedMs);
    }
    return closestMs;
  }

  end(): Promise<void> {
    return this.#process.end();
  }
}
