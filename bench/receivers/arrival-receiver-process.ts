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
  /** Whether connections stay open after a response, as they do at first. */
  | { readonly kind: 'keep'; readonly connections: boolean }
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
  /** Connections that were accepted. */
  readonly accepted: number;
  /** When each update was first fully received, endpoint by endpoint, on the monotonic clock; 0 if never. */
  readonly atMs: Float64Array;
}

export type FromArrivalReceiver =
  | { readonly kind: 'listening'; readonly ports: readonly number[] }
  | { readonly kind: 'expecting' }
  /** Everything arrived, or the timeout expired. */
  | { readonly kind: 'awaited' }
  | ({ readonly kind: 'arrivals' } & Arrivals)
  | { readonly kind: 'keeping' }
  | { readonly kind: 'clock'; readonly nowMs: number };

export type Scheme = 'http' | 'https';

const START_MS_MAX = 30_000;
const CLOCK_READINGS = 50;

export class ArrivalReceiver {
  readonly ports: readonly number[];
  readonly #scheme: Scheme;
  readonly #process: HelperProcess<ToArrivalReceiver, FromArrivalReceiver>;

  private constructor(
    process: HelperProcess<ToArrivalReceiver, FromArrivalReceiver>,
    scheme: Scheme,
    ports: readonly number[],
  ) {
    this.#process = process;
    this.#scheme = scheme;
    this.ports = ports;
  }

  get origin(): string {
    return originAt(this.#scheme, this.ports[0]!);
  }

  /** The URLs of so many endpoints, spread over the receiver's origins, or over those of other ports. */
  urls(count: number, ports = this.ports): readonly string[] {
    return Array.from(
      { length: count },
      (_, index) => `${originAt(this.#scheme, ports[index % ports.length]!)}/${index}`,
    );
  }

  /** `answerAfterMs`: the time before each response. `origins`: the number of ports that it listens on. */
  static async start({ scheme = 'http' as Scheme, answerAfterMs = 0, origins = 1 } = {}): Promise<ArrivalReceiver> {
    const process = new HelperProcess<ToArrivalReceiver, FromArrivalReceiver>(
      new URL('./arrival-receiver.ts', import.meta.url),
      [scheme, String(answerAfterMs), String(origins)],
    );
    const { ports } = await process.next('listening', START_MS_MAX);
    return new ArrivalReceiver(process, scheme, ports);
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

  /** Whether connections stay open after a response, as they do at first. */
  async keepConnections(connections: boolean): Promise<void> {
    await this.#process.ask({ kind: 'keep', connections }, 'keeping');
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

/** Over https the host is localhost, the name in the certificate. */
export function originAt(scheme: Scheme, port: number): string {
  return `${scheme}://${scheme === 'https' ? 'localhost' : '127.0.0.1'}:${port}`;
}
