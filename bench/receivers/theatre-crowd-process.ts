// Starts many clients that open what a console's theatre opens (theatre-crowd.ts) in their own process, and controls them.

import { HelperProcess } from '../suite/helper-process.ts';

/** Consoles that watch one session from one place: each has the session cookie of an account of its own. */
export interface CrowdOrder {
  /** `http://HOST:PORT` of the service. */
  readonly address: string;
  readonly cookies: readonly string[];
  readonly sessionId: string;
  readonly speed: number;
  /** The sequence to begin with. */
  readonly sequence: number;
}

export type ToCrowd = ({ readonly kind: 'open' } & CrowdOrder) | { readonly kind: 'report' };

export interface CrowdReport {
  /** Consoles whose stream has ended. */
  readonly ended: number;
  /** The last sequence that each has read. */
  readonly sequences: readonly number[];
  readonly bytes: number;
}

export type FromCrowd = { readonly kind: 'opened' } | ({ readonly kind: 'reported' } & CrowdReport);

export class TheatreCrowd {
  readonly #process = new HelperProcess<ToCrowd, FromCrowd>(new URL('./theatre-crowd.ts', import.meta.url));

  /** Resolves when every console has its stream. */
  async open(order: CrowdOrder): Promise<void> {
    await this.#process.ask({ kind: 'open', ...order }, 'opened');
  }

  report(): Promise<CrowdReport> {
    return this.#process.ask({ kind: 'report' }, 'reported');
  }

  end(): Promise<void> {
    return this.#process.end();
  }
}
