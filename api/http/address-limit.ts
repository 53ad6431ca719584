// Limits requests of one kind by client address in a sliding window. This slows down password guessing and floods of
// email. Refused requests do not count, so a client that keeps asking gets through as soon as the window allows.
//
// An IPv6 address counts with its /64, which is what providers give a customer, and with its /48, which is what a
// customer can ask for: otherwise each /48 would have 65,536 limits.

import type { Clock } from '#engine/base/clock.ts';
import { NETWORK_RATES_MAX } from '#engine/base/limits.ts';
import { limitGroup, networkOf } from './client-address.ts';
import { rateExceeded } from './rate-exceeded.ts';
import { type Rate, RecentEvents } from './recent-events.ts';

/** A counted request. */
export interface AdmittedRequest {
  /** Takes it back, so that it does not count any more. */
  discount(): void;
}

export class AddressLimit {
  readonly #what: string;
  readonly #addresses: RecentEvents;
  /** IPv6 only. */
  readonly #networks: RecentEvents;

  /** `what`: what it counts, in the plural, for the refusal. */
  constructor(rate: Rate, clock: Clock, what = 'such requests') {
    this.#what = what;
    this.#addresses = new RecentEvents(rate, clock);
    this.#networks = new RecentEvents({ ...rate, requests: rate.requests * NETWORK_RATES_MAX }, clock);
  }

  /** Counts a request. Throws `rate_limit_exceeded` at the limit. */
  admit(clientIp: string): AdmittedRequest {
    const address = limitGroup(clientIp);
    const waitMs = this.#addresses.waitMs(address);
    if (waitMs > 0) throw rateExceeded(this.#addresses.rate, `${this.#what} per address`, waitMs);
    if (!clientIp.includes(':')) return this.#counted(address, null);
    const network = networkOf(clientIp);
    const networkWaitMs = this.#networks.waitMs(network);
    if (networkWaitMs > 0) throw rateExceeded(this.#networks.rate, `${this.#what} per network`, networkWaitMs);
    return this.#counted(address, network);
  }

  #counted(address: string, network: string | null): AdmittedRequest {
    const timeMs = this.#addresses.add(address);
    if (network !== null) this.#networks.add(network);
    return {
      discount: () => {
        this.#addresses.remove(address, timeMs);
        if (network !== null) this.#networks.remove(network, timeMs);
      },
    };
  }
}
