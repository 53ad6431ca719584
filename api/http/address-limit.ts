// Limits requests of one kind by client address in a sliding window. This slows down password guessing and floods of
// email. Refused requests do not count, so a client that keeps asking gets through as soon as the window allows.
//
// An IPv6 address counts with its /64, which is what providers give a customer, and with its /48, which is what a
// customer can ask for: otherwise each /48 would have 65,536 limits.

import { NETWORK_RATES_MAX } from '#engine/base/limits.ts';
import { limitGroup, networkOf } from './client-address.ts';
import type { CountedLimit, EventCounts } from './event-counts.ts';
import { rateExceeded } from './rate-exceeded.ts';
import type { Rate } from './recent-events.ts';

/** A counted request. */
export interface AdmittedRequest {
  /** Takes it back, so that it does not count any more. */
  discount(): Promise<void>;
}

export class AddressLimit {
  readonly #counts: EventCounts;
  readonly #what: string;
  readonly #addresses: CountedLimit;
  /** IPv6 only. */
  readonly #networks: CountedLimit;

  /** `name`: of no other limit. `what`: what it counts, in the plural, for the refusal. */
  constructor(counts: EventCounts, name: string, rate: Rate, what = 'such requests') {
    this.#counts = counts;
    this.#what = what;
    this.#addresses = { name: `${name} by address`, rate };
    this.#networks = { name: `${name} by network`, rate: { ...rate, requests: rate.requests * NETWORK_RATES_MAX } };
  }

  /** Counts a request. Rejects with `rate_limit_exceeded` at the limit. */
  async admit(clientIp: string): Promise<AdmittedRequest> {
    const address = { limit: this.#addresses, key: limitGroup(clientIp) };
    const network = { limit: this.#networks, key: networkOf(clientIp) };
    const taken = await this.#counts.take(clientIp.includes(':') ? [address, network] : [address]);
    if (taken.kind === 'counted') return taken;
    const whose = taken.wish === address ? 'address' : 'network';
    throw rateExceeded(taken.wish.limit.rate, `${this.#what} per ${whose}`, taken.waitMs);
  }
}
