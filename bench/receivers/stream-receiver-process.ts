// Starts clients of streams (stream-receiver.ts) in their own process, and controls them.

import { HelperProcess } from '../suite/helper-process.ts';

export type StreamProtocol = 'grpc' | 'sse';

/** Streams to be opened: all the same. */
export interface StreamOrder {
  readonly protocol: StreamProtocol;
  readonly count: number;
  /** `http://HOST:PORT` of the protocol. */
  readonly address: string;
  readonly token: string;
  /** One of the two. */
  readonly session?: string;
  readonly run?: string;
  /** The sequence after which to begin. */
  readonly after?: number;
  /** Whether they read what comes. */
  readonly reads: boolean;
}

export type ToStreamReceiver =
  | ({ readonly kind: 'open' } & StreamOrder)
  /** Times the sequences `first` to `first + updates - 1` of each stream. */
  | { readonly kind: 'expect'; readonly first: number; readonly updates: number }
  | { readonly kind: 'await'; readonly timeoutMs: number }
  | { readonly kind: 'report' };

export interface StreamArrivals {
  /** Updates that arrived at least once, summed over all streams. */
  readonly distinct: number;
  readonly doubled: number;
  readonly misordered: number;
  /** Streams that have ended. */
  readonly ended: number;
  /** When each update was read whole, stream by stream, on the monotonic clock; 0 if never. */
  readonly atMs: Float64Array;
}

export type FromStreamReceiver =
  | { readonly kind: 'opened' }
  | { readonly kind: 'expecting' }
  | { readonly kind: 'awaited' }
  | ({ readonly kind: 'arrivals' } & StreamArrivals);

export class StreamReceiver {
  readonly #process = new HelperProcess<ToStreamReceiver, FromStreamReceiver>(
    new URL('./stream-receiver.ts', import.meta.url),
  );

  /** Resolves when every stream is open. */
  async open(order: StreamOrder): Promise<void> {
    await this.#process.ask({ kind: 'open', ...order }, 'opened');
  }

  async expect(first: number, updates: number): Promise<void> {
    await this.#process.ask({ kind: 'expect', first, updates }, 'expecting');
  }

  /** Waits until everything expected has arrived, at most `timeoutMs`. The report says whether it has. */
  async settled(timeoutMs: number): Promise<void> {
    await this.#process.ask({ kind: 'await', timeoutMs }, 'awaited', timeoutMs + 30_000);
  }

  report(): Promise<StreamArrivals> {
    return this.#process.ask({ kind: 'report' }, 'arrivals');
  }

  end(): Promise<void> {
    return this.#process.end();
  }
}
