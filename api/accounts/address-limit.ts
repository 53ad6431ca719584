// Limits requests of one kind by client address in a sliding window. This slows down password guessing and floods of
// email. Refused requests do not count, so a client that keeps asking gets through as soon as the window allows.
//
// An IPv6 address counts with its /64, which is what providers give a customer, and with its /48, which is what a
// customer can ask for: otherwise each /48 would have 65,536 limits.

import { limitGroup, networkOf } from '#api/http/client-address.ts';
import type { Clock } from '#engine/base/clock.ts';
import { NETWORK_RATES_MAX } from '#engine/base/limits.ts';
import { rateExceeded } from './rate-exceeded.ts';
import { type Rate, RecentEvents } from './recent-events.ts';

export class AddressLimit {
  readonly #addresses: RecentEvents;
  /** IPv6 only. */
  readonly #networks: RecentEvents;

  constructor(rate: Rate, clock: Clock) {
    this.#addresses = new RecentEvents(rate, clock);
    this.#networks = new RecentEvents({ ...rate, requests: rate.requests * NETWORK_RATES_MAX }, clock);
  }

  /** Counts a request. Throws `rate_limit_exceeded` at the limit. */
  admit(clientIp: string): void {
    const address = limitGroup(clientIp);
    const waitMs = this.#addresses.waitMs(address);
    if (waitMs > 0) throw rateExceeded(this.#addresses.rate, 'such requests per address', waitMs);
    if (clientIp.includes(':')) {
      const network = networkOf(clientIp);
      const networkWaitMs = this.#networks.waitMs(network);
      if (networkWaitMs > 0) throw rateExceeded(this.#networks.rate, 'such requests per network', networkWaitMs);
      this.#networks.add(network);
    }
    this.#addresses.add(address);
  }
}
