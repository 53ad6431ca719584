// How many requests of one kind an address may send, or may be meant for one account, within a time, counted over the time
// before each request. What guesses passwords or floods mailboxes is slowed down, whatever it sends; a refused request does
// not count, so that a client that keeps asking gets through as soon as it may.

import { LRUCache } from 'lru-cache';
import { ApiError } from '#api/http/api-error.ts';
import { limitGroup } from '#api/http/client-address.ts';
import type { Clock } from '#engine/base/clock.ts';
import { ADDRESSES_COUNTED_MAX } from '#engine/base/limits.ts';

export interface AddressTerms {
  readonly requests: number;
  readonly windowMs: number;
  /** Counted by account instead of by address. */
  readonly byAccount?: true;
}

export class AddressLimit {
  readonly #terms: AddressTerms;
  readonly #clock: Clock;
  /** When the requests of the last window came, oldest first, by limit group. */
  readonly #recent = new LRUCache<string, number[]>({ max: ADDRESSES_COUNTED_MAX });

  constructor(terms: AddressTerms, clock: Clock) {
    this.#terms = terms;
    this.#clock = clock;
  }

  /** Counts a request of this address, or for the account of this email address, or refuses it with `rate_limit_exceeded`. */
  admit(who: string): void {
    const { requests, windowMs, byAccount } = this.#terms;
    const nowMs = this.#clock.nowMs();
    const group = byAccount ? who.toLowerCase() : limitGroup(who);
    const times = (this.#recent.get(group) ?? []).filter((timeMs) => timeMs + windowMs > nowMs);
    if (times.length >= requests) {
      const retryAfterS = Math.max(1, Math.ceil((times[0]! + windowMs - nowMs) / 1_000));
      throw new ApiError(
        'rate_limit_exceeded',
        `${requests} such requests may ${byAccount ? 'be for one account' : 'come from one address'} in ` +
          `${windowMs / 60_000} minutes: ` +
          `try again in ${retryAfterS} seconds.`,
        { 'retry-after': String(retryAfterS) },
      );
    }
    this.#recent.set(group, [...times, nowMs]);
  }
}
